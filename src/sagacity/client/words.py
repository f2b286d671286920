"""Closed sets of words, as members of their enumerations or as plain text."""

from collections.abc import Sequence
from typing import Literal

from sagacity.domain.cursor import DeadLetterStatus
from sagacity.domain.graph import EntityType
from sagacity.domain.ledger import Grouping
from sagacity.domain.memory import Approval, MemoryKind, Status
from sagacity.domain.operation import OperationName, OperationStatus
from sagacity.domain.query import Ranking, SearchMode, StrategyName

ModeWord = SearchMode | Literal["vector", "fts", "hybrid"]
RankingWord = Ranking | Literal["blended", "rrf", "weighted"]
StrategyWord = StrategyName | Literal["vector", "keyword", "graph", "profile", "recent"]
KindWord = (
    MemoryKind
    | Literal["profile", "semantic", "episodic", "user_playbook", "agent_playbook", "skill", "interaction"]
)
ApprovalWord = Approval | Literal["pending", "approved", "rejected"]
StatusWord = Status | Literal["current", "pending", "archived", "archive_in_progress"]
EntityWord = (
    EntityType
    | Literal[
        "person", "organization", "location", "project", "concept", "event", "product",
        "skill", "interest", "goal", "date", "animal", "other",
    ]
)  # fmt: skip
ServiceWord = (
    OperationName
    | Literal["profile_generation", "playbook_generation", "playbook_aggregation", "skill_generation"]
)
OperationStatusWord = OperationStatus | Literal["in_progress", "completed", "failed", "cancelled"]
GroupingWord = Grouping | Literal["learner", "user", "day", "model"]
LetterWord = DeadLetterStatus | Literal["parked", "queued", "replayed"]


def statuses(words: Sequence[StatusWord] | None) -> list[Status] | None:
    """Return lifecycle states as the schemas take them; None stays None."""
    return None if words is None else [Status(word) for word in words]
