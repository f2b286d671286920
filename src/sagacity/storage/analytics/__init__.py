"""Records of calls: how they ended, what they took and found, in single rows, in sums and by day."""
