"""Extractors, which read a window and propose candidates."""
