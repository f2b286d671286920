"""The time that a question speaks of, as a range of days."""
