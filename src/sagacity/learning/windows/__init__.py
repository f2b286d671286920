"""A user's log is read window by window: which are due, worth reading, and what each teaches."""
