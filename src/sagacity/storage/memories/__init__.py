"""Memories with their history, versions and clusters, and the review queue."""
