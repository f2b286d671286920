"""Evaluation results and the counts that a dashboard shows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.evaluation import Evaluation, NewEvaluation
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import evaluations, interactions, memories

_MICROSECONDS_A_DAY = 86_400_000_000


class EvaluationRepository:
    """A tenant's evaluation results."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def replace(self, user_id: UserId, new: NewEvaluation) -> None:
        """Store a result in place of the former one of the same session and evaluator; the caller holds the lease."""
        column = evaluations.c
        await self._scope.run(
            sa.delete(evaluations).where(
                *self._of(user_id, new.session_id), column.evaluation_name == new.evaluation_name
            )
        )
        row = new.model_dump() | {"org_id": self._scope.org_id, "user_id": user_id}
        await self._scope.run(evaluations.insert(), row)

    async def judged_at(self, user_id: UserId, session_id: SessionId) -> dict[str, datetime]:
        """Return when a session was judged last, by the name of the evaluation."""
        rows = await self._scope.all(
            sa.select(evaluations.c.evaluation_name, evaluations.c.created_at).where(
                *self._of(user_id, session_id), evaluations.c.evaluation_name.is_not(None)
            )
        )
        return {row.evaluation_name: row.created_at for row in rows}

    async def list_newest(self, *, agent_version: str | None = None, limit: int) -> list[Evaluation]:
        """Return results, newest first."""
        column = evaluations.c
        statement = sa.select(evaluations).where(column.org_id == self._scope.org_id)
        if agent_version is not None:
            statement = statement.where(column.agent_version == agent_version)
        rows = await self._scope.all(
            statement.order_by(column.created_at.desc(), column.result_id.desc()).limit(limit)
        )
        return [Evaluation.model_validate(row._mapping, extra="ignore") for row in rows]

    async def interactions_by_day(self, start: datetime, end: datetime) -> list[tuple[int, int]]:
        """Return (day since 1970, turns that arrived) for *start* <= time < *end*, days without any left out."""
        return await self._by_day(interactions.c.created_at, start, end, interactions.c.org_id)

    async def memories_by_day(
        self, kinds: Sequence[MemoryKind], start: datetime, end: datetime
    ) -> list[tuple[int, int]]:
        """Return (day since 1970, memories made) for *start* <= time < *end*, days without any left out."""
        wanted = memories.c.kind.in_([str(kind) for kind in kinds])
        return await self._by_day(memories.c.created_at, start, end, memories.c.org_id, wanted)

    async def success_by_day(self, start: datetime, end: datetime) -> list[tuple[int, int, int]]:
        """Return (day since 1970, sessions judged, sessions judged a success) for *start* <= time < *end*."""
        column = evaluations.c
        day = sa.cast(column.created_at, sa.BigInteger).op("/")(_MICROSECONDS_A_DAY)
        success = sa.func.sum(sa.case((column.is_success, 1), else_=0))
        rows = await self._scope.all(
            sa.select(day, sa.func.count(), success)
            .where(column.org_id == self._scope.org_id, column.created_at >= start, column.created_at < end)
            .group_by(day)
            .order_by(day)
        )
        return [(int(row[0]), row[1], row[2]) for row in rows]

    def _of(self, user_id: UserId, session_id: SessionId) -> tuple[sa.ColumnElement[bool], ...]:
        column = evaluations.c
        return (
            column.org_id == self._scope.org_id,
            column.session_id == session_id,
            column.user_id == user_id,
        )

    async def _by_day(
        self, moment: sa.Column[Any], start: datetime, end: datetime, org: sa.Column[Any], *more: Any
    ) -> list[tuple[int, int]]:
        day = sa.cast(moment, sa.BigInteger).op("/")(_MICROSECONDS_A_DAY)
        rows = await self._scope.all(
            sa.select(day, sa.func.count())
            .where(org == self._scope.org_id, moment >= start, moment < end, *more)
            .group_by(day)
            .order_by(day)
        )
        return [(int(row[0]), row[1]) for row in rows]
