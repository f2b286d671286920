"""API tokens given, used and taken back, and the audit log read."""
