"""PostgreSQL: many processes and machines, organisations kept apart by row-level security."""
