# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.review_queue import ReviewSignal, ReviewStep

ReviewSignalWord = (
    ReviewSignal | Literal["stale", "duplicate", "high_cost_low_cite", "supersedeable", "harms", "helps"]
)
ReviewStepWord = ReviewStep | Literal["keep", "archive", "supersede", "merge"]
