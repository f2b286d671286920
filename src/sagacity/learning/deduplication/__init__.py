"""Compare candidates with stored memories, and make one decision for each."""
