"""Judge each session once it is quiet: whether it went well, and whether answers were better than their shadows."""
