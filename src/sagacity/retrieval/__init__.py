"""A question becomes a context."""
