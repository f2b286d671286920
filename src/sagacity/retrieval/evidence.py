"""What the strategies found of one kind, as columns: a search finds hundreds of results, and shows few of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sagacity.domain.query import StrategyName
from sagacity.storage.hits import Hits

Key = tuple[str, int]
Numbers = npt.NDArray[np.float64]
Owners = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]


class Column(NamedTuple):
    """One strategy's columns for each result; NaN for those that it did not find."""

    score: Numbers
    """The strategy's own."""
    ceiling: Numbers
    """The highest possible score for the question."""
    place: Numbers
    """The rank in the strategy's list, from 1."""

    def within(self, depth: int) -> "Column":
        """Return the same, cut after the first *depth*."""
        beyond = self.place > depth
        return Column(*(np.where(beyond, np.nan, part) for part in self))


@dataclass(frozen=True, slots=True)
class Evidence:
    """All results of one kind, each once and by number, as columns float64 [n]."""

    kind: str
    owners: Owners
    columns: Mapping[StrategyName, Column]
    """The column of each strategy that found any of the results."""
    asked: Collection[StrategyName]
    """The strategies that answered, including those without results."""

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def keys(self) -> Iterator[Key]:
        """The kind and number of each result."""
        return ((self.kind, owner) for owner in self.owners.tolist())

    @property
    def depth(self) -> int:
        """The length of the longest list that a strategy gave."""
        return max((int(np.fmax.reduce(one.place, initial=0.0)) for one in self.columns.values()), default=0)

    def within(self, depth: int) -> tuple["Evidence", Rows]:
        """Return the results among the first *depth* hits of any strategy, and the numbers of their rows."""
        columns = {name: one.within(depth) for name, one in self.columns.items()}
        there = np.zeros(len(self), bool)
        for one in columns.values():
            there |= ~np.isnan(one.place)
        rows = np.flatnonzero(there)
        taken = {name: Column(*(part[rows] for part in one)) for name, one in columns.items()}
        return replace(self, owners=self.owners[rows], columns=taken), rows

    def with_rows(self, rows: Rows, others: "Evidence") -> "Evidence":
        """Return a copy in which *others* replaces *rows*."""
        columns: dict[StrategyName, Column] = {}
        for name, one in self.columns.items():
            parts = [part.copy() for part in one]
            for part, other in zip(parts, others.columns[name], strict=True):
                part[rows] = other
            columns[name] = Column(*parts)
        return replace(self, columns=columns)

    def scores(self, strategy: StrategyName) -> Numbers:
        """Return a strategy's scores; all NaN if it found nothing or was not run."""
        column = self.columns.get(strategy)
        return np.full(len(self), np.nan) if column is None else column.score


def counted(numbers: Numbers, missing: float = 0.0) -> Numbers:
    """Return *numbers* with each NaN replaced by *missing*."""
    return np.where(np.isnan(numbers), missing, numbers)


def evidence_of(kind: str, found: Mapping[StrategyName, Hits]) -> Evidence:
    """
    Combine the results of *kind*.

    Args:
        kind: the kind to combine; other hits are left out.
        found: each strategy's hits, without strategies that were not run or failed.
    """
    parts = {name: part for name, hits in found.items() if (part := hits.of_kind(kind)) is not None}
    if not parts:
        return Evidence(kind, np.zeros(0, np.int64), {}, found.keys())
    owners = np.unique(np.concatenate([part.owners for part in parts.values()]))
    columns: dict[StrategyName, Column] = {}
    for name, part in parts.items():
        column = Column(*np.full((3, len(owners)), np.nan))
        rows = np.searchsorted(owners, part.owners)
        column.score[rows] = part.scores
        column.ceiling[rows] = part.ceilings
        column.place[rows] = np.arange(1, len(part) + 1)
        columns[name] = column
    return Evidence(kind, owners, columns, found.keys())


def by_kind(kinds: Sequence[str], found: Mapping[StrategyName, Hits]) -> dict[str, Evidence]:
    """Combine the results of each of *kinds*; other kinds are left out."""
    return {kind: evidence_of(kind, found) for kind in kinds}
