"""Quarantines: which are in force, what they hold, and hiding that from callers."""
