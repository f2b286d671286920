"""Accounts: signing up, in and out; addresses confirmed, passwords changed and forgotten; deleted for good."""
