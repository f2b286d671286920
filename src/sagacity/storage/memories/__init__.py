"""What was learned: memories with their history, versions and clusters."""
