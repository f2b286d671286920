"""A separate vector store that is kept as a copy of the database's vectors."""
