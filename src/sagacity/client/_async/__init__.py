"""The client as it is written; `_sync` is generated from it."""
