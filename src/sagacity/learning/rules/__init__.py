"""Learning without a model: patterns over sentences, pure and deterministic."""
