"""Tables, columns, constraints and views for every backend, and what brings a database up to date."""
