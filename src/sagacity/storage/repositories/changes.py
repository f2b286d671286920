"""What each learner run changed, with snapshots of before and after."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.change import Change, ChangeAction, ChangeLog
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.storage.base import Scope
from sagacity.storage.tables import changes


class ChangeRepository:
    """A tenant's change log. A row goes with its memory, so that erased content lives on nowhere."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, made: Sequence[Change]) -> None:
        """Record changes of one run."""
        rows = [change.model_dump(mode="json") | _moments(change, self._scope.org_id) for change in made]
        if rows:
            await self._scope.run(changes.insert(), rows)

    async def list_runs(self, kind: MemoryKind, *, limit: int) -> list[ChangeLog]:
        """Return what the last runs changed in memories of one kind, newest first."""
        column = changes.c
        mine = sa.and_(column.org_id == self._scope.org_id, column.kind == str(kind))
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


def _log(rows: list[Any]) -> ChangeLog:
    last = rows[-1]
    after = [row.after for row in rows if row.action != ChangeAction.REMOVED and row.after]
    before = [row.before for row in rows if row.action != ChangeAction.ADDED and row.before]
    return ChangeLog(
        change_log_id=last.change_id,
        run_id=last.run_id,
        kind=last.kind,
        user_id=last.user_id,
        request_id=last.request_id,
        created_at=last.created_at,
        added=tuple(Memory.model_validate(snapshot) for snapshot in after),
        removed=tuple(Memory.model_validate(snapshot) for snapshot in before),
    )


def _moments(change: Change, org_id: str) -> dict[str, Any]:
    return {"org_id": org_id, "created_at": change.created_at}
