"""Rename a conversation whose title quotes a message that is deleted."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa

from sagacity.domain.chat import title_of
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import interactions, memories, sessions
from sagacity.storage.statements.array_params import one_of

Titles = Mapping[tuple[UserId, SessionId], str]


@asynccontextmanager
async def titles_made_again(
    scope: Scope, of_sessions: Sequence[tuple[UserId, SessionId]]
) -> AsyncGenerator[None]:
    """
    After the block, make titles that quoted the first message quote the new first one; without one, remove the title.

    The title of the conversation's episode is removed too; the next summary gives it another.
    """
    rows = await _first_messages(scope, of_sessions)
    quoting = {(row.user_id, row.session_id): row.title for row in rows if row.title == title_of(row.content)}
    yield
    await _make_again(scope, quoting)


async def _make_again(scope: Scope, before: Titles) -> None:
    rows = await _first_messages(scope, list(before))
    first = {(row.user_id, row.session_id): title_of(row.content) for row in rows}
    for (user_id, session_id), title in before.items():
        new = first.get((user_id, session_id), "")
        if new == title:
            continue
        column = sessions.c
        is_it = (column.org_id == scope.org_id, column.user_id == user_id, column.session_id == session_id)
        changed = sa.update(sessions).where(*is_it).values(title=new).returning(column.episode_id)
        for row in await scope.all(changed):
            await _forget_title(scope, row.episode_id)


async def _first_messages(
    scope: Scope, of_sessions: Sequence[tuple[UserId, SessionId]]
) -> Sequence[sa.Row[Any]]:
    if not of_sessions:
        return []
    turn, session, earlier = interactions.c, sessions.c, interactions.alias()
    is_first = ~sa.exists().where(
        earlier.c.org_id == turn.org_id,
        earlier.c.user_id == turn.user_id,
        earlier.c.session_id == turn.session_id,
        sa.func.lower(earlier.c.role) == "user",
        earlier.c.seq < turn.seq,
    )
    same = sa.and_(
        session.org_id == turn.org_id,
        session.user_id == turn.user_id,
        session.session_id == turn.session_id,
    )
    statement = (
        sa.select(turn.user_id, turn.session_id, turn.content, session.title)
        .join_from(interactions, sessions, same)
        .where(
            turn.org_id == scope.org_id,
            one_of(turn.user_id, {user_id for user_id, _ in of_sessions}),
            one_of(turn.session_id, {session_id for _, session_id in of_sessions}),
            session.title != "",
            sa.func.lower(turn.role) == "user",
            is_first,
        )
    )
    return await scope.all(statement)


async def _forget_title(scope: Scope, memory_id: int | None) -> None:
    column = memories.c
    is_it = (column.org_id == scope.org_id, column.memory_id == memory_id)
    rows = await scope.all(
        scope.locked(sa.select(column.attributes).where(*is_it, column.kind == str(MemoryKind.EPISODIC)))
    )
    for row in rows:
        attributes = dict(row.attributes)
        attributes["episode"] = {**(attributes.get("episode") or {}), "title": ""}
        await scope.run(sa.update(memories).where(*is_it).values(attributes=attributes))
