# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.ledger import Grouping

GroupingWord = Grouping | Literal["learner", "user", "day", "model"]
