"""A user's message → what is remembered → a streamed answer → a published exchange."""
