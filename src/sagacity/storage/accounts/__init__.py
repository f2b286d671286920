"""Accounts, what they are signed in with, their e-mails, and tries to get in."""
