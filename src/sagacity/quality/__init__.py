"""Retrieval quality on the owner's data: questions whose evidence is known, their results, and changes over time."""
