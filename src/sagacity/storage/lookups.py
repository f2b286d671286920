"""What is asked of the whole database: before it is known for which tenant a call is, or of all tenants."""

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
    due_users,
    known_organisations,
    uncopied_tenants,
    waiting_tenants,
)
from sagacity.storage.shared_lookups import SharedLookups
from sagacity.storage.work.due import read_due


class Lookups:
    """Reads that are of no single tenant."""

    def __init__(self, backend: Backend, clock: Clock) -> None:
        self.backend = backend
        self._clock = clock
        self._shared = SharedLookups()
        self._has_tokens = False

    async def find_token(self, token_hash: str) -> ApiToken:
        """
        Return the live token with that hash, before its tenant is known: as it stands now in the database.

        Raises:
            Unauthorized: there is none.
        """

        async def look() -> Any:
            asked = {"token_hash": token_hash, "now": self._clock.now()}
            async with self.backend.read(None) as connection:
                return (await connection.execute(LIVE_TOKEN, asked)).first()

        row = await self._shared.ask(token_hash, look)
        if row is None:
            raise Unauthorized("the API token is not known, has expired or was revoked")
        return token_of(row)

    async def has_tokens(self) -> bool:
        """Return whether any token was ever made: only then may the server be reached from outside."""
        if not self._has_tokens:  # once yes, always yes: revoked ones count
            self._has_tokens = await self._shared.ask(ANY_TOKEN, self._find_any_token)
        return self._has_tokens

    async def _find_any_token(self) -> bool:
        async with self.backend.read(None) as connection:
            return (await connection.execute(ANY_TOKEN)).first() is not None

    async def due_scopes(self, *, limit: int, each: int | None = None) -> list[DueScope]:
        """
        Return users of any tenant whose logs have to be looked at by now, and organisations, longest due first.

        Args:
            limit: how many at the most.
            each: how many of each tenant at the most; then the tenants take turns, so that none waits for another's.
        """
        async with self.backend.read(None) as connection:
            return await read_due(connection, self._clock.now(), limit=limit, each=each)

    async def next_due_at(self, *, after: datetime | None = None) -> datetime | None:
        """Return when the next log has to be looked at, or the next one *after* a moment; None when nothing waits."""
        statement = sa.select(sa.func.min(due_users.c.due_at))
        if after is not None:
            statement = statement.where(due_users.c.due_at > after)
        async with self.backend.read(None) as connection:
            return (await connection.execute(statement)).scalar()

    async def organisations(self) -> list[Tenant]:
        """Return every organisation, in order."""
        async with self.backend.read(None) as connection:
            rows = (await connection.execute(sa.select(known_organisations))).all()
        return sorted((Tenant(org_id=row.org_id) for row in rows), key=lambda tenant: tenant.org_id)

    async def unembedded_tenants(self) -> list[Tenant]:
        """Return the tenants that have documents waiting for their vectors."""
        async with self.backend.read(None) as connection:
            rows = (await connection.execute(sa.select(waiting_tenants.c.org_id))).all()
        return [Tenant(org_id=row.org_id) for row in rows]

    async def uncopied_tenants(self) -> list[Tenant]:
        """Return the tenants that have documents which a separate vector store has not got yet."""
        async with self.backend.read(None) as connection:
            rows = (await connection.execute(sa.select(uncopied_tenants.c.org_id))).all()
        return [Tenant(org_id=row.org_id) for row in rows]

    async def end_lookups(self) -> None:
        """Cancel what is asked at the moment, and return when it has ended."""
        await self._shared.end()
