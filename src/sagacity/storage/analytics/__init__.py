"""What calls took and found, and how they ended: row by row, summed up, and day by day."""
