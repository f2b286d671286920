"""API tokens, and the audit log of changes."""
