"""Compare PENDING with CURRENT: what an upgrade would change."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.version import VersionDiff, VersionFilter
from sagacity.memories.acting import Acting
from sagacity.memories.diff import diff_versions
from sagacity.memories.names import check_names
from sagacity.storage.base import Vectors
from sagacity.storage.transaction import Transaction

_COMPARED = (Status.CURRENT, Status.PENDING)
_ROWS_A_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Compared:
    """The first differences of each sort, and how many there are in all."""

    shown: VersionDiff
    added_count: int
    lost_count: int
    covered_count: int
    changed_count: int
    unchanged_count: int

    @property
    def is_pending(self) -> bool:
        """Whether there is a version to compare with."""
        return bool(self.added_count or self.changed_count or self.unchanged_count)


async def compare_versions(acting: Acting, wanted: VersionFilter, *, limit: int) -> Compared:
    """
    Return what an upgrade would add, lose and change.

    Args:
        acting: on whose behalf.
        wanted: of one user or of all; of one agent version or of all.
        limit: how many differences of each sort are returned, in the order of users; all are counted.

    Raises:
        InvalidInput: a name is not known.
    """
    agent_version = wanted.agent_versions[0] if wanted.agent_versions else None
    await check_names(acting, wanted.kind, wanted.names, agent_version=agent_version)
    shown, added, lost, covered, changed, unchanged = VersionDiff(), 0, 0, 0, 0, 0
    now = acting.parts.clock.now()
    async with acting.read(user_id=wanted.user_ids[0] if wanted.user_ids else None) as snapshot:
        async for page in pages(snapshot, wanted):
            valid = [memory for memory in page if memory.is_valid(now)]
            vectors = await _vectors(snapshot, wanted.kind, [memory.memory_id for memory in valid])
            found = await asyncio.to_thread(_diff, valid, vectors)
            shown_lost = (*shown.lost, *found.lost)[:limit]
            is_shown = {memory.memory_id for memory in shown_lost}
            shown = VersionDiff(
                added=(*shown.added, *found.added)[:limit],
                lost=shown_lost,
                changed=(*shown.changed, *found.changed)[:limit],
                covered=tuple(
                    pair for pair in (*shown.covered, *found.covered) if pair.before.memory_id in is_shown
                ),
            )
            added, lost = added + len(found.added), lost + len(found.lost)
            covered += len(found.covered)
            changed, unchanged = changed + len(found.changed), unchanged + found.unchanged_count
    return Compared(shown, added, lost, covered, changed, unchanged)


async def _vectors(snapshot: Transaction, kind: MemoryKind, ids: Sequence[int]) -> dict[int, Vectors]:
    found: dict[int, Vectors] = {}
    for start in range(0, len(ids), _ROWS_A_PAGE):
        found |= await snapshot.search.vectors_of([kind], ids[start : start + _ROWS_A_PAGE])
    return found


def _diff(memories: Sequence[Memory], vectors: dict[int, Vectors]) -> VersionDiff:
    before = [memory for memory in memories if memory.status is Status.CURRENT]
    after = [memory for memory in memories if memory.status is Status.PENDING]
    return diff_versions(before, after, vectors)


async def pages(
    snapshot: Transaction, wanted: VersionFilter, *, row_count: int = _ROWS_A_PAGE
) -> AsyncGenerator[list[Memory]]:
    """Yield the memories to compare, in pages of about *row_count* that hold whole users."""
    after_user: UserId | None = None
    limit = row_count
    while True:
        page = await snapshot.versions.of_users(wanted, _COMPARED, after_user=after_user, limit=limit)
        if len(page) < limit:
            yield page
            return
        last = page[-1].user_id
        whole = list(takewhile(lambda memory: memory.user_id != last, page))  # noqa: B023  used up at once
        if whole:
            yield whole
            after_user, limit = UserId(whole[-1].user_id or ""), row_count
        else:
            limit *= 2  # one user fills the page
