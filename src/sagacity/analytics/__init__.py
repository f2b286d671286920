"""What calls took and found: measured where they happen, written down in batches, and summed up."""

from sagacity.analytics.calls import measured, record_search

__all__ = ["measured", "record_search"]
