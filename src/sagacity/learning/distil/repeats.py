"""A draft that says what a playbook or skill says already is not proposed beside it; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sagacity.domain.memory import Memory
from sagacity.learning.deduplication.settle import says_all
from sagacity.learning.distil.spec import Draft, Written
from sagacity.providers.base import Vectors

_Said = tuple[Draft | Memory, Vectors | None]


def without_repeats(
    written: Sequence[Written], others: Sequence[Memory], vectors: Mapping[int, Vectors]
) -> list[Written]:
    """
    Take the drafts away that say nothing that is not said in *others* or in a draft before them.

    A draft that rewrites what its cluster had before stays: it takes its place.

    Args:
        written: what came of the clusters; drafts with their vectors, as far as there are any.
        others: what is pending and in force.
        vectors: float32 [d] of *others*, by number; of one without, only the same words count.
    """
    said: list[_Said] = [(one, vectors.get(one.memory_id)) for one in others]
    left: list[Written] = []
    for one in written:
        if one.draft is None:
            left.append(one)
        elif one.task.former is None and any(_covers(other, (one.draft, one.vector)) for other in said):
            left.append(replace(one, draft=None, vector=None))
        else:
            said.append((one.draft, one.vector))
            left.append(one)
    return left


def _covers(whole: _Said, part: _Said) -> bool:
    """Whether *whole* says all that *part* says: when it applies, what to do and what to avoid."""
    (fuller, row), (draft, other) = whole, part
    cosine = 0.0 if row is None or other is None else float(row @ other)
    pairs = (
        (fuller.trigger or "", draft.trigger or ""),
        (fuller.content, draft.content),
        (fuller.pitfall or "", draft.pitfall or ""),
    )
    return says_all(pairs, cosine)
