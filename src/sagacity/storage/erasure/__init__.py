"""Erase a user: where the user's data is, deleting it in batches, and searching for leftovers."""
