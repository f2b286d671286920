"""Evaluation results."""

from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.evaluation import Evaluation, NewEvaluation
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.paced import each
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import evaluations


class EvaluationRepository:
    """A tenant's evaluation results."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def replace(self, user_id: UserId, new: NewEvaluation) -> None:
        """Store a result, replacing that of the same session and evaluator; the caller holds the lease."""
        column = evaluations.c
        await self._scope.run(
            sa.delete(evaluations).where(
                *self._of(user_id, new.session_id), column.evaluation_name == new.evaluation_name
            )
        )
        row = new.model_dump() | {"org_id": self._scope.org_id, "user_id": user_id}
        await self._scope.run(evaluations.insert(), row)

    async def judged_at(self, user_id: UserId, session_id: SessionId) -> dict[str, datetime]:
        """Return when a session was last judged, by the name of the evaluator."""
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
        return await each(lambda row: Evaluation.model_validate(row._mapping, extra="ignore"), rows)

    def _of(self, user_id: UserId, session_id: SessionId) -> tuple[sa.ColumnElement[bool], ...]:
        column = evaluations.c
        return (
            column.org_id == self._scope.org_id,
            column.session_id == session_id,
            column.user_id == user_id,
        )
