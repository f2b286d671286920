"""Entities that a user's memories name, and their relationships: learned, traversed, and corrected by people."""
