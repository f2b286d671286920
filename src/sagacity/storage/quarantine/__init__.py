"""Quarantines: which stand, what they hold, and what is read without it."""
