"""The queue on Redis or Valkey, in ARQ's format, its workers, and the processes that send them hints."""
