"""A separate vector store, kept a copy of the vectors in the database."""
