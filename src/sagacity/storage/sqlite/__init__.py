"""SQLite: one file, one writer at a time, readers that never wait for it."""
