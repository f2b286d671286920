"""Qdrant: search by vector outside the database, which stays the authority on what may be found."""
