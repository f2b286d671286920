"""A conversation becomes an episode: what it was about, when it was, and how it ended."""
