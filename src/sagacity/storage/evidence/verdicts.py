"""Delete verdicts that may quote deleted turns."""

from collections.abc import Sequence

import sqlalchemy as sa

from sagacity.domain.ids import SessionId, UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import evaluations, interactions, sessions
from sagacity.storage.statements.array_params import one_of


async def held_sessions(scope: Scope, *turns: sa.ColumnElement[bool]) -> list[tuple[UserId, SessionId]]:
    """
    Lock and return the sessions that hold any of *turns*, so that none is judged before the transaction ends.

    Call it before anything is deleted: a publish takes its locks in the same order, sessions first.
    """
    column = interactions.c
    rows = await scope.all(
        sa.select(column.user_id, column.session_id)
        .where(column.org_id == scope.org_id, column.session_id.is_not(None), *turns)
        .distinct()
    )
    found = sorted((UserId(row.user_id), SessionId(row.session_id)) for row in rows)
    if found and scope.backend.locks_rows:
        session = sessions.c
        statement = sa.select(session.session_id).where(
            session.org_id == scope.org_id,
            one_of(session.session_id, {session_id for _, session_id in found}),
            one_of(session.user_id, {user_id for user_id, _ in found}),
        )
        in_order = statement.order_by(session.session_id.collate("C"), session.user_id.collate("C"))
        await scope.all(scope.locked(in_order))
    return found


async def forget_verdicts(scope: Scope, of_sessions: Sequence[tuple[UserId, SessionId]]) -> None:
    """Delete all verdicts on these users' sessions."""
    if not of_sessions:
        return
    column = evaluations.c
    statement = sa.delete(evaluations).where(
        column.org_id == scope.org_id,
        column.session_id == sa.bindparam("session"),
        column.user_id == sa.bindparam("user"),
    )
    await scope.run(statement, [{"session": session, "user": user} for user, session in of_sessions])


async def delete_verdicts(scope: Scope, *conditions: sa.ColumnElement[bool]) -> None:
    """Delete the tenant's verdicts that meet *conditions*."""
    await scope.run(sa.delete(evaluations).where(evaluations.c.org_id == scope.org_id, *conditions))
