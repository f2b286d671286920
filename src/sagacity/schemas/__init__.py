"""Request bodies and reply envelopes of the public API, one file per resource."""
