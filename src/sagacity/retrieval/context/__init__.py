"""What was found becomes a text for a prompt, within its token budget."""
