# Generated from _async by scripts/unasync; edit it there.
"""The client as it is written; `_sync` is generated from it."""
