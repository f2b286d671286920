"""The results of a search: documents with scores, as columns by kind, or one by one if few are needed."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.floating]
Rows = npt.NDArray[np.intp]
_DOCUMENT, _SCORE = attrgetter("document_id"), attrgetter("score")


class Hit(NamedTuple):
    """A document found, with its score; higher is better."""

    document_id: int
    owner_id: int
    kind: str
    score: float
    ceiling: float = 1.0
    """The highest possible score for the question."""


@dataclass(frozen=True, slots=True)
class KindHits:
    """Documents of one kind, best first: ids int64 [n], owners int64 [n], scores [n], ceilings float64 [n]."""

    kind: str
    ids: Ids
    owners: Ids
    scores: Scores
    ceilings: Scores

    @classmethod
    def of(cls, kind: str, hits: Sequence[Hit]) -> Self:
        """Return *hits*, all of *kind*, in their order."""
        ids, owners = (np.array([hit[place] for hit in hits], np.int64) for place in (0, 1))
        scores, ceilings = (np.array([hit[place] for hit in hits], np.float64) for place in (3, 4))
        return cls(kind, ids, owners, scores, ceilings)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Hit]:
        columns = (self.ids, self.owners, self.scores, self.ceilings)
        rows = zip(*(one.tolist() for one in columns), strict=True)
        return (Hit(number, owner, self.kind, score, ceiling) for number, owner, score, ceiling in rows)

    def taken(self, rows: Rows | slice) -> "KindHits":
        """Return the rows *rows*, in that order."""
        return KindHits(self.kind, self.ids[rows], self.owners[rows], self.scores[rows], self.ceilings[rows])

    def without(self, ids: Collection[int]) -> "KindHits":
        """Return all hits except the documents *ids*."""
        return self.taken(np.flatnonzero(~np.isin(self.ids, list(ids)))) if ids else self


class Hits(Iterable[Hit]):
    """All results of a search. One kind keeps its own order; several are mixed, best first, ties by document."""

    def __init__(self, parts: Iterable[KindHits] = ()) -> None:
        """Hold *parts*, one for each kind."""
        self._parts = {part.kind: part for part in parts if len(part)}

    @classmethod
    def of(cls, hits: Iterable[Hit]) -> "Hits":
        """Return *hits*, keeping the order within each kind."""
        grouped: dict[str, list[Hit]] = {}
        for hit in hits:
            grouped.setdefault(hit.kind, []).append(hit)
        return cls(KindHits.of(kind, some) for kind, some in grouped.items())

    @property
    def parts(self) -> Sequence[KindHits]:
        """The hits by kind, without kinds that have none."""
        return list(self._parts.values())

    def of_kind(self, kind: str) -> KindHits | None:
        """Return the hits of *kind*; None if there are none."""
        return self._parts.get(kind)

    def __len__(self) -> int:
        return sum(map(len, self._parts.values()))

    def __iter__(self) -> Iterator[Hit]:
        if len(self._parts) == 1:
            [part] = self._parts.values()
            return iter(part)
        # Two sorts are faster than one by a key made of both.
        hits = sorted((hit for part in self._parts.values() for hit in part), key=_DOCUMENT)
        return iter(sorted(hits, key=_SCORE, reverse=True))


def joined(parts: Sequence[KindHits]) -> KindHits:
    """Concatenate *parts*, of which there is at least one and all are of one kind."""
    if len(parts) == 1:
        return parts[0]
    ids, owners, scores, ceilings = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("ids", "owners", "scores", "ceilings")
    )
    return KindHits(parts[0].kind, ids, owners, scores, ceilings)


def best_of(parts: Iterable[KindHits], limit: int) -> Hits:
    """Return the best *limit* of each kind in *parts*, ties by document."""
    grouped: dict[str, list[KindHits]] = {}
    for part in parts:
        grouped.setdefault(part.kind, []).append(part)
    together = map(joined, grouped.values())
    return Hits(one.taken(np.lexsort((one.ids, -one.scores))[:limit]) for one in together)
