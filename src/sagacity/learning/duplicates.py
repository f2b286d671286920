"""The background task that finds near-duplicate memories of the same owner, for review."""

import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import structlog

from sagacity.domain.cursor import FIND_DUPLICATES, Lease
from sagacity.domain.ids import MemoryId
from sagacity.domain.kinds import VERSIONED_KINDS, visibility_of
from sagacity.domain.memory import Memory, Status, Visibility
from sagacity.domain.paced import each
from sagacity.domain.query import Filter
from sagacity.domain.review_queue import DUPLICATE_COSINE, DuplicatePair
from sagacity.learning.deduplication.exclusion import rules_out
from sagacity.learning.deduplication.text_equivalence import denies, normalised
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope
from sagacity.learning.tasks.parts import TaskParts
from sagacity.storage.memories.duplicate_pairs import ChangedMemories, ComparedScope
from sagacity.storage.transaction import Storage, Transaction

NEIGHBOURS = 10
"""How many duplicates of one memory are stored, the nearest ones."""
LOOK_AGAIN = timedelta(minutes=10)
"""How long new memories wait to be compared, unless someone asks earlier."""
_BATCH = 100
"""How many memories are compared between two writing transactions."""
_log = structlog.get_logger(__name__)


class FindDuplicates:
    """
    Compares memories with their neighbours by vector, owner by owner and kind by kind.

    Only memories written since the last comparison are compared. Pairs that words alone tell apart do not count: a rule
    and its denial are near each other, but say the opposite.
    """

    name = FIND_DUPLICATES
    scope = TaskScope.ORGANISATION

    def __init__(self, parts: TaskParts) -> None:
        self._storage: Storage = parts.storage
        self._clock = parts.clock

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return whether there are memories to compare, and when to compare those written meanwhile."""
        waits = bool(await snapshot.duplicates.uncompared())
        return Look(self._clock.now() + LOOK_AGAIN if waits else None, is_due=waits)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Compare new memories, one batch per transaction.

        Raises:
            Conflict: the lease was lost.
        """
        found = 0
        while True:
            async with self._storage.read(subject.tenant) as snapshot:
                waiting = await snapshot.duplicates.uncompared()
                if not waiting:
                    break
                changed = await snapshot.duplicates.changed(waiting[0], limit=_BATCH)
            found += await self._compare(subject, lease, waiting[0], changed)
            if until is not None and time.monotonic() >= until:
                return TaskReport(retry_at=self._clock.now())
        if found:
            _log.info("duplicates.found", org_id=subject.tenant.org_id, pairs=found)
        return TaskReport()

    async def _compare(
        self, subject: Subject, lease: Lease, one: ComparedScope, changed: ChangedMemories
    ) -> int:
        pairs: dict[tuple[MemoryId, MemoryId], DuplicatePair] = {}
        for start in range(0, len(changed.ids), _BATCH):  # memories written together are read together
            started = time.monotonic()
            async with self._storage.read(subject.tenant) as snapshot:
                near = await find_pairs(snapshot, one, changed.ids[start : start + _BATCH], self._clock.now())
            pairs |= {(pair.memory_id, pair.other_id): pair for pair in near}
            await self._storage.yield_to_calls(time.monotonic() - started)
        async with self._storage.begin(subject.tenant) as transaction:
            await transaction.leases.check(lease)
            return await transaction.duplicates.replace(one, changed, pairs.values())


async def find_pairs(
    snapshot: Transaction, one: ComparedScope, ids: Sequence[MemoryId], now: datetime
) -> list[DuplicatePair]:
    """Return the pairs of memories of a scope, one of *ids* in each, that say nearly the same and are served."""
    current = await _in_force(snapshot, ids, now)
    vectors = await snapshot.search.vectors_of([one.kind], list(current)) if current else {}
    alike: defaultdict[Filter, list[int]] = defaultdict(list)
    for number in vectors:
        alike[_alike(one, current[MemoryId(number)], now)].append(number)
    near: dict[tuple[MemoryId, MemoryId], float] = {}
    for wanted, numbers in alike.items():
        asked = np.stack([vectors[number] for number in numbers])
        found = await snapshot.search.by_vectors(wanted, asked, NEIGHBOURS + 1)
        for number, nearest in zip(numbers, found, strict=True):
            for hit in nearest.hits:
                if hit.owner_id != number and hit.score >= DUPLICATE_COSINE:
                    first, second = sorted((MemoryId(number), MemoryId(hit.owner_id)))
                    near[first, second] = min(hit.score, 1.0)
    others = {number for pair in near for number in pair} - current.keys()
    current |= await _in_force(snapshot, sorted(others), now)
    pairs = [
        DuplicatePair(memory_id=first, other_id=second, similarity=cosine)
        for (first, second), cosine in sorted(near.items())
        if first in current and second in current
    ]
    opposed = await each(lambda pair: are_opposed(current[pair.memory_id], current[pair.other_id]), pairs)
    return [pair for pair, is_opposed in zip(pairs, opposed, strict=True) if not is_opposed]


def are_opposed(one: Memory, other: Memory) -> bool:
    """Whether words alone say that two memories cannot both hold."""
    if rules_out(one.content, other.content) or rules_out(other.content, one.content):
        return True
    is_same_case = normalised(one.trigger or "") == normalised(other.trigger or "")
    return is_same_case and denies(one.content, other.content)


async def _in_force(snapshot: Transaction, ids: Sequence[MemoryId], now: datetime) -> dict[MemoryId, Memory]:
    """Return those of *ids* that are served, by number."""
    return {
        memory.memory_id: memory
        for memory in await snapshot.memories.get_many(ids)
        if memory.status is Status.CURRENT
        and memory.is_valid(now)
        and visibility_of(memory) is Visibility.SERVED
    }


def _alike(one: ComparedScope, memory: Memory, now: datetime) -> Filter:
    """Return the filter for duplicates of *memory*: same owner, kind and agent version, and served."""
    return Filter(
        kinds=(one.kind,),
        user_id=one.user_id,
        visibility=(Visibility.SERVED,),
        agent_versions=(memory.agent_version,) if one.kind in VERSIONED_KINDS else (),
        valid_at=now,
    )
