"""Summarise each conversation as an episode: what it was about, when it took place, and how it ended."""
