"""Counters of users' logs and sessions; an append increases them and locks their rows until the commit."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.errors import Conflict
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.interaction import NewRequest
from sagacity.domain.quota import QuotaName
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import sessions, users
from sagacity.storage.statements.array_params import found_by
from sagacity.storage.statements.user_key import user_key


def _lengthen_log(insert: Callable[[sa.Table], Any]) -> Any:
    row = insert(users)
    return row.on_conflict_do_update(
        index_elements=[users.c.org_id, users.c.user_id],
        set_={
            "last_seq": users.c.last_seq + row.excluded.last_seq,
            "due_at": sa.case(
                (users.c.due_at < row.excluded.due_at, users.c.due_at), else_=row.excluded.due_at
            ),
            "updated_at": row.excluded.updated_at,
        },
        where=users.c.is_erasing.is_(False),
    ).returning(users.c.user_id, users.c.last_seq, users.c.created_at)


def _touch_session(insert: Callable[[sa.Table], Any]) -> Any:
    row = insert(sessions)
    return row.on_conflict_do_update(
        index_elements=[sessions.c.org_id, sessions.c.session_id, sessions.c.user_id],
        set_={
            "message_count": sessions.c.message_count + row.excluded.message_count,
            "updated_at": row.excluded.updated_at,
            "evaluate_after": row.excluded.evaluate_after,
            "evaluation_attempts": row.excluded.evaluation_attempts,
        },
    )


async def claim_seq(scope: Scope, fresh: Sequence[NewRequest], now: datetime) -> dict[UserId, int]:
    """
    Reserve numbers in each user's log and return the first of each.

    The user's row stays locked until the commit, so numbers follow the order of commits. The log becomes due after its
    quiet time, or at once if a request asks to be learned from at once.

    Raises:
        Conflict: a user is being erased.
    """
    counts: Counter[UserId] = Counter()
    for request in fresh:
        counts[request.user_id] += len(request.interactions)
    quiet_at = now + timedelta(seconds=scope.quiet_seconds)
    forced = {request.user_id for request in fresh if request.force_extraction}
    rows = await scope.all(
        scope.upsert(_lengthen_log),
        [
            {
                "org_id": scope.org_id,
                "user_id": user_id,
                "last_seq": count,
                "due_at": now if user_id in forced else quiet_at,
                "created_at": now,
                "updated_at": now,
            }
            for user_id, count in sorted(counts.items())
        ],
    )
    if len(rows) < len(counts):
        raise Conflict(
            "the user is being erased, and nothing is stored until that has ended; then send it again"
        )
    new = sum(row.created_at == now and row.last_seq == counts[row.user_id] for row in rows)
    if new:
        scope.added.note(QuotaName.USERS, new)
    return {row.user_id: row.last_seq - counts[row.user_id] + 1 for row in rows}


async def make_log(scope: Scope, user_id: UserId | None) -> None:
    """Create an empty log for a user unless there is one; None: the row that makes the organisation itself due."""
    now = scope.clock.now()
    made = await scope.run(
        scope.insert(users).on_conflict_do_nothing(),
        {
            "org_id": scope.org_id,
            "user_id": user_key(user_id),
            "last_seq": 0,
            "created_at": now,
            "updated_at": now,
        },
    )
    if user_id is not None and made > 0:
        scope.added.note(QuotaName.USERS)


async def make_due(scope: Scope, wanted: sa.Select[tuple[str]], due_at: datetime) -> None:
    """
    Make the logs of all users whom *wanted* selects due at *due_at*.

    Logs that are due already are changed too: a worker that is just finishing one notices by this that there is news.
    """
    chosen = sa.and_(users.c.org_id == scope.org_id, found_by(users.c.user_id, wanted.scalar_subquery()))
    if scope.backend.locks_rows:  # lock in the order in which appends do
        in_order = sa.select(users.c.user_id).where(chosen).order_by(users.c.user_id.collate("C"))
        await scope.all(in_order.with_for_update())
    await scope.run(sa.update(users).where(chosen).values(due_at=due_at))


async def touch_sessions(scope: Scope, fresh: Sequence[NewRequest], now: datetime) -> None:
    """Add to the turn counts of sessions, creating those that do not exist; each waits to be judged from now on."""
    counts: Counter[tuple[SessionId, UserId]] = Counter()
    for request in fresh:
        if request.session_id:
            counts[request.session_id, request.user_id] += len(request.interactions)
    if not counts:
        return
    await scope.run(
        scope.upsert(_touch_session),
        [
            {
                "org_id": scope.org_id,
                "session_id": session_id,
                "user_id": user_id,
                "message_count": count,
                "created_at": now,
                "updated_at": now,
                "evaluate_after": now,
                "evaluation_attempts": 0,
            }
            for (session_id, user_id), count in sorted(counts.items())
        ],
    )
