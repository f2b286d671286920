"""The interface of a search strategy."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.graph import Entity
from sagacity.domain.query import Filter, Query
from sagacity.providers.base import Vectors
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Transaction

HALF_LIFE_DAYS = 30.0
_DAY_SECONDS = 86_400.0


class Part(NamedTuple):
    """A text to search for, and the documents to search."""

    wanted: Filter
    text: str


@dataclass(frozen=True, slots=True)
class StrategyInput:
    """A question as the strategies get it."""

    query: Query
    parts: tuple[Part, ...]
    """What to search for: one part, or several if the text for memories differs from that for turns."""
    now: datetime
    depth: int
    """The most hits of each kind that a strategy returns."""
    vectors: Sequence[Vectors] = ()
    """The vectors of the texts of `parts`, each float32 [d], of unit length; empty until they are made."""
    analysis: QueryAnalysis | None = None
    """What the question asks for; None until it is analysed."""
    named: Sequence[Entity] | None = None
    """The user's entities that the question names, most mentioned first; None if nobody has looked them up."""


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """What one strategy found; scores are the strategy's own, and higher is better."""

    hits: Hits = field(default_factory=Hits)
    names: tuple[str, ...] = ()
    """Names of the user's graph that the question mentions."""
    note: str = ""
    """What went wrong although there is an answer; empty if nothing did."""


Strategy = Callable[[Transaction, StrategyInput], Awaitable[StrategyResult]]
"""Searches in one transaction, and awaits nothing else."""


def recency(happened_at: datetime, now: datetime) -> float:
    """Return how recent something is, in (0, 1]: 1 for now and the future, halved with every 30 days of age."""
    age_days = max((now - happened_at).total_seconds() / _DAY_SECONDS, 0.0)
    return 0.5 ** (age_days / HALF_LIFE_DAYS)
