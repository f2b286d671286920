"""Qdrant: vector search outside the database, which still decides what may be found."""
