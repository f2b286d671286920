"""Writes the Python SDK from the API's own description."""
