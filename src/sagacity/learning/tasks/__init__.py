"""Background tasks: what one is, the table of all, and what runs them."""
