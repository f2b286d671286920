"""Write decisions as memories, in one transaction."""
