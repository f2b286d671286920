"""Background tasks: their interface, the table of all tasks, and their runner."""
