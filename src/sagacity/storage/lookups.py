"""Queries over the whole database: before a call's tenant is known, or over all tenants."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.api_token import ApiToken
from sagacity.domain.clock import Clock
from sagacity.domain.errors import Unauthorized
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.storage.access.tokens import token_of
from sagacity.storage.base import Backend
from sagacity.storage.schema.views import (
    ANY_TOKEN,
    LIVE_TOKEN,
    answering_tenants,
    due_users,
    known_organisations,
    uncopied_tenants,
    waiting_tenants,
)
from sagacity.storage.shared_lookups import SharedLookups
from sagacity.storage.statements.user_key import user_of
from sagacity.storage.work.due import due_by

_NEXT = sa.select(sa.func.min(due_users.c.due_at).label("due_at"))
_NEXT_AFTER = _NEXT.where(due_users.c.due_at > sa.bindparam("after"))
_ORGANISATIONS = sa.select(known_organisations)
_WAITING = sa.select(waiting_tenants.c.org_id)
_ANSWERING = sa.select(answering_tenants.c.org_id)
_UNCOPIED = sa.select(uncopied_tenants.c.org_id)


class Lookups:
    """Queries that belong to no single tenant."""

    def __init__(self, backend: Backend, clock: Clock) -> None:
        self.backend = backend
        self._clock = clock
        self._shared = SharedLookups()
        self._has_tokens = False

    async def find_token(self, token_hash: str) -> ApiToken:
        """
        Return the valid token with that hash from the database, before its tenant is known.

        Raises:
            Unauthorized: there is none.
        """
        rows = await self._by_key(
            token_hash, LIVE_TOKEN, lambda: {"token_hash": token_hash, "now": self._clock.now()}
        )
        if not rows:
            raise Unauthorized("the API token is not known, has expired or was revoked")
        return token_of(rows[0])

    async def has_tokens(self) -> bool:
        """Return whether any token was ever created; only then may the server accept calls from other machines."""
        if not self._has_tokens:  # once true, always true: revoked tokens count
            self._has_tokens = bool(await self._by_key(ANY_TOKEN, ANY_TOKEN, dict))
        return self._has_tokens

    async def _by_key(
        self, key: Hashable, statement: sa.Executable, values: Callable[[], Mapping[str, Any]]
    ) -> Sequence[Any]:
        """Return what a statement finds by a key: at once, or in one visit that all callers with that key share."""
        rows = self.backend.rows_at_once(statement, values())
        if rows is not None:
            return rows
        return await self._shared.ask(key, lambda: self._rows(statement, values()))

    async def _rows(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any]:
        return await self.backend.visit(
            None, lambda connection: self.backend.rows(connection, statement, parameters)
        )

    async def due_scopes(self, *, limit: int, each: int | None = None) -> list[DueScope]:
        """
        Return due users and organisations of all tenants, longest due first.

        Args:
            limit: the most scopes.
            each: the most scopes of each tenant; tenants take turns, so that none waits for another.
        """
        given = {"now": self._clock.now(), "limit": limit} | ({} if each is None else {"each": each})
        rows = await self._rows(due_by(in_turn=each is not None), given)
        return [DueScope(tenant=Tenant(org_id=row.org_id), user_id=user_of(row.user_id)) for row in rows]

    async def next_due_at(self, *, after: datetime | None = None) -> datetime | None:
        """Return when the next log is due, or the next one due after *after*; None if none will be."""
        statement, given = (_NEXT, None) if after is None else (_NEXT_AFTER, {"after": after})
        [row] = await self._rows(statement, given)
        return row.due_at

    async def organisations(self) -> list[Tenant]:
        """Return every organisation, in order of id."""
        rows = await self._rows(_ORGANISATIONS)
        return sorted((Tenant(org_id=row.org_id) for row in rows), key=lambda tenant: tenant.org_id)

    async def unembedded_tenants(self) -> list[Tenant]:
        """Return the tenants that have documents without vectors."""
        return [Tenant(org_id=row.org_id) for row in await self._rows(_WAITING)]

    async def uncopied_tenants(self) -> list[Tenant]:
        """Return the tenants with documents that a separate vector store does not have yet."""
        return [Tenant(org_id=row.org_id) for row in await self._rows(_UNCOPIED)]

    async def answering_tenants(self) -> list[Tenant]:
        """Return the tenants with answers of chats that have not ended."""
        return [Tenant(org_id=row.org_id) for row in await self._rows(_ANSWERING)]

    async def end_lookups(self) -> None:
        """Cancel running queries, and return when they have ended."""
        await self._shared.end()
