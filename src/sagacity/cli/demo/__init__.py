"""`sagacity demo`: real conversations, what is learned from them, and where it came from."""
