"""Cursors, leases and dead letters."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.cursor import (
    LEARN,
    REGENERATE,
    Cursor,
    DeadLetter,
    DeadLetterStatus,
    Lease,
    LogHead,
    Window,
)
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.memory import Status
from sagacity.domain.quota import QuotaName
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import cursors, dead_letters, interactions, leases, requests, users
from sagacity.storage.statements.array_params import among, one_of
from sagacity.storage.statements.user_key import user_key, user_of

_LEASE_KEY = [leases.c.org_id, leases.c.task, leases.c.user_id]


class CursorRepository:
    """Cursors of a tenant's learners, and when each user's log is due."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def of_user(self, user_id: UserId, version: Status = Status.CURRENT) -> dict[str, Cursor]:
        """Return how far each learner has read a user's log for *version*, by the learner's name."""
        given = {"org_id": self._scope.org_id, "user_id": user_id, "version": str(version)}
        rows = await self._scope.all(_cursors_of(), given)
        found = (Cursor.model_validate(row._mapping, extra="ignore") for row in rows)
        return {cursor.learner: cursor for cursor in found}

    async def save(self, cursor: Cursor, *, read: Cursor | None = None) -> None:
        """
        Write a cursor, unless it is already further.

        Args:
            cursor: its new values.
            read: the cursor when the finished window was read.

        Raises:
            Conflict: the stored cursor is not *read*, so the window was finished before, perhaps by a commit whose
                answer was lost. The transaction must not commit.
        """
        column = cursors.c
        key = self._key(cursor)
        values = cursor.model_dump(exclude={"updated_at", *key}) | {"updated_at": self._scope.clock.now()}
        where = column.seq <= cursor.seq
        if read is not None:
            where = sa.and_(column.seq == read.seq, column.attempts == read.attempts)
        if read is not None and (
            read.seq or read.attempts
        ):  # it existed; it may have been deleted with its version
            same = [column[name] == value for name, value in key.items()]
            written = await self._scope.run(sa.update(cursors).where(*same, where).values(values))
        else:
            insert = self._scope.insert(cursors).values(key | values)
            found = await self._scope.all(
                insert.on_conflict_do_update(
                    index_elements=[column[name] for name in key], set_=values, where=where
                ).returning(column.seq)
            )
            written = len(found)
        if read is not None and not written:
            raise Conflict(f"the window of {cursor.learner!r} was finished by another worker")

    def _key(self, cursor: Cursor) -> dict[str, str]:
        """Return the values of a cursor's primary key by column."""
        return {
            "org_id": self._scope.org_id,
            "user_id": cursor.user_id,
            "kind": str(cursor.kind),
            "extractor_name": cursor.extractor_name,
            "version": str(cursor.version),
        }

    async def log_head(self, user_id: UserId | None) -> LogHead:
        """
        Return how long the user's log is and when it is due; all empty for an unknown user.

        For the organisation itself, return when it is due.
        """
        rows = await self._scope.all(_head_of(), {"org_id": self._scope.org_id, "user_id": user_key(user_id)})
        return LogHead.model_validate(rows[0]._mapping) if rows else LogHead()

    async def forced_after(self, user_id: UserId, seq: int) -> bool:
        """Return whether a request after *seq* asked to be learned from at once."""
        given = {"org_id": self._scope.org_id, "user_id": user_id, "seq": seq}
        return bool(await self._scope.all(_forced_after(), given))

    async def set_due(
        self, user_id: UserId | None, due_at: datetime | None, *, head: LogHead | None = None
    ) -> bool:
        """
        Set when the user's log is due; None for never.

        Args:
            user_id: the user; None: the organisation itself.
            due_at: the time.
            head: the log as the caller saw it. If it has grown since, or became due for another reason, nothing is
                changed.

        Returns:
            Whether it was changed.
        """
        given = {"of_org": self._scope.org_id, "of_user": user_key(user_id), "new": due_at}
        if head is not None:
            given |= {"end": head.end, "before": head.due_at}
        return bool(await self._scope.run(_due(only_as_seen=head is not None), given))

    async def ensure_due(self, user_id: UserId | None, due_at: datetime | None = None) -> None:
        """
        Make the user's log due, and create it if it is missing.

        Args:
            user_id: the user; None: the organisation itself.
            due_at: the latest time; a log that is due sooner does not change. None: now, and again if a worker is
                handling it at this moment.
        """
        now, insert = self._scope.clock.now(), self._scope.insert(users)
        is_later = sa.or_(users.c.due_at.is_(None), users.c.due_at > insert.excluded.due_at)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[users.c.org_id, users.c.user_id],
                set_={"due_at": insert.excluded.due_at},
                where=None if due_at is None else is_later,
            ).returning(users.c.created_at, users.c.last_seq),
            {
                "org_id": self._scope.org_id,
                "user_id": user_key(user_id),
                "last_seq": 0,
                "due_at": due_at or now,
                "created_at": now,
                "updated_at": now,
            },
        )
        if user_id is not None and any(row.created_at == now and not row.last_seq for row in rows):
            self._scope.added.note(QuotaName.USERS)

    async def list_due(self, *, limit: int) -> list[UserId | None]:
        """Return due users, longest due first; None stands for the organisation itself."""
        rows = await self._scope.all(
            sa.select(users.c.user_id)
            .where(users.c.org_id == self._scope.org_id, users.c.due_at <= self._scope.clock.now())
            .order_by(users.c.due_at)
            .limit(limit)
        )
        return [user_of(row.user_id) for row in rows]


class LeaseRepository:
    """Leases: exclusive rights to work. A lapsed lease can be taken over."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def claim(
        self, task: str, owner: str, seconds: float, *, user_id: UserId | None = ORGANISATION
    ) -> Lease | None:
        """Acquire or renew the lease; None while another holds it. A new holder gets a higher fencing number."""
        now = self._scope.clock.now()
        rows = await self._scope.all(
            self._scope.upsert(_claim),
            {
                "org_id": self._scope.org_id,
                "task": task,
                "user_id": user_key(user_id),
                "owner": owner,
                "fencing": 1,
                "expires_at": now + timedelta(seconds=seconds),
                "now": now,
            },
        )
        return (
            Lease.model_validate({**rows[0]._mapping, "user_id": user_id}, extra="ignore") if rows else None
        )

    async def check(self, lease: Lease) -> None:
        """
        Check, inside the writing transaction, that the lease was not taken over.

        Raises:
            Conflict: the lease was taken over; the transaction must not commit.
        """
        if not await self._scope.run(_kept(), self._named(lease)):
            raise Conflict(f"the lease of {lease.task!r} was taken over")

    async def finish(self, lease: Lease) -> None:
        """
        Release the lease; its row keeps the fencing number, so that it only grows.

        If the user was erased meanwhile, the row is deleted.
        """
        named = self._named(lease)
        if lease.user_id is ORGANISATION or not await self._scope.run(_of_nobody(), named):
            await self._scope.run(_given_back(), named | {"now": self._scope.clock.now()})

    async def end_learning(self, user_ids: Sequence[UserId]) -> None:
        """
        Revoke the leases on learning from these users' logs; nobody can acquire one before the commit.

        A holder finds its lease lost when it tries to write.

        Args:
            user_ids: the users; empty for all users.
        """
        column = leases.c
        for task in (LEARN, REGENERATE):
            selected = sa.select(
                users.c.org_id,
                sa.literal(task),
                users.c.user_id,
                *(sa.literal(""), sa.literal(1), sa.literal(self._scope.clock.now(), column.expires_at.type)),
            ).where(users.c.org_id == self._scope.org_id, users.c.user_id != user_key(ORGANISATION))
            if user_ids:
                selected = selected.where(one_of(users.c.user_id, user_ids))
            names = ["org_id", "task", "user_id", "owner", "fencing", "expires_at"]
            insert = self._scope.insert(leases)
            ended = {"owner": "", "expires_at": insert.excluded.expires_at, "fencing": column.fencing + 1}
            await self._scope.run(
                insert.from_select(
                    names, selected.order_by(users.c.user_id), include_defaults=False
                ).on_conflict_do_update(index_elements=_LEASE_KEY, set_=ended)
            )

    async def end(self, task: str) -> None:
        """Revoke the lease of an organisation's task; nobody can acquire it before the commit."""
        column, insert = leases.c, self._scope.insert(leases)
        ended = {"owner": "", "expires_at": insert.excluded.expires_at, "fencing": column.fencing + 1}
        await self._scope.run(
            insert.on_conflict_do_update(index_elements=_LEASE_KEY, set_=ended),
            {
                "org_id": self._scope.org_id,
                "task": task,
                "user_id": user_key(ORGANISATION),
                "owner": "",
                "fencing": 1,
                "expires_at": self._scope.clock.now(),
            },
        )

    def _named(self, lease: Lease) -> dict[str, Any]:
        return {
            "of_org": self._scope.org_id,
            "of_task": lease.task,
            "of_user": user_key(lease.user_id),
            "of_owner": lease.owner,
            "of_fencing": lease.fencing,
        }


class DeadLetterRepository:
    """Dead letters: windows that learners gave up, until someone replays them."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(
        self,
        learner: str,
        window: Window,
        *,
        attempts: int,
        error_kind: str,
        error: str,
        status: DeadLetterStatus = DeadLetterStatus.PARKED,
    ) -> None:
        """Park a window with its last error, replacing its earlier dead letter."""
        now = self._scope.clock.now()
        column = dead_letters.c
        same = sa.and_(
            column.org_id == self._scope.org_id,
            column.learner == learner,
            column.user_id == window.user_id,
            column.first_seq == window.first_seq,
            column.last_seq == window.last_seq,
        )
        values: dict[str, Any] = {
            "attempts": attempts,
            "error_kind": error_kind,
            "error": error,
            "status": str(status),
            "updated_at": now,
        }
        if await self._scope.run(sa.update(dead_letters).where(same).values(values)):
            return
        await self._scope.run(
            dead_letters.insert(),
            values
            | {
                "org_id": self._scope.org_id,
                "learner": learner,
                "user_id": window.user_id,
                "first_seq": window.first_seq,
                "last_seq": window.last_seq,
                "created_at": now,
            },
        )

    async def list_newest(
        self,
        *,
        user_id: UserId | None = None,
        statuses: Sequence[DeadLetterStatus] = (),
        limit: int = 100,
    ) -> list[DeadLetter]:
        """Return dead letters, newest first."""
        given: dict[str, Any] = {"org_id": self._scope.org_id, "limit": limit}
        if user_id is not None:
            given["user_id"] = user_id
        if statuses:
            given["statuses"] = [str(status) for status in statuses]
        statement = _newest_letters(of_user=user_id is not None, of_statuses=bool(statuses))
        rows = await self._scope.all(statement, given)
        return [DeadLetter.model_validate(row._mapping, extra="ignore") for row in rows]

    async def replay(self, dead_letter_id: int) -> DeadLetter:
        """
        Queue one parked window to be learned from again, and make its user due.

        Raises:
            NotFound: the tenant has none with that number.
            Conflict: the window is queued, or was replayed already.
        """
        column = dead_letters.c
        mine = sa.and_(column.org_id == self._scope.org_id, column.dead_letter_id == dead_letter_id)
        rows = await self._scope.all(sa.select(dead_letters).where(mine))
        if not rows:
            raise NotFound(f"no dead letter {dead_letter_id}")
        letter = DeadLetter.model_validate(rows[0]._mapping, extra="ignore")
        if letter.status is not DeadLetterStatus.PARKED:
            raise Conflict(f"dead letter {dead_letter_id} is already {letter.status}")
        await self.mark(dead_letter_id, DeadLetterStatus.QUEUED, was=DeadLetterStatus.PARKED)
        now = self._scope.clock.now()
        await self._scope.run(
            sa.update(users)
            .where(users.c.org_id == self._scope.org_id, users.c.user_id == letter.user_id)
            .values(due_at=now)
        )
        return letter.model_copy(update={"status": DeadLetterStatus.QUEUED, "updated_at": now})

    async def queue_released(self) -> None:
        """Queue held windows of which no turn is held any more, and make their users due."""
        column, turn, now = dead_letters.c, interactions.c, self._scope.clock.now()
        still = sa.exists().where(
            turn.org_id == column.org_id,
            turn.user_id == column.user_id,
            turn.seq.between(column.first_seq, column.last_seq),
            turn.is_held,
        )
        queued = await self._scope.all(
            sa.update(dead_letters)
            .where(
                column.org_id == self._scope.org_id,
                column.status == str(DeadLetterStatus.HELD),
                ~still.correlate(dead_letters),
            )
            .values(status=str(DeadLetterStatus.QUEUED), updated_at=now)
            .returning(column.user_id)
        )
        theirs = one_of(users.c.user_id, sorted({row.user_id for row in queued}))
        if queued:
            await self._scope.run(
                sa.update(users).where(users.c.org_id == self._scope.org_id, theirs).values(due_at=now)
            )

    async def mark(self, dead_letter_id: int, status: DeadLetterStatus, *, was: DeadLetterStatus) -> None:
        """
        Change the state of a dead letter.

        Raises:
            Conflict: its state is not *was*, because someone else changed it meanwhile.
        """
        column = dead_letters.c
        moved = await self._scope.run(
            sa.update(dead_letters)
            .where(
                column.org_id == self._scope.org_id,
                column.dead_letter_id == dead_letter_id,
                column.status == str(was),
            )
            .values(status=str(status), updated_at=self._scope.clock.now())
        )
        if not moved:
            raise Conflict(f"dead letter {dead_letter_id} is not {was} any more")


@cache
def _cursors_of() -> sa.Select[*tuple[Any, ...]]:
    column = cursors.c
    return sa.select(cursors).where(
        column.org_id == sa.bindparam("org_id"),
        column.user_id == sa.bindparam("user_id"),
        column.version == sa.bindparam("version"),
    )


@cache
def _head_of() -> sa.Select[*tuple[Any, ...]]:
    column = users.c
    return sa.select(
        column.last_seq.label("end"), column.updated_at.label("last_publish_at"), column.due_at
    ).where(column.org_id == sa.bindparam("org_id"), column.user_id == sa.bindparam("user_id"))


@cache
def _forced_after() -> sa.Select[*tuple[Any, ...]]:
    column = requests.c
    return (
        sa.select(column.request_id)
        .where(
            column.org_id == sa.bindparam("org_id"),
            column.user_id == sa.bindparam("user_id"),
            column.last_seq > sa.bindparam("seq"),
            column.force_extraction.is_(True),
        )
        .limit(1)
    )


@cache
def _due(*, only_as_seen: bool) -> sa.Update:
    column = users.c
    statement = sa.update(users).where(
        column.org_id == sa.bindparam("of_org"), column.user_id == sa.bindparam("of_user")
    )
    if only_as_seen:
        seen = sa.bindparam("before", type_=column.due_at.type)
        statement = statement.where(
            column.last_seq == sa.bindparam("end"), column.due_at.is_not_distinct_from(seen)
        )
    return statement.values(due_at=sa.bindparam("new", type_=column.due_at.type))


def _claim(insert: Callable[[sa.Table], Any]) -> Any:
    row, column = insert(leases), leases.c
    is_own = column.owner == row.excluded.owner
    lapsed = column.expires_at <= sa.bindparam("now", type_=column.expires_at.type)
    return row.on_conflict_do_update(
        index_elements=_LEASE_KEY,
        set_={
            "owner": row.excluded.owner,
            "expires_at": row.excluded.expires_at,
            "fencing": sa.case((is_own, column.fencing), else_=column.fencing + 1),
        },
        where=sa.or_(lapsed, is_own),
    ).returning(leases)


_IS_HELD = sa.and_(
    leases.c.org_id == sa.bindparam("of_org"),
    leases.c.task == sa.bindparam("of_task"),
    leases.c.user_id == sa.bindparam("of_user"),
    leases.c.owner == sa.bindparam("of_owner"),
    leases.c.fencing == sa.bindparam("of_fencing"),
)


@cache
def _kept() -> sa.Update:
    return sa.update(leases).where(_IS_HELD).values(expires_at=leases.c.expires_at)


@cache
def _of_nobody() -> sa.Delete:
    log = sa.exists().where(users.c.org_id == leases.c.org_id, users.c.user_id == leases.c.user_id)
    return sa.delete(leases).where(_IS_HELD, ~log)


@cache
def _given_back() -> sa.Update:
    return (
        sa.update(leases)
        .where(_IS_HELD)
        .values(expires_at=sa.bindparam("now", type_=leases.c.expires_at.type), owner="")
    )


@cache
def _newest_letters(*, of_user: bool, of_statuses: bool) -> sa.Select[*tuple[Any, ...]]:
    column = dead_letters.c
    statement = sa.select(dead_letters).where(column.org_id == sa.bindparam("org_id"))
    if of_user:
        statement = statement.where(column.user_id == sa.bindparam("user_id"))
    if of_statuses:
        statement = statement.where(among(column.status, "statuses"))
    return statement.order_by(column.dead_letter_id.desc()).limit(sa.bindparam("limit"))
