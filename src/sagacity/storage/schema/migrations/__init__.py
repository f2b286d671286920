"""Schema changes in order: forward only, one change each."""
