"""Decisions become memories: written in one transaction, compared between versions, taken back."""
