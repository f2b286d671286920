"""The HTTP API: one file per resource."""
