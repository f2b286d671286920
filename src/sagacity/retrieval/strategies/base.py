"""The interface of a search strategy."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sagacity.domain.query import Filter, Query
from sagacity.providers.base import Vectors
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Transaction

HALF_LIFE_DAYS = 30.0
_DAY_SECONDS = 86_400.0


class Part(NamedTuple):
    """What to look for by words and by meaning, and among what."""

    wanted: Filter
    text: str


@dataclass(frozen=True, slots=True)
class StrategyInput:
    """A question, and what is known of it before anything is looked up."""

    query: Query
    parts: tuple[Part, ...]
    """The question, once or by kind: of memories something else may be asked than of turns."""
    now: datetime
    depth: int
    """How many of each kind are enough."""
    vectors: Sequence[Vectors] = ()
    """Of the texts of `parts`, once they are made: each float32 [d], of unit length."""


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """What one strategy found; scores are the strategy's own, and higher is better."""

    hits: Hits = field(default_factory=Hits)
    names: tuple[str, ...] = ()
    """Names of the user's graph that the question speaks of."""
    note: str = ""
    """What did not go as usual though there is an answer; empty if all did."""


Strategy = Callable[[Transaction, StrategyInput], Awaitable[StrategyResult]]
"""Looks things up at one moment, and awaits nothing else."""


def recency(happened_at: datetime, now: datetime) -> float:
    """Return how new something is, in (0, 1]: 1 now and for what is to come, half after every 30 days."""
    age_days = max((now - happened_at).total_seconds() / _DAY_SECONDS, 0.0)
    return 0.5 ** (age_days / HALF_LIFE_DAYS)
