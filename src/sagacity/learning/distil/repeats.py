"""Drop drafts that repeat an existing playbook or skill; pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sagacity.domain.memory import Memory
from sagacity.learning.deduplication.settle import NEAR_COSINE, says_all
from sagacity.learning.deduplication.text_equivalence import normalised
from sagacity.learning.distil.spec import Draft, Written
from sagacity.providers.base import Vectors

_Saying = Draft | Memory


def without_repeats(
    written: Sequence[Written], others: Sequence[Memory], vectors: Mapping[int, Vectors]
) -> list[Written]:
    """
    Remove drafts that *others* or an earlier draft already say.

    A draft that rewrites its cluster's former text stays, because it replaces that text.

    Args:
        written: the results of the clusters; drafts may have vectors.
        others: the memories that are pending or in force.
        vectors: float32 [d] of *others*, by number; those without one are compared only by equal words.
    """
    said = _Said(len(others) + len(written))
    for one in others:
        said.add(one, vectors.get(one.memory_id))
    left: list[Written] = []
    for one in written:
        if one.draft is None:
            left.append(one)
        elif one.task.former is None and said.covers(one.draft, one.vector):
            left.append(replace(one, draft=None, vector=None))
        else:
            said.add(one.draft, one.vector)
            left.append(one)
    return left


class _Said:
    """The texts so far; only those that are near, or in the same words, are compared word by word."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._wordings: set[tuple[tuple[str, ...], ...]] = set()
        self._with_vectors: list[_Saying] = []
        self._rows: Vectors | None = None

    def add(self, one: _Saying, vector: Vectors | None) -> None:
        self._wordings.add(_wording(one))
        if vector is None:
            return
        if self._rows is None:
            self._rows = np.empty((self._most, len(vector)), np.float32)
        self._rows[len(self._with_vectors)] = vector
        self._with_vectors.append(one)

    def covers(self, draft: Draft, vector: Vectors | None) -> bool:
        """Whether one of the texts says all that *draft* says: when it applies, what to do and what to avoid."""
        return _wording(draft) in self._wordings or any(
            says_all(tuple(zip(_texts(fuller), _texts(draft), strict=True)), cosine)
            for fuller, cosine in self._near(vector)
        )

    def _near(self, vector: Vectors | None) -> Iterator[tuple[_Saying, float]]:
        if vector is None or self._rows is None:
            return
        cosines = self._rows[: len(self._with_vectors)] @ vector
        for place in np.flatnonzero(cosines >= NEAR_COSINE).tolist():
            yield self._with_vectors[place], float(cosines[place])


def _texts(one: _Saying) -> tuple[str, str, str]:
    return one.trigger or "", one.content, one.pitfall or ""


def _wording(one: _Saying) -> tuple[tuple[str, ...], ...]:
    return tuple(map(normalised, _texts(one)))
