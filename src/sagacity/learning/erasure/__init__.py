"""Erase a user completely, in the background, with a report."""
