"""One file per noun: every query, written once."""
