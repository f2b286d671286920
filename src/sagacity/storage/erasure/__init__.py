"""Erasing a user: where the user's data is, deleting it in batches, and looking for what is left."""
