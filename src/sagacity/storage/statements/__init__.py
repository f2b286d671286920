"""What statements are built from: lists and JSON conditions as one parameter, hints for the planner."""
