"""Calls of the API whose requests and replies become the examples of the OpenAPI document."""
