"""The evidence log: requests and their interactions, sessions, users, and verdicts on them."""
