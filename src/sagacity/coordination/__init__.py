"""What processes share while they run, and can lose: counts of calls, a cache, news of changes."""
