"""Chat models: one protocol over LiteLLM, structured answers, and what each call costs."""
