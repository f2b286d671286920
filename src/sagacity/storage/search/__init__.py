"""The search index: documents, terms and vectors, written with the memories that they stand for."""
