"""PostgreSQL: for many processes and machines, with organisations separated by row-level security."""
