"""The time that a text speaks of, as a range of days."""
