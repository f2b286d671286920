"""Whole databases: back up to a file, restore, and copy to another backend."""
