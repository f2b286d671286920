"""The memories that led to a memory; they stay as long as what followed from them."""

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
    """Return memories with all that they superseded, step by step back; not what a person archived. Ascending."""
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
    if kind in USER_KINDS:  # the same owners', as an index knows them; no memory replaces another owner's
        owners = (
            sa.select(column.user_id).where(one_of(column.memory_id, ids), scope.owns(memories)).distinct()
        )
        links = links.where(found_by(column.user_id, owners.scalar_subquery()))
    rows = await scope.all(links.execution_options(**SHOWS_HELD))
    return with_history(ids, ((row.memory_id, row.superseded_by) for row in rows))


def with_history(roots: Iterable[int], links: Iterable[tuple[int, int]]) -> list[int]:
    """
    Return *roots* with all that came before them and leads nowhere else.

    Args:
        roots: memories.
        links: (memory, what superseded it), in any order.

    Returns:
        Ascending, each once.
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
