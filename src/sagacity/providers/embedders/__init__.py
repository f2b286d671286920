"""Embedding models, in the package or over HTTP, and the vectors that are remembered."""
