"""Did a session go well, and was the answer better than its shadow: one look at each session once it is quiet."""
