"""Whole databases: kept in a file, brought back, copied into another of any backend."""
