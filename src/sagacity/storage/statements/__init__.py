"""Building blocks of statements: lists and JSON conditions as one parameter, and hints for the planner."""
