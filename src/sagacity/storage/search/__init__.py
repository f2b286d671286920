"""The search index: documents, terms and vectors, written with the memories and turns that they represent."""
