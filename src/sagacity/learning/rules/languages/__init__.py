"""Statements in languages other than English: one table a language, all read by one engine."""
