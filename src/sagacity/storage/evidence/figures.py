"""Counts of what was published, learned and judged, by hour, day or week in SQL."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.dashboard import Figure, FigureFilter
from sagacity.domain.memory import MemoryKind
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import evaluations, interactions, memories, requests
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.statements.steps import beginning_of, step_number

_KEYS = ("agent_version", "source")


class FigureRepository:
    """A tenant's figures by step, oldest first; empty steps are left out."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def groups(self, wanted: FigureFilter, *, limit: int) -> list[str]:
        """Return the values of the column to group by, those with the most requests, memories and verdicts first."""
        if wanted.by is None:
            return []
        found = sa.union_all(
            *(
                sa.select(table.c[wanted.by].label("key")).where(*self._among(table, table, wanted))
                for table in (requests, memories, evaluations)
            )
        ).subquery()
        rows = await self._scope.all(
            sa.select(found.c.key)
            .group_by(found.c.key)
            .order_by(sa.func.count().desc(), found.c.key)
            .limit(limit)
        )
        return [row.key for row in rows]

    async def interactions(self, wanted: FigureFilter) -> list[Figure]:
        """Return how many turns arrived."""
        return await self._counted(interactions, wanted)

    async def memories(self, kinds: Sequence[MemoryKind], wanted: FigureFilter) -> list[Figure]:
        """Return how many memories of these kinds were created."""
        return await self._counted(memories, wanted, memories.c.kind.in_([str(kind) for kind in kinds]))

    async def evaluations(self, wanted: FigureFilter) -> list[Figure]:
        """Return how many verdicts there are, and their outcomes."""
        sums = {"successes": evaluations.c.is_success, "escalations": evaluations.c.is_escalated}
        columns = [sa.func.sum(sa.case((one, 1), else_=0)).label(name) for name, one in sums.items()]
        return await self._counted(evaluations, wanted, columns=columns)

    async def _counted(
        self,
        table: sa.Table,
        wanted: FigureFilter,
        *conditions: sa.ColumnElement[bool],
        columns: Sequence[sa.Label[Any]] = (),
    ) -> list[Figure]:
        keyed = table
        source: sa.FromClause = table
        if table is interactions and (wanted.by or any(getattr(wanted, name) is not None for name in _KEYS)):
            keyed = requests
            source = interactions.join(
                requests,
                sa.and_(
                    requests.c.org_id == interactions.c.org_id,
                    requests.c.request_id == interactions.c.request_id,
                ),
            )
        step = step_number(table.c.created_at, wanted.granularity)
        keys = [] if wanted.by is None else [keyed.c[wanted.by].label("key")]
        rows = await self._scope.all(
            sa.select(step, *keys, sa.func.count().label("rows"), *columns)
            .select_from(source)
            .where(*self._among(table, keyed, wanted), *conditions)
            .group_by(step, *keys)
            .order_by(step, *keys)
        )
        return [
            Figure(
                group=None if wanted.by is None else row.key,
                timestamp=beginning_of(row.step, wanted.granularity),
                count=row.rows,
                **{one.name: row._mapping[one.name] for one in columns},
            )
            for row in rows
        ]

    def _among(self, table: sa.Table, keyed: sa.Table, wanted: FigureFilter) -> list[sa.ColumnElement[bool]]:
        """Return the conditions for rows of *table*; *keyed* has their agent version and source."""
        conditions = [
            table.c.org_id == self._scope.org_id,
            table.c.created_at >= wanted.start,
            table.c.created_at < wanted.end,
        ]
        for name in _KEYS:
            value: str | None = getattr(wanted, name)
            if value is not None:
                conditions.append(keyed.c[name] == value)
        if wanted.by is not None and wanted.groups:
            conditions.append(one_of(keyed.c[wanted.by], wanted.groups))
        return conditions
