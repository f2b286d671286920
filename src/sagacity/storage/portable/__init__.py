"""One user or one organisation as a file: written line by line, checked, and read into any database."""
