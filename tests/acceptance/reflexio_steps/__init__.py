"""What the driver of the published client does: a function for each of its methods, in the order in which they run."""
