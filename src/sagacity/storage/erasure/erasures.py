"""Erasures of users: accepted, running, ended with a report."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.erasure import Erasure, ErasureReport, Withdrawn
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.evidence.users import make_log
from sagacity.storage.schema.tables import erasures, requests, search_scopes, sessions, users

_REQUESTS, _SESSIONS = 40, 20
SHORTEST_NEEDLE = 8
"""The shortest text worth searching for; shorter ones occur anywhere."""
_column = erasures.c


class ErasureRepository:
    """A tenant's erasures."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def hold(self, user_id: UserId) -> None:
        """Stop appends to the user's log, and work on it; the log is created if it does not exist."""
        await make_log(self._scope, user_id)
        mine = sa.and_(users.c.org_id == self._scope.org_id, users.c.user_id == user_id)
        await self._scope.run(sa.update(users).where(mine).values(is_erasing=True, due_at=None))

    async def take_empty(self, user_id: UserId) -> bool:
        """
        Insert the user's row if there is none, so that appends wait for the commit.

        Returns:
            Whether it was inserted, which means that the user has not come back.
        """
        now = self._scope.clock.now()
        insert = self._scope.insert(users).on_conflict_do_nothing()
        times = {"created_at": now, "updated_at": now}
        key = {"org_id": self._scope.org_id, "user_id": user_id}
        return bool(
            await self._scope.run(
                insert,
                key | times | {"last_seq": 0, "is_erasing": True},
            )
        )

    async def find_running(self, user_hash: str) -> str | None:
        """Return the id of the operation that is erasing the user now, or None."""
        rows = await self._scope.all(
            sa.select(_column.erasure_id).where(
                _column.org_id == self._scope.org_id,
                _column.user_hash == user_hash,
                _column.finished_at.is_(None),
            )
        )
        return rows[0].erasure_id if rows else None

    async def gone_since(self, since: datetime) -> dict[str, datetime]:
        """Return when the users erased at *since* or later were gone, by the hash of the user."""
        rows = await self._scope.all(_gone(), {"org_id": self._scope.org_id, "since": since})
        return {row.user_hash: row.gone_at for row in rows}

    async def add(self, erasure_id: str, *, user_hash: str, key_id: str, sealed: str) -> None:
        """Record that the operation with that id is to erase a user."""
        values = {"user_hash": user_hash, "key_id": key_id, "sealed": sealed}
        key = {"org_id": self._scope.org_id, "erasure_id": erasure_id}
        await self._scope.run(erasures.insert(), key | values | {"created_at": self._scope.clock.now()})

    async def get(self, erasure_id: str) -> Erasure:
        """
        Return one erasure; in a writing transaction its row is locked.

        Raises:
            NotFound: the tenant has no erasure with that id.
        """
        rows = await self._scope.all(self._scope.locked(sa.select(erasures).where(self._is(erasure_id))))
        if not rows:
            raise NotFound(f"no erasure {erasure_id!r}")
        return _erasure_of(rows[0])

    async def list_newest(self, *, limit: int) -> list[Erasure]:
        """Return erasures, the latest request first."""
        mine = sa.select(erasures).where(_column.org_id == self._scope.org_id)
        newest = mine.order_by(_column.created_at.desc(), _column.erasure_id.desc()).limit(limit)
        return [_erasure_of(row) for row in await self._scope.all(newest)]

    async def count(
        self, erasure_id: str, counts: dict[str, int], withdrawn: Sequence[Withdrawn] = ()
    ) -> None:
        """Add the counts of what this transaction deleted."""
        if not any(counts.values()) and not withdrawn:
            return
        found = await self.get(erasure_id)
        merged = {
            name: found.counts.get(name, 0) + counts.get(name, 0) for name in {**found.counts, **counts}
        }
        every = [one.model_dump(mode="json") for one in (*found.withdrawn, *withdrawn)]
        kept = {name: count for name, count in sorted(merged.items()) if count}
        await self._set(erasure_id, counts=kept, withdrawn=every)

    async def note_gone(self, erasure_id: str) -> None:
        """Record that the last row was deleted in this transaction."""
        await self._set(erasure_id, gone_at=self._scope.clock.now())

    async def seal_again(self, erasure_id: str, sealed: str) -> None:
        """Replace the sealed description of the user by what is known now."""
        await self._set(erasure_id, sealed=sealed)

    async def finish(self, erasure_id: str, report: ErasureReport) -> None:
        """Store the report, and delete everything else that is known of the user."""
        stored = report.model_dump(mode="json")
        await self._set(erasure_id, sealed=None, report=stored, finished_at=report.finished_at)

    async def needles(self, user_id: UserId) -> list[str]:
        """Return texts by which leftovers of a user can be found: ids that only this user's rows have."""
        mine = (requests.c.org_id == self._scope.org_id, requests.c.user_id == user_id)
        rows = await self._scope.all(
            sa.select(requests.c.request_id)
            .where(*mine)
            .order_by(requests.c.created_at.desc(), requests.c.request_id)
            .limit(_REQUESTS)
        )
        found = [user_id, *(row.request_id for row in rows)]
        other = sessions.alias()
        others = sa.exists().where(
            other.c.org_id == sessions.c.org_id,
            other.c.session_id == sessions.c.session_id,
            other.c.user_id != user_id,
        )
        rows = await self._scope.all(
            sa.select(sessions.c.session_id)
            .where(sessions.c.org_id == self._scope.org_id, sessions.c.user_id == user_id, ~others)
            .order_by(sessions.c.updated_at.desc(), sessions.c.session_id)
            .limit(_SESSIONS)
        )
        found += [row.session_id for row in rows]
        return [one for one in dict.fromkeys(found) if len(one) >= SHORTEST_NEEDLE]

    async def scope_ids(self, user_id: UserId) -> list[int]:
        """Return the numbers of the user's scopes in the search index."""
        column = search_scopes.c
        mine = (column.org_id == self._scope.org_id, column.user_id == user_id)
        return [row.scope_id for row in await self._scope.all(sa.select(column.scope_id).where(*mine))]

    async def is_user_back(self, user_id: UserId) -> bool:
        """Return whether the user has a log."""
        mine = (users.c.org_id == self._scope.org_id, users.c.user_id == user_id)
        return bool(await self._scope.all(sa.select(users.c.user_id).where(*mine)))

    async def _set(self, erasure_id: str, **values: object) -> None:
        await self._scope.run(sa.update(erasures).where(self._is(erasure_id)).values(**values))

    def _is(self, erasure_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_column.org_id == self._scope.org_id, _column.erasure_id == erasure_id)


def _erasure_of(row: Any) -> Erasure:
    return Erasure.model_validate(row._mapping, extra="ignore")


@cache
def _gone() -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for the users that are gone since a time."""
    mine = _column.org_id == sa.bindparam("org_id")
    gone = sa.select(_column.user_hash, _column.gone_at).where(mine, _column.gone_at >= sa.bindparam("since"))
    return gone.order_by(_column.gone_at)
