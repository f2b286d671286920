"""A question, what was found, and the scores that say why."""

import time
from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status


class SearchMode(StrEnum):
    """Which ways of finding are used."""

    VECTOR = "vector"
    FTS = "fts"
    HYBRID = "hybrid"


class Filter(Value):
    """
    What may be found at all; applied before any search.

    Interactions are asked for with `interactions=True`, memories with `kinds`. An empty `statuses`, `approvals` or
    `agent_versions` admits all. Times bound the row's last change (a turn's arrival), both ends inclusive.
    """

    kinds: tuple[MemoryKind, ...] = ()
    interactions: bool = False
    user_id: UserId | None = None
    """One user's rows (and, for kinds without a user, the tenant's). None asks for all users of the tenant."""
    statuses: tuple[Status, ...] = (Status.CURRENT,)
    approvals: tuple[Approval, ...] = ()
    agent_version: str | None = None
    """Of playbooks and skills; what is known of a user holds for every version."""
    name: str | None = None
    """Of playbooks and skills."""
    source: str | None = None
    request_id: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    valid_at: datetime | None = None
    """Leaves out what has expired by then."""


class Scored(Value):
    """One thing found, with its score and the parts that it was made of. Higher is better."""

    memory: Memory | None = None
    interaction: Interaction | None = None
    score: float
    components: dict[str, float] = {}


class Trace(Value):
    """How an answer came about: what each strategy took, and which failed or were late."""

    strategies: dict[str, float] = {}
    """Milliseconds each."""
    failed: dict[str, str] = {}

    def took(self, strategy: str, started: float) -> "Trace":
        """Return the trace with the time of *strategy*, which began at the performance counter's *started*."""
        milliseconds = round((time.perf_counter() - started) * 1000, 3)
        return self.model_copy(update={"strategies": self.strategies | {strategy: milliseconds}})

    def failed_with(self, strategy: str, reason: str) -> "Trace":
        """Return the trace with a strategy that gave no answer."""
        return self.model_copy(update={"failed": self.failed | {strategy: reason}})


class Found(Value):
    """What a search gives back, best first."""

    items: tuple[Scored, ...] = ()
    trace: Trace = Trace()
