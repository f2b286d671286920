"""Tables, columns, constraints and views for every backend, and migrations."""
