"""The wire shapes of the kinds of memory."""
