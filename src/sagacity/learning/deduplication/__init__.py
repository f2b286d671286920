"""What was proposed meets what is remembered: for each candidate one decision."""
