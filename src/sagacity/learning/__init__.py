"""Interactions become knowledge."""
