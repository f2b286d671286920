"""The change log of memories: what changed, by whom and why, with snapshots before and after."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.change import DIRECT, Change, ChangeAction, ChangeLog, RecordedChange
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import MemoryId, RunId
from sagacity.domain.interaction import Request
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.storage.base import Scope
from sagacity.storage.schema.ownership import own_memories
from sagacity.storage.schema.tables import changes, extractions
from sagacity.storage.statements.array_params import found_by

_TAKEN_AWAY = frozenset({ChangeAction.UPDATED, ChangeAction.REMOVED})
"""Actions after which a memory no longer exists in its former state."""


class ChangeRepository:
    """A tenant's change log. A row is deleted with its memory, so that erased content survives nowhere."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, made: Sequence[Change]) -> None:
        """
        Record changes, in their order.

        Raises:
            NotFound: one of the memories is not the tenant's.
        """
        named = {change.memory_id for change in made}
        if foreign := named - await own_memories(self._scope, named):
            raise NotFound(f"no memory with id {min(foreign)}")
        rows = [
            change.model_dump(mode="json", exclude={"change_id"}) | _moments(change, self._scope.org_id)
            for change in made
        ]
        if rows:
            await self._scope.run(changes.insert(), rows)

    async def list_runs(
        self,
        kind: MemoryKind,
        *,
        actor: str | None = None,
        name: str | None = None,
        agent_version: str | None = None,
        limit: int,
    ) -> list[ChangeLog]:
        """
        Return what the last runs of learners changed in memories of one kind, newest first.

        Args:
            kind: the kind.
            actor: only changes by this learner.
            name: only memories with this name.
            agent_version: only memories of this agent version.
            limit: the most runs.
        """
        column = changes.c
        is_direct = sa.or_(column.actor == DIRECT, column.actor.startswith(f"{DIRECT}:", autoescape=True))
        mine = sa.and_(column.org_id == self._scope.org_id, column.kind == str(kind), ~is_direct)
        mine = sa.and_(mine, column.action != str(ChangeAction.KEPT))
        if actor is not None:
            mine = sa.and_(mine, column.actor == actor)
        for key, value in (("name", name), ("agent_version", agent_version)):
            if value is not None:
                mine = sa.and_(mine, column.after[key].as_string() == value)
        newest = (
            sa.select(column.run_id, sa.func.max(column.change_id).label("last"))
            .where(mine)
            .group_by(column.run_id)
            .order_by(sa.desc("last"))
            .limit(limit)
            .subquery()
        )
        rows = await self._scope.all(
            sa.select(changes, newest.c.last)
            .join(newest, newest.c.run_id == column.run_id)
            .where(mine)
            .order_by(newest.c.last.desc(), column.change_id)
        )
        runs: dict[str, list[Any]] = {}
        for row in rows:
            runs.setdefault(row.run_id, []).append(row)
        return [_log(run) for run in runs.values()]

    async def of_memories(
        self, ids: Sequence[MemoryId], *, actions: Sequence[ChangeAction] = tuple(ChangeAction), limit: int
    ) -> list[RecordedChange]:
        """Return the newest *limit* changes of all *ids*, only of *actions* if given, oldest first."""
        column = changes.c
        rows = await self._scope.all(
            sa.select(changes)
            .where(
                column.memory_id.in_(list(ids)),
                column.action.in_([str(action) for action in actions]),
                self._scope.owns(changes),
            )
            .order_by(column.change_id.desc())
            .limit(limit)
        )
        return [RecordedChange.model_validate(row._mapping, extra="ignore") for row in reversed(rows)]

    async def of_run(self, kind: MemoryKind, run_id: RunId) -> list[RecordedChange]:
        """Return what one run changed in memories of one kind, in its order."""
        column = changes.c
        rows = await self._scope.all(
            sa.select(changes)
            .where(column.org_id == self._scope.org_id, column.kind == str(kind), column.run_id == run_id)
            .order_by(column.change_id)
        )
        return [RecordedChange.model_validate(row._mapping, extra="ignore") for row in rows]

    async def archived_by(self, request: Request) -> list[MemoryId]:
        """Return the memories that learners archived because of *request*, in that order."""
        read, column = extractions.c, changes.c
        runs = sa.select(read.run_id).where(
            read.org_id == self._scope.org_id,
            read.user_id == request.user_id,
            read.last_seq >= request.first_seq,
            read.first_seq <= request.last_seq,
            read.version == str(Status.CURRENT),
        )
        rows = await self._scope.all(
            sa.select(column.memory_id)
            .where(
                column.org_id == self._scope.org_id,
                column.kind.in_([str(kind) for kind in MemoryKind]),  # it precedes the run in the index
                found_by(column.run_id, runs.scalar_subquery()),
                column.request_id == request.request_id,
                column.action == str(ChangeAction.REMOVED),
            )
            .order_by(column.change_id)
        )
        return list(dict.fromkeys(row.memory_id for row in rows))

    async def as_they_were(self, memories: Sequence[Memory], moment: datetime) -> list[Memory]:
        """Return *memories* as they were at *moment*, with later changes reverted."""
        column = changes.c
        next_change = (
            sa.select(sa.func.min(column.change_id))
            .where(
                column.memory_id.in_([memory.memory_id for memory in memories]),
                column.action != str(ChangeAction.ADDED),
                column.created_at > moment,
                column.before.is_not(None),  # a swap of versions stores no snapshot
                self._scope.owns(changes),
            )
            .group_by(column.memory_id)
        )
        statement = sa.select(column.memory_id, column.before).where(column.change_id.in_(next_change))
        former = {row.memory_id: row.before for row in await self._scope.all(statement)}
        return [
            Memory.model_validate(former[memory.memory_id]) if memory.memory_id in former else memory
            for memory in memories
        ]

    async def count(self, memory_id: MemoryId) -> int:
        """Return how many changes of the memory are recorded, including its creation."""
        column = changes.c
        statement = sa.select(sa.func.count()).where(column.memory_id == memory_id, self._scope.owns(changes))
        return int((await self._scope.all(statement))[0][0])


def _log(rows: list[Any]) -> ChangeLog:
    last = rows[-1]
    after = [row.after for row in rows if row.action != ChangeAction.REMOVED and row.after]
    before = [row.before for row in rows if row.action in _TAKEN_AWAY and row.before]
    return ChangeLog(
        change_log_id=last.change_id,
        run_id=last.run_id,
        kind=last.kind,
        user_id=last.user_id,
        request_id=last.request_id,
        created_at=last.created_at,
        reason=last.reason,
        added=tuple(Memory.model_validate(snapshot) for snapshot in after),
        removed=tuple(Memory.model_validate(snapshot) for snapshot in before),
    )


def _moments(change: Change, org_id: str) -> dict[str, Any]:
    return {"org_id": org_id, "created_at": change.created_at}
