"""The history of memories: those they superseded, which are kept as long as their successors."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from sagacity.domain.kinds import USER_KINDS
from sagacity.domain.memory import ArchivedBy, MemoryKind, Status
from sagacity.storage.base import Scope
from sagacity.storage.quarantine.unheld import SHOWS_HELD
from sagacity.storage.schema.tables import memories
from sagacity.storage.statements.array_params import found_by, one_of


async def history_of(scope: Scope, kind: MemoryKind, ids: Sequence[int]) -> list[int]:
    """Return memories with all that they superseded, directly or not, except what a person archived; ascending."""
    if not ids:
        return []
    column = memories.c
    links = sa.select(column.memory_id, column.superseded_by).where(
        column.org_id == scope.org_id,
        column.kind == str(kind),
        column.status == str(Status.ARCHIVED),
        column.archived_by != str(ArchivedBy.PERSON),
        column.superseded_by.is_not(None),
    )
    if kind in USER_KINDS:  # by owner, for the index; no memory replaces another owner's
        owners = (
            sa.select(column.user_id).where(one_of(column.memory_id, ids), scope.owns(memories)).distinct()
        )
        links = links.where(found_by(column.user_id, owners.scalar_subquery()))
    rows = await scope.all(links.execution_options(**SHOWS_HELD))
    return with_history(ids, ((row.memory_id, row.superseded_by) for row in rows))


def with_history(roots: Iterable[int], links: Iterable[tuple[int, int]]) -> list[int]:
    """
    Return *roots* with all their predecessors that lead to no other memory.

    Args:
        roots: numbers of memories.
        links: pairs (memory, its successor), in any order.

    Returns:
        Each number once, ascending.
    """
    before: dict[int, list[int]] = defaultdict(list)
    for memory_id, successor in links:
        before[successor].append(memory_id)
    found, waiting = set[int](), list(roots)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += before[one]
    return sorted(found)
