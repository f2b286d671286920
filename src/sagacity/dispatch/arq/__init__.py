"""The queue on Redis or Valkey, in ARQ's format: its consumers, workers, and those who wake them."""
