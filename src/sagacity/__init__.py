"""Self-hosted memory and self-improvement backend for AI agents."""
