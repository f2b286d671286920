"""Who may call, and the record of what was changed."""
