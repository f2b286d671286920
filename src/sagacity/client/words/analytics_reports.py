# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.analytics_reports import Granularity, Metric

GranularityWord = Granularity | Literal["hour", "day", "week"]
MetricWord = Metric | Literal["requests", "latency", "errors"]
