"""Accounts, their sessions, authenticator apps and e-mails, members and invitations, and attempts to sign in."""
