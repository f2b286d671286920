"""Users' logs and sessions grow: who appends counts them up, and holds their rows until the commit."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.interaction import NewRequest
from sagacity.storage.base import Scope
from sagacity.storage.tables import sessions, users


def _lengthen_log(insert: Callable[[sa.Table], Any]) -> Any:
    row = insert(users)
    return row.on_conflict_do_update(
        index_elements=[users.c.org_id, users.c.user_id],
        set_={
            "last_seq": users.c.last_seq + row.excluded.last_seq,
            "due_at": row.excluded.due_at,
            "updated_at": row.excluded.updated_at,
        },
    ).returning(users.c.user_id, users.c.last_seq)


def _touch_session(insert: Callable[[sa.Table], Any]) -> Any:
    row = insert(sessions)
    return row.on_conflict_do_update(
        index_elements=[sessions.c.org_id, sessions.c.session_id, sessions.c.user_id],
        set_={
            "message_count": sessions.c.message_count + row.excluded.message_count,
            "updated_at": row.excluded.updated_at,
        },
    )


async def claim_seq(scope: Scope, fresh: Sequence[NewRequest], now: datetime) -> dict[UserId, int]:
    """Reserve numbers in every user's log; the row stays locked until commit, so order is commit order."""
    counts: Counter[UserId] = Counter()
    for request in fresh:
        counts[request.user_id] += len(request.interactions)
    rows = await scope.all(
        scope.upsert(_lengthen_log),
        [
            {
                "org_id": scope.org_id,
                "user_id": user_id,
                "last_seq": count,
                "due_at": now,
                "created_at": now,
                "updated_at": now,
            }
            for user_id, count in sorted(counts.items())
        ],
    )
    return {row.user_id: row.last_seq - counts[row.user_id] + 1 for row in rows}


async def touch_sessions(scope: Scope, fresh: Sequence[NewRequest], now: datetime) -> None:
    """Count the turns of sessions up, and make those that are not there."""
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
            }
            for (session_id, user_id), count in sorted(counts.items())
        ],
    )
