"""Who does due work, where and when."""
