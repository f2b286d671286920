"""Durations and results of calls: measured where they happen, written in batches, and summed up."""

from sagacity.analytics.calls import measured, record_search

__all__ = ["measured", "record_search"]
