"""The quarantines in force, for writers: new data that they cover is held at once."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import NewMemory
from sagacity.domain.quarantine import Standing, parents_of
from sagacity.storage.base import Scope
from sagacity.storage.quarantine.unheld import SHOWS_HELD
from sagacity.storage.schema.tables import (
    held_memories,
    organisations,
    playbook_clusters,
    quarantines,
    requests,
)
from sagacity.storage.statements.array_params import one_of


@cache
def _flag_kept() -> sa.Select[Any, Any]:
    flag = sa.select(organisations.c.has_quarantines, organisations.c.has_quotas)
    is_it = organisations.c.org_id == sa.bindparam("org_id")
    return flag.where(is_it).with_for_update(read=True, key_share=True)


@cache
def _flag() -> sa.Select[tuple[bool]]:
    return sa.select(organisations.c.has_quarantines).where(organisations.c.org_id == sa.bindparam("org_id"))


async def holds_anything(scope: Scope) -> bool:
    """Return whether the tenant has quarantines in force, as of the snapshot."""
    rows = await scope.all(_flag(), {"org_id": scope.org_id})
    return bool(rows and rows[0][0])


async def standing_quarantines(scope: Scope) -> Sequence[Standing]:
    """Return the quarantines in force; none begins or ends, and no quota is set, before the transaction ends."""
    rows = await scope.all(_flag_kept(), {"org_id": scope.org_id})
    scope.added.is_limited = any(row.has_quotas for row in rows)
    if not rows or not rows[0][0]:
        return ()
    column = quarantines.c
    found = await scope.all(
        sa.select(column.quarantine_id, column.target, column.value)
        .where(column.org_id == scope.org_id, column.released_at.is_(None))
        .order_by(column.created_at, column.quarantine_id)
    )
    return [Standing.model_validate(row._mapping) for row in found]


async def held_by(
    scope: Scope, standing: Sequence[Standing], written: Sequence[NewMemory]
) -> list[frozenset[str]]:
    """
    Return which quarantines hold each of *written*, by its own fields and by what it rests on.

    A memory rests on its requests and, if it serves all users, on the user playbooks that it was made from.
    """
    if not standing:
        return [frozenset() for _ in written]
    by_request = await _of_requests(scope, standing, {it for one in written for it in one.source_request_ids})
    found: list[frozenset[str]] = []
    for memory in written:
        own = {one.quarantine_id for one in standing if one.is_of_memory(memory)}
        for request_id in memory.source_request_ids:
            own |= by_request.get(request_id, set())
        found.append(frozenset(own | await _of_parents(scope, memory)))
    return found


async def _of_requests(
    scope: Scope, standing: Sequence[Standing], ids: Collection[str]
) -> dict[str, set[str]]:
    column = requests.c
    rows = await scope.all(
        sa.select(column.request_id, column.user_id, column.source)
        .where(column.org_id == scope.org_id, one_of(column.request_id, sorted(ids)))
        .execution_options(**SHOWS_HELD)
    )
    return {row.request_id: {one.quarantine_id for one in standing if one.is_of_request(row)} for row in rows}


async def _of_parents(scope: Scope, memory: NewMemory) -> set[str]:
    named, group = parents_of(memory)
    parents: set[int] = set(named)
    if group is not None:
        cluster = playbook_clusters.c
        rows = await scope.all(
            sa.select(cluster.member_ids).where(cluster.org_id == scope.org_id, cluster.cluster_id == group)
        )
        parents.update(number for row in rows for number in row.member_ids)
    return await quarantines_of(scope, sorted(parents))


async def quarantines_of(scope: Scope, ids: Sequence[int]) -> set[str]:
    """Return the quarantines that hold any of the memories *ids*."""
    if not ids:
        return set()
    column = held_memories.c
    rows = await scope.all(
        sa.select(column.quarantine_id)
        .where(column.org_id == scope.org_id, one_of(column.memory_id, ids))
        .distinct()
    )
    return {row.quarantine_id for row in rows}


async def keep_held(scope: Scope, memory_id: MemoryId, quarantine_ids: Collection[str]) -> None:
    """Record that quarantines hold a memory."""
    rows = [
        {"org_id": scope.org_id, "quarantine_id": one, "memory_id": memory_id}
        for one in sorted(quarantine_ids)
    ]
    if rows:
        await scope.run(scope.insert(held_memories).on_conflict_do_nothing(), rows)
