"""Compare two versions: what was added, lost and changed; pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sagacity.domain.kinds import VERSIONED_KINDS
from sagacity.domain.memory import Memory
from sagacity.domain.version import ChangedPair, VersionDiff
from sagacity.learning.deduplication.containment import Wholes
from sagacity.learning.deduplication.text_equivalence import normalised
from sagacity.providers.base import Vectors

CHANGED_COSINE = 0.75
"""The least cosine between two versions of one memory."""
COVERED_COSINE = 0.6
"""The least cosine between a memory and one that covers it: rules and a model word the same fact that differently."""
_ROWS_A_BLOCK = 1_024
_NEAREST = 64
"""How many of its nearest neighbours a memory tries if nearer ones are taken."""
Pair = tuple[Memory, Memory]
Rows = npt.NDArray[np.int64]


def diff_versions(
    before: Iterable[Memory], after: Iterable[Memory], vectors: Mapping[int, Vectors]
) -> VersionDiff:
    """
    Pair the memories of two versions one to one, best first, and say what has no partner.

    Only memories of one user are paired, and of playbooks those of one agent version and name. First those that say the
    same but for case, spaces, punctuation and articles (unchanged); then those that are the only ones of their version
    in a slot; then the nearest by cosine, if it is `CHANGED_COSINE` or more. What is lost is covered by the memory of
    *after* that is nearest to it, whatever that is paired with, if the cosine is `COVERED_COSINE` or more, or if its
    words say all of it and more.

    Args:
        before: the version that is in use.
        after: the version that may follow it.
        vectors: float32 [d], unit length, by memory; one without a vector is paired by its text or slot only.

    Returns:
        What was added and changed in the order of *after*, what was lost in that of *before*.
    """
    former, latter = _by_owner(before), _by_owner(after)
    found = [
        _diff(former.get(owner, []), latter.get(owner, []), vectors)
        for owner in dict.fromkeys((*former, *latter))
    ]
    return VersionDiff(
        added=tuple(memory for one in found for memory in one.added),
        lost=tuple(memory for one in found for memory in one.lost),
        changed=tuple(pair for one in found for pair in one.changed),
        covered=tuple(pair for one in found for pair in one.covered),
        unchanged_count=sum(one.unchanged_count for one in found),
    )


def _diff(before: list[Memory], after: list[Memory], vectors: Mapping[int, Vectors]) -> VersionDiff:
    same = list(_by_text(before, after))
    left_before, left_after = _without(before, same, 0), _without(after, same, 1)
    changed = list(_by_slot(left_before, left_after))
    left_before, left_after = _without(left_before, changed, 0), _without(left_after, changed, 1)
    changed += _by_vector(left_before, left_after, vectors)
    place = {memory.memory_id: index for index, memory in enumerate(after)}
    changed.sort(key=lambda pair: place[pair[1].memory_id])
    lost = _without(left_before, changed, 0)
    return VersionDiff(
        added=tuple(_without(left_after, changed, 1)),
        lost=tuple(lost),
        covered=tuple(_covered(lost, after, vectors)),
        changed=tuple(
            ChangedPair(before=one, after=other, similarity=_cosine(one, other, vectors))
            for one, other in changed
        ),
        unchanged_count=len(same),
    )


def _by_owner(memories: Iterable[Memory]) -> dict[tuple[str, ...], list[Memory]]:
    found: dict[tuple[str, ...], list[Memory]] = defaultdict(list)
    for memory in memories:
        owner = (memory.user_id or "",)
        found[
            (*owner, memory.agent_version, memory.name) if memory.kind in VERSIONED_KINDS else owner
        ].append(memory)
    return found


def _by_text(before: Sequence[Memory], after: Sequence[Memory]) -> Iterator[Pair]:
    waiting: dict[tuple[tuple[str, ...], ...], list[Memory]] = defaultdict(list)
    for memory in reversed(before):
        waiting[_text_of(memory)].append(memory)
    for memory in after:
        if partners := waiting.get(_text_of(memory)):
            yield partners.pop(), memory


def _text_of(memory: Memory) -> tuple[tuple[str, ...], ...]:
    return tuple(normalised(text or "") for text in (memory.content, memory.trigger, memory.pitfall))


def _by_slot(before: Sequence[Memory], after: Sequence[Memory]) -> Iterator[Pair]:
    """Pair memories that are alone in their slot on both sides. Slots with many values, such as likes, pair nothing."""
    former, latter = (_alone_in_slot(side) for side in (before, after))
    return ((former[slot], memory) for slot, memory in latter.items() if slot in former)


def _alone_in_slot(memories: Sequence[Memory]) -> dict[str, Memory]:
    counts = Counter(memory.attributes.slot for memory in memories)
    return {
        memory.attributes.slot: memory
        for memory in memories
        if memory.attributes.slot and counts[memory.attributes.slot] == 1
    }


def _by_vector(
    before: Sequence[Memory], after: Sequence[Memory], vectors: Mapping[int, Vectors]
) -> Iterator[Pair]:
    former = [memory for memory in before if memory.memory_id in vectors]
    latter = [memory for memory in after if memory.memory_id in vectors]
    if not former or not latter:
        return
    taken_before: set[int] = set()
    taken_after: set[int] = set()
    for row, column in _near(_stacked(former, vectors), _stacked(latter, vectors)):
        if row not in taken_after and column not in taken_before:
            taken_after.add(row)
            taken_before.add(column)
            yield former[column], latter[row]


def _near(before: Vectors, after: Vectors) -> Iterator[tuple[int, int]]:
    """
    Yield (row of *after*, row of *before*) of near pairs, nearest first, then by rows.

    Pairs are found block by block, never all at once, and sorted as arrays, so that other threads can run meanwhile:
    they could not while Python sorts hundreds of thousands of tuples.
    """
    size = min(_NEAREST, len(before))
    found: list[tuple[Vectors, Rows, Rows]] = []
    for start in range(0, len(after), _ROWS_A_BLOCK):
        cosines = after[start : start + _ROWS_A_BLOCK] @ before.T
        nearest = np.sort(np.argpartition(cosines, -size, axis=1)[:, -size:], axis=1)
        scores = np.take_along_axis(cosines, nearest, axis=1)
        is_near = np.nonzero(scores >= CHANGED_COSINE)
        found.append((scores[is_near], is_near[0] + start, nearest[is_near]))
    scores, rows, columns = (np.concatenate(part) for part in zip(*found, strict=True))
    # Those that are as near as each other stay as they come: by rows.
    order = np.argsort(-scores, kind="stable")
    return zip(rows[order].tolist(), columns[order].tolist(), strict=True)


def _covered(
    lost: Sequence[Memory], after: Sequence[Memory], vectors: Mapping[int, Vectors]
) -> Iterator[ChangedPair]:
    """Yield lost memories that another memory covers; one memory may cover many."""
    latter = [memory for memory in after if memory.memory_id in vectors]
    stacked = _stacked(latter, vectors) if latter else None
    wholes = Wholes([one.content for one in after])
    for memory in lost:
        place = wholes.first_with(memory.content)
        fuller = None if place is None else after[place]
        if fuller is None and stacked is not None and memory.memory_id in vectors:
            cosines = stacked @ vectors[memory.memory_id]
            nearest = int(np.argmax(cosines))
            fuller = latter[nearest] if cosines[nearest] >= COVERED_COSINE else None
        if fuller is not None:
            yield ChangedPair(before=memory, after=fuller, similarity=_cosine(memory, fuller, vectors))


def _stacked(memories: Sequence[Memory], vectors: Mapping[int, Vectors]) -> Vectors:
    return np.stack([vectors[memory.memory_id] for memory in memories])


def _cosine(one: Memory, other: Memory, vectors: Mapping[int, Vectors]) -> float:
    """Return the cosine of two memories, at least 0; 0 if one has no vector yet."""
    first, second = vectors.get(one.memory_id), vectors.get(other.memory_id)
    return 0.0 if first is None or second is None else min(1.0, max(0.0, float(first @ second)))


def _without(memories: Sequence[Memory], pairs: Iterable[Pair], side: int) -> list[Memory]:
    gone = {pair[side].memory_id for pair in pairs}
    return [memory for memory in memories if memory.memory_id not in gone]
