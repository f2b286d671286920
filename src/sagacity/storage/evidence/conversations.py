"""Conversations: the sessions that the chat leads, and their exchanges."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.chat import Conversation, Exchange, ExchangeStatus
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import MemoryId, SessionId, UserId
from sagacity.domain.paced import each
from sagacity.storage.base import Scope
from sagacity.storage.evidence.shown_turns import counts_of
from sagacity.storage.quarantine.unheld import SHOWS_HELD
from sagacity.storage.schema.tables import exchanges, interactions, requests, sessions
from sagacity.storage.statements.array_params import one_of

_ADD_EXCHANGE = exchanges.insert()


class ConversationRepository:
    """A tenant's conversations."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, conversation: Conversation) -> None:
        """
        Create a conversation.

        Raises:
            Conflict: there is a session with that id.
        """
        made = await self._scope.run(
            self._scope.insert_new(sessions),
            {"org_id": self._scope.org_id, "is_conversation": True, **conversation.model_dump()},
        )
        if not made:
            raise Conflict(f"there is already a session {conversation.session_id!r}")

    async def get(self, user_id: UserId, session_id: SessionId, *, lock: bool = False) -> Conversation:
        """
        Return one conversation of a user; *lock* keeps others from changing it before the transaction ends.

        Raises:
            NotFound: the user has no such conversation.
        """
        statement = sa.select(sessions).where(*self._one(user_id, session_id))
        rows = await self._scope.all(self._scope.locked(statement) if lock else statement)
        if not rows:
            raise NotFound(f"no conversation {session_id!r}")
        [found] = await self._shown([_conversation_of(rows[0])])
        return found

    async def page(
        self,
        user_id: UserId,
        *,
        is_archived: bool,
        title: str = "",
        before: tuple[datetime, SessionId] | None = None,
        limit: int,
        offset: int = 0,
    ) -> list[Conversation]:
        """
        Return a user's conversations, the most recently changed first.

        Args:
            user_id: the user.
            is_archived: whether to return the archived ones or the others.
            title: a text that the title contains, ignoring case.
            before: the time of change and the id of the last conversation of the previous page.
            limit: the most conversations.
            offset: how many to skip.
        """
        column = sessions.c
        wanted = await self._wanted(user_id, is_archived=is_archived, title=title)
        if before is not None:
            wanted.append(sa.tuple_(column.updated_at, column.session_id) < sa.tuple_(*_keyed(before)))
        newest_first = (column.updated_at.desc(), column.session_id.desc())
        statement = sa.select(sessions).where(*wanted).order_by(*newest_first).limit(limit).offset(offset)
        return await self._shown([_conversation_of(row) for row in await self._scope.all(statement)])

    async def count(self, user_id: UserId, *, is_archived: bool, title: str = "") -> int:
        """Return how many conversations `page` returns over all pages."""
        wanted = await self._wanted(user_id, is_archived=is_archived, title=title)
        rows = await self._scope.all(sa.select(sa.func.count()).where(*wanted))
        return rows[0][0]

    async def change(self, user_id: UserId, session_id: SessionId, values: Mapping[str, Any]) -> Conversation:
        """
        Change columns of a conversation, and return it.

        Raises:
            NotFound: the user has no such conversation.
        """
        changed = {**values, "updated_at": self._scope.clock.now()}
        rows = await self._scope.all(
            sa.update(sessions).where(*self._one(user_id, session_id)).values(changed).returning(sessions)
        )
        if not rows:
            raise NotFound(f"no conversation {session_id!r}")
        return _conversation_of(rows[0])

    async def _shown(self, found: Sequence[Conversation]) -> list[Conversation]:
        """Return conversations, without titles and summaries that rest on held turns if those are hidden."""
        if not self._scope.hides_held or not found:
            return list(found)
        column = requests.c
        has_held = sa.exists().where(
            interactions.c.org_id == column.org_id,
            interactions.c.request_id == column.request_id,
            interactions.c.is_held,
        )
        rest_on_it = sa.select(column.session_id, column.user_id, column.is_held).where(
            column.org_id == self._scope.org_id,
            one_of(column.session_id, [one.session_id for one in found]),
            sa.or_(column.is_held, has_held.correlate(requests)),
        )
        rows = await self._scope.all(rest_on_it.distinct().execution_options(**SHOWS_HELD))
        held: dict[tuple[SessionId, UserId], dict[str, str]] = {}
        for row in sorted(rows, key=lambda row: row.is_held):  # titles rest on one turn, summaries on all
            held[row.session_id, row.user_id] = {"summary": "", **({"title": ""} if row.is_held else {})}
        return [one.model_copy(update=held.get((one.session_id, one.user_id), {})) for one in found]

    async def count_message(self, user_id: UserId, session_id: SessionId, tokens: int) -> None:
        """Add the tokens of a new message, right after its turn was appended, which counted the message."""
        given = {"of_org": self._scope.org_id, "of_session": session_id, "of_user": user_id}
        await self._scope.run(_count_message(), given | {"tokens": tokens})

    async def with_counts(self, user_id: UserId, found: Sequence[Conversation]) -> list[Conversation]:
        """
        Return conversations of a user with the number of messages they show now, and the tokens of these.

        The counts stored with a conversation only grow: they include replaced answers and deleted messages.
        """
        statement = counts_of(self._scope.org_id, user_id, [one.session_id for one in found])
        counts = {row.session_id: row for row in await self._scope.all(statement)} if found else {}
        return [
            one.model_copy(
                update={"message_count": row.messages, "token_count": row.tokens}
                if (row := counts.get(one.session_id))
                else {"message_count": 0, "token_count": 0}
            )
            for one in found
        ]

    async def unsummarized(self, user_id: UserId, *, limit: int) -> list[Conversation]:
        """Return up to *limit* conversations with messages since their last summary, oldest first."""
        given = {"org_id": self._scope.org_id, "user_id": user_id, "limit": limit}
        return [_conversation_of(row) for row in await self._scope.all(_unsummarized(), given)]

    async def keep_summary(
        self,
        before: Conversation,
        *,
        summary: str,
        seq: int,
        count: int | None = None,
        episode_id: MemoryId | None,
    ) -> None:
        """
        Store the summary of a conversation.

        Args:
            before: the conversation as it was read; later messages are not in the summary.
            summary: the summary of the whole conversation.
            seq: the last turn that the summary covers.
            count: how many more messages it covers than the last summary; None: all messages of *before*.
            episode_id: the memory that holds the summary.
        """
        await self._scope.run(
            sa.update(sessions)
            .where(*self._one(before.user_id, before.session_id))
            .values(
                summary=summary,
                summarized_seq=seq,
                summarized_count=before.message_count if count is None else before.summarized_count + count,
                summarized_tokens=before.token_count if count is None else before.summarized_tokens,
                episode_id=episode_id,
            )
        )

    async def pass_over(self, user_id: UserId, *, seq: int) -> None:
        """Mark a user's conversations up to turn *seq* as summarised, so that they never are."""
        column = sessions.c
        await self._scope.run(
            sa.update(sessions)
            .where(
                column.org_id == self._scope.org_id,
                column.user_id == user_id,
                column.is_conversation,
                column.message_count > column.summarized_count,
            )
            .values(
                summarized_seq=seq,
                summarized_count=column.message_count,
                summarized_tokens=column.token_count,
            )
        )

    async def remove(self, user_id: UserId, session_id: SessionId) -> None:
        """Delete a conversation without turns, with its exchanges."""
        await self._scope.run(sa.delete(sessions).where(*self._one(user_id, session_id)))

    def _one(self, user_id: UserId, session_id: SessionId) -> tuple[sa.ColumnElement[bool], ...]:
        column = sessions.c
        return (
            column.org_id == self._scope.org_id,
            column.user_id == user_id,
            column.session_id == session_id,
            column.is_conversation,
        )

    async def _wanted(
        self, user_id: UserId, *, is_archived: bool, title: str
    ) -> list[sa.ColumnElement[bool]]:
        column = sessions.c
        wanted = [
            column.org_id == self._scope.org_id,
            column.user_id == user_id,
            column.is_conversation,
            column.is_archived == is_archived,
        ]
        if title:
            # Compared here, as databases may fold the case of ASCII only.
            rows = await self._scope.all(sa.select(column.session_id, column.title).where(*wanted))
            titles, sought = await each(lambda row: _folded(row.title), rows), _folded(title)
            found = [row.session_id for row, one in zip(rows, titles, strict=True) if sought in one]
            wanted.append(one_of(column.session_id, found))
        return wanted


class ExchangeRepository:
    """A tenant's exchanges. A conversation has at most one that is running: starting one locks its session's row."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, exchange: Exchange) -> None:
        """Store a new exchange."""
        values = exchange.model_dump(mode="python")
        await self._scope.run(_ADD_EXCHANGE, {"org_id": self._scope.org_id, **_plain(values)})

    async def find(self, exchange_id: str, *, user_id: UserId | None = None) -> Exchange:
        """
        Return one exchange.

        Raises:
            NotFound: there is none with that id, or it is not that of *user_id*.
        """
        given = {"org_id": self._scope.org_id, "exchange_id": exchange_id, "user_id": user_id}
        rows = await self._scope.all(_exchange(of_user=user_id is not None), given)
        if not rows:
            raise NotFound(f"no answer {exchange_id!r}")
        return _exchange_of(rows[0])

    async def running(self, user_id: UserId, session_id: SessionId) -> Exchange | None:
        """Return the exchange of a conversation whose answer is being written, if any."""
        rows = await self._scope.all(
            sa.select(exchanges)
            .where(*self._of(user_id, session_id), exchanges.c.status == str(ExchangeStatus.RUNNING))
            .limit(1)
        )
        return _exchange_of(rows[0]) if rows else None

    async def left(self, *, limit: int) -> list[Exchange]:
        """Return up to *limit* exchanges, of any user, whose answers have not ended although nobody writes them."""
        is_left = exchanges.c.held_until <= self._scope.clock.now()
        rows = await self._scope.all(
            sa.select(exchanges)
            .where(exchanges.c.org_id == self._scope.org_id, sa.text("status = 'running'"), is_left)
            .limit(limit)
        )
        return [_exchange_of(row) for row in rows]

    async def last(self, user_id: UserId, session_id: SessionId) -> Exchange | None:
        """Return the last exchange of a conversation, if any."""
        rows = await self._scope.all(
            sa.select(exchanges)
            .where(*self._of(user_id, session_id))
            .order_by(exchanges.c.created_at.desc(), exchanges.c.exchange_id.desc())
            .limit(1)
        )
        return _exchange_of(rows[0]) if rows else None

    async def of_requests(self, request_ids: Sequence[str]) -> list[Exchange]:
        """Return the exchanges that published some of *request_ids*, oldest first."""
        if not request_ids:
            return []
        rows = await self._scope.all(
            sa.select(exchanges)
            .where(exchanges.c.org_id == self._scope.org_id, one_of(exchanges.c.request_id, request_ids))
            .order_by(exchanges.c.created_at, exchanges.c.exchange_id)
        )
        return [_exchange_of(row) for row in rows]

    async def write(
        self,
        exchange_id: str,
        owner: str,
        values: Mapping[str, Any],
        *,
        expired_by: datetime | None = None,
    ) -> bool:
        """
        Change a running exchange that *owner* writes.

        Args:
            exchange_id: the exchange.
            owner: the process that writes it.
            values: the new values, by column.
            expired_by: change it only if *owner*'s hold has expired by then.

        Returns:
            Whether it was changed; not if it was marked as interrupted or deleted, or if its owner renewed the hold.
        """
        new = _plain(values) | {"updated_at": self._scope.clock.now()}
        given: dict[str, Any] = {
            "of_org": self._scope.org_id,
            "of_exchange": exchange_id,
            "of_owner": owner,
        }
        if expired_by is not None:
            given["expired_by"] = expired_by
        statement = _change_running(tuple(sorted(new)), if_expired=expired_by is not None)
        return bool(await self._scope.run(statement, given | _as_new(new)))

    async def keep(
        self, exchange_id: str, owner: str, values: Mapping[str, Any], held_until: datetime
    ) -> Exchange | None:
        """
        Store what is written of an answer and what it draws on, and renew the hold of its owner.

        Returns:
            The exchange as it is now; None if *owner* no longer holds it.
        """
        new = _plain(values) | {"held_until": held_until}
        given = {"of_org": self._scope.org_id, "of_exchange": exchange_id, "of_owner": owner}
        rows = await self._scope.all(_keep_running(tuple(sorted(new))), given | _as_new(new))
        return _exchange_of(rows[0]) if rows else None

    async def note_read(self, exchange_id: str) -> None:
        """Note that somebody reads an answer through a process other than its owner."""
        await self._scope.run(
            sa.update(exchanges)
            .where(*self._one(exchange_id), exchanges.c.status == str(ExchangeStatus.RUNNING))
            .values(read_at=self._scope.clock.now())
        )

    async def request_stop(self, exchange_id: str) -> bool:
        """Ask the process that writes the answer to stop; returns whether the exchange was running."""
        changed = await self._scope.run(
            sa.update(exchanges)
            .where(*self._one(exchange_id), exchanges.c.status == str(ExchangeStatus.RUNNING))
            .values(stop_requested=True)
        )
        return bool(changed)

    async def replace(self, request_id: str, exchange_id: str) -> None:
        """Mark all other answers to the same message as replaced by this exchange's."""
        given = {"of_org": self._scope.org_id, "of_request": request_id, "but": exchange_id}
        await self._scope.run(_replace_others(), given)

    def _one(self, exchange_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return exchanges.c.org_id == self._scope.org_id, exchanges.c.exchange_id == exchange_id

    def _of(self, user_id: UserId, session_id: SessionId) -> tuple[sa.ColumnElement[bool], ...]:
        return (
            exchanges.c.org_id == self._scope.org_id,
            exchanges.c.session_id == session_id,
            exchanges.c.user_id == user_id,
        )


def _folded(title: str) -> str:
    return unicodedata.normalize("NFKC", title).casefold()


def _conversation_of(row: Any) -> Conversation:
    return Conversation.model_validate(row._mapping, extra="ignore")


def _exchange_of(row: Any) -> Exchange:
    return Exchange.model_validate(row._mapping, extra="ignore")


def _keyed(before: tuple[datetime, SessionId]) -> tuple[Any, Any]:
    at, session_id = before
    return (
        sa.literal(at, sessions.c.updated_at.type),
        sa.literal(session_id, sessions.c.session_id.type),
    )


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as columns store them: lists as JSON."""
    return {
        name: [one if isinstance(one, dict) else one.model_dump(mode="json") for one in value]
        if name in {"memories", "citations"}
        else dict(value)
        if name == "timings"
        else str(value)
        if name in {"status", "request_type"}
        else value
        for name, value in values.items()
    }


@cache
def _exchange(*, of_user: bool) -> sa.Select[*tuple[Any, ...]]:
    column = exchanges.c
    statement = sa.select(exchanges).where(
        column.org_id == sa.bindparam("org_id"), column.exchange_id == sa.bindparam("exchange_id")
    )
    return statement.where(column.user_id == sa.bindparam("user_id")) if of_user else statement


@cache
def _unsummarized() -> sa.Select[*tuple[Any, ...]]:
    column = sessions.c
    return (
        sa.select(sessions)
        .where(
            column.org_id == sa.bindparam("org_id"),
            column.user_id == sa.bindparam("user_id"),
            column.is_conversation,
            column.message_count > column.summarized_count,
        )
        .order_by(column.updated_at, column.session_id)
        .limit(sa.bindparam("limit"))
    )


@cache
def _count_message() -> sa.Update:
    column = sessions.c
    return (
        sa.update(sessions)
        .where(
            column.org_id == sa.bindparam("of_org"),
            column.session_id == sa.bindparam("of_session"),
            column.user_id == sa.bindparam("of_user"),
        )
        .values(
            token_count=column.token_count + sa.bindparam("tokens"),
            last_message_at=column.updated_at,
        )
    )


@cache
def _change_running(names: tuple[str, ...], *, if_expired: bool) -> sa.Update:
    """Return the statement that sets columns of a running exchange to the values of `_as_new`."""
    column = exchanges.c
    statement = sa.update(exchanges).where(
        column.org_id == sa.bindparam("of_org"),
        column.exchange_id == sa.bindparam("of_exchange"),
        column.owner == sa.bindparam("of_owner"),
        column.status == str(ExchangeStatus.RUNNING),
    )
    if if_expired:
        statement = statement.where(column.held_until <= sa.bindparam("expired_by"))
    return statement.values({name: sa.bindparam(f"new_{name}", type_=column[name].type) for name in names})


@cache
def _keep_running(names: tuple[str, ...]) -> Any:
    return _change_running(names, if_expired=False).returning(exchanges)


def _as_new(values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"new_{name}": value for name, value in values.items()}


@cache
def _replace_others() -> sa.Update:
    column = exchanges.c
    others = sa.and_(
        column.org_id == sa.bindparam("of_org"),
        column.request_id == sa.bindparam("of_request"),
        column.exchange_id != sa.bindparam("but"),
    )
    return sa.update(exchanges).where(others).values(is_replaced=True)
