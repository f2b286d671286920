"""The doors to data: `Storage.begin(tenant)` to write, `Storage.read(tenant)` to read."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.clock import Clock
from sagacity.domain.errors import IndexMismatch, Unauthorized
from sagacity.domain.ids import IdSource
from sagacity.domain.interaction import NewRequest, Request
from sagacity.domain.tenant import ApiToken, DueScope, Tenant
from sagacity.storage.base import Backend, Scope
from sagacity.storage.group_commit import GroupCommit
from sagacity.storage.keywords import ANALYZER
from sagacity.storage.rebuild import rebuild
from sagacity.storage.repositories.changes import ChangeRepository
from sagacity.storage.repositories.cursors import CursorRepository, DeadLetterRepository, LeaseRepository
from sagacity.storage.repositories.evaluations import EvaluationRepository
from sagacity.storage.repositories.graph import GraphRepository
from sagacity.storage.repositories.interactions import InteractionRepository
from sagacity.storage.repositories.memories import MemoryRepository
from sagacity.storage.repositories.organisations import OrganisationRepository, token_of
from sagacity.storage.repositories.search import MAX_EMBED_ATTEMPTS, SearchRepository
from sagacity.storage.tables import api_tokens, organisations, search_documents, search_index, users

_BUSY_SECONDS = 0.1
_LONGEST_WAIT_SECONDS = 2.0


class Transaction:
    """One tenant's data at one moment; everything done through it commits together or not at all."""

    def __init__(self, scope: Scope) -> None:
        self.search = SearchRepository(scope)
        self.interactions = InteractionRepository(scope, self.search)
        self.graph = GraphRepository(scope)
        self.memories = MemoryRepository(scope, self.search, self.graph)
        self.cursors = CursorRepository(scope)
        self.leases = LeaseRepository(scope)
        self.dead_letters = DeadLetterRepository(scope)
        self.changes = ChangeRepository(scope)
        self.evaluations = EvaluationRepository(scope)
        self.organisation = OrganisationRepository(scope)


class Storage:
    """Everything durable, behind one backend."""

    def __init__(self, backend: Backend, *, clock: Clock, ids: IdSource) -> None:
        self._backend = backend
        self._clock = clock
        self._ids = ids
        self._appends = GroupCommit(self._append)
        self._appended_at = -_BUSY_SECONDS
        self._has_tokens = False

    @property
    def kind(self) -> str:
        """The backend's short name."""
        return self._backend.name

    @property
    def label(self) -> str:
        """Where the data is, with secrets masked."""
        return self._backend.label

    @asynccontextmanager
    async def begin(self, tenant: Tenant) -> AsyncGenerator[Transaction]:
        """
        Open a transaction that may write; it commits at the end of the block, and rolls back on an exception.

        Nothing that waits for a model or the network may happen inside.
        """
        async with self._backend.write(tenant.org_id) as connection:
            scope = Scope(connection, tenant.org_id, self._backend, self._clock, self._ids, writes=True)
            yield Transaction(scope)

    @asynccontextmanager
    async def read(self, tenant: Tenant) -> AsyncGenerator[Transaction]:
        """Open a transaction that sees one moment and writes nothing. Parallel steps open one each."""
        async with self._backend.read(tenant.org_id) as connection:
            yield self._transaction(connection, tenant)

    def _transaction(self, connection: AsyncConnection, tenant: Tenant) -> Transaction:
        return Transaction(Scope(connection, tenant.org_id, self._backend, self._clock, self._ids))

    async def append(self, tenant: Tenant, request: NewRequest) -> Request:
        """
        Append one request to the log in a transaction that it may share with others of its tenant.

        Returns:
            The stored request; the first one if its id came before with the same content. Durable by then.

        Raises:
            Conflict: its id came before with other content.
        """
        return await self._appends.append(tenant, request)

    async def _append(self, tenant: Tenant, requests: Sequence[NewRequest]) -> list[Request]:
        self._appended_at = time.monotonic()
        async with self._backend.write(tenant.org_id, urgent=True) as connection:
            return await self._transaction(connection, tenant).interactions.append(requests)

    async def give_way(self, worked_seconds: float) -> None:
        """
        Let appends go first: background work calls this after each piece that took *worked_seconds*.

        While appends come in it waits three times as long as it worked, so that four workers together take about
        one worker's share of the process; otherwise it returns at once.
        """
        if time.monotonic() - self._appended_at < _BUSY_SECONDS:
            await asyncio.sleep(min(3 * worked_seconds, _LONGEST_WAIT_SECONDS))

    async def find_token(self, token_hash: str) -> ApiToken:
        """
        Return the live token with that hash, before its tenant is known.

        Raises:
            Unauthorized: there is none.
        """
        async with self._backend.read(None) as connection:
            statement = (
                sa.select(api_tokens)
                .join(organisations, organisations.c.org_id == api_tokens.c.org_id)
                .where(
                    api_tokens.c.token_hash == token_hash,
                    api_tokens.c.revoked_at.is_(None),
                    organisations.c.status == "active",
                )
            )
            row = (await connection.execute(statement)).first()
        if row is None:
            raise Unauthorized("the API token is not known or was revoked")
        return token_of(row)

    async def has_tokens(self) -> bool:
        """Return whether any token was ever made: only then may the server be reached from outside."""
        if not self._has_tokens:  # once yes, always yes: revoked ones count
            async with self._backend.read(None) as connection:
                found = (await connection.execute(sa.select(api_tokens.c.token_id).limit(1))).first()
            self._has_tokens = found is not None
        return self._has_tokens

    async def due_scopes(self, *, limit: int) -> list[DueScope]:
        """Return users of any tenant whose logs have to be looked at by now, longest due first."""
        async with self._backend.read(None) as connection:
            statement = (
                sa.select(users.c.org_id, users.c.user_id)
                .where(users.c.due_at.is_not(None), users.c.due_at <= self._clock.now())
                .order_by(users.c.due_at)
                .limit(limit)
            )
            rows = (await connection.execute(statement)).all()
        return [DueScope(tenant=Tenant(org_id=row.org_id), user_id=row.user_id) for row in rows]

    async def next_due_at(self) -> datetime | None:
        """Return when the next log has to be looked at; None when nothing waits."""
        async with self._backend.read(None) as connection:
            statement = sa.select(sa.func.min(users.c.due_at)).where(users.c.due_at.is_not(None))
            return (await connection.execute(statement)).scalar()

    async def unembedded_tenants(self) -> list[Tenant]:
        """Return the tenants that have documents waiting for their vectors."""
        async with self._backend.read(None) as connection:
            statement = (
                sa.select(search_documents.c.org_id)
                .where(
                    search_documents.c.vector.is_(None),
                    search_documents.c.embed_attempts < MAX_EMBED_ATTEMPTS,
                )
                .distinct()
            )
            rows = (await connection.execute(statement)).all()
        return [Tenant(org_id=row.org_id) for row in rows]

    async def migrate(self) -> None:
        """
        Bring the schema up to this release.

        Raises:
            SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
        """
        await self._backend.migrate()

    async def claim_index(self, embedder: str, dimension: int) -> None:
        """
        Record what makes the search index, or make sure that it is what made it.

        Raises:
            IndexMismatch: another embedder or analyzer made it.
        """
        async with self._backend.write(None) as connection:
            row = (await connection.execute(sa.select(search_index))).first()
            if row is None:
                await self._record_index(connection, embedder, dimension)
            elif (row.embedder, row.dimension, row.analyzer) != (embedder, dimension, ANALYZER):
                raise IndexMismatch(
                    f"the search index was made with {row.embedder} ({row.dimension} dimensions, analyzer "
                    f"{row.analyzer}), and this server uses {embedder} ({dimension}, {ANALYZER}). "
                    "Run `sagacity reindex` to rebuild it, or configure the former embedder."
                )

    async def _record_index(self, connection: AsyncConnection, embedder: str, dimension: int) -> None:
        values = {
            "index_id": 1,
            "embedder": embedder,
            "dimension": dimension,
            "analyzer": ANALYZER,
            "created_at": self._clock.now(),
        }
        await connection.execute(search_index.insert(), values)

    async def rebuild_index(
        self, embedder: str, dimension: int, on_progress: Callable[[int, int], None]
    ) -> None:
        """
        Write every search document anew, in one transaction.

        All are found by their terms when it commits, and queued for embedding. A rebuild that is cut short leaves the
        old index as it was.

        Args:
            embedder: what will make the vectors.
            dimension: numbers a vector.
            on_progress: told after each batch how many documents of how many are written.
        """
        async with self._backend.write(None) as connection:
            await rebuild(
                lambda org_id: Scope(connection, org_id, self._backend, self._clock, self._ids), on_progress
            )
            await connection.execute(sa.delete(search_index))
            await self._record_index(connection, embedder, dimension)

    async def unembedded_count(self) -> int:
        """Return how many documents wait for their vectors, over all tenants."""
        async with self._backend.read(None) as connection:
            statement = sa.select(sa.func.count()).where(
                search_documents.c.vector.is_(None), search_documents.c.embed_attempts < MAX_EMBED_ATTEMPTS
            )
            return (await connection.execute(statement)).scalar_one()

    async def check(self) -> None:
        """Answer one query, or raise StorageError."""
        async with self._backend.read(None) as connection:
            await connection.execute(sa.select(organisations.c.org_id).limit(1))

    async def close(self) -> None:
        """Close every connection."""
        await self._backend.close()
