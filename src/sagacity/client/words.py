"""Closed sets of words, as members of their enumerations or as plain text."""

from collections.abc import Sequence
from typing import Literal

from sagacity.domain.cursor import DeadLetterStatus
from sagacity.domain.memory import Approval, Status
from sagacity.domain.query import SearchMode

ModeWord = SearchMode | Literal["vector", "fts", "hybrid"]
ApprovalWord = Approval | Literal["pending", "approved", "rejected"]
StatusWord = Status | Literal["current", "pending", "archived", "archive_in_progress"]
LetterWord = DeadLetterStatus | Literal["parked", "queued", "replayed"]


def statuses(words: Sequence[StatusWord] | None) -> list[Status] | None:
    """Return lifecycle states as the schemas take them; None stays None."""
    return None if words is None else [Status(word) for word in words]
