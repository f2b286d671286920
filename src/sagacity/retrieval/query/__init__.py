"""Analyse a question: its words, names and intent; rewrite one that depends on its conversation."""
