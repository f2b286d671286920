"""Statements in languages other than English: one table per language, read by one engine."""
