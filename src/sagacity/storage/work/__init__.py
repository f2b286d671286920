"""What background work remembers: cursors, operations, and what calls to models cost."""
