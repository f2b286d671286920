"""A question taken apart: its words, names and intent; rewritten where it leans on the conversation."""
