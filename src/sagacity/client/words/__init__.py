"""Closed sets of words that calls take; a file for each of `domain`, so that a call loads its own only."""
