"""The PostgreSQL backend: many processes and machines, with tenants separated by row-level security."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.backlog import ConnectionUse
from sagacity.domain.ids import OrgId, UserId
from sagacity.storage.base import VectorIndex
from sagacity.storage.pools import in_use
from sagacity.storage.postgres.driver import asked, checked_url, engine_for, literal, load_rows, ours
from sagacity.storage.postgres.owner import make_ready, make_vector_index, numbered, refuse_bypass, vacuum
from sagacity.storage.postgres.row_security import ORG, USER
from sagacity.storage.postgres.vectors import PostgresVectors
from sagacity.storage.schema.migrate import SchemaChange, check
from sagacity.storage.schema.tables import metadata
from sagacity.storage.search.term_index import TermIndex
from sagacity.storage.statements.prepared import PreparedStatements

_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_LIMITS = (
    "SET LOCAL statement_timeout = '120s'; SET LOCAL lock_timeout = '30s'; "
    "SET LOCAL idle_in_transaction_session_timeout = '120s'"
)
"""Limits that keep a hanging transaction from blocking others forever. Each transaction sets them, because a pooler
drops settings between transactions."""
_KEPT_PLANS = (
    "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL max_parallel_workers_per_gather = 0; "
)
"""
Settings for searches. With conditions on the owners of rows, planning takes longer than the search itself, so plans are
kept. Parallel workers are off, because strategies run in parallel already: with workers, which start for each part,
comparing 49,000 vectors takes 63 ms instead of 40.
"""
_TRIES = 2
Result = TypeVar("Result")


class Postgres:
    """A PostgreSQL database, as a role that row-level security binds."""

    name = "postgresql"
    file = None
    locks_rows = True
    joins_laterally = True
    checks_rows = True

    def __init__(
        self, url: sa.URL, *, owner: sa.URL | None = None, connections: int = 10, pooler: bool = False
    ) -> None:
        """
        Prepare connections, without opening any.

        Args:
            url: the database, with the program's role.
            owner: the same database with the role that owns its tables; if set, opening migrates.
            connections: maximum number of open connections.
            pooler: whether connections go through a transaction pooler.
        """
        self._url = checked_url(url)
        self._owner = None if owner is None else checked_url(owner)
        self._engine = engine_for(url, connections=connections, pooler=pooler)
        # Learners write long transactions, several users in parallel; without this limit, calls would wait for them.
        self._background = asyncio.Semaphore(max(1, connections // 2))
        self._statements = PreparedStatements(self._engine.dialect)
        self.vectors: VectorIndex = PostgresVectors()
        self.terms = TermIndex()
        self.statements: dict[object, Any] = {}

    @property
    def label(self) -> str:
        """Return the database's name and server, without role and password."""
        return f"{self._url.database} on {self._url.host or 'this machine'}"

    @property
    def connections(self) -> ConnectionUse:
        """Return how many connections are in use."""
        return in_use(self._engine)

    def insert(self, table: sa.Table) -> Any:
        """Return PostgreSQL's INSERT."""
        return postgres_insert(table)

    @asynccontextmanager
    async def write(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, urgent: bool = False
    ) -> AsyncGenerator[AsyncConnection]:
        """
        Open a transaction that may write; writers wait for each other only if they write the same rows.

        Writers that are not urgent may use only half of the connections.
        """
        opening = f"{_WRITE}; {_LIMITS}; {_whose(org_id, user_id)}"
        async with (
            nullcontext() if urgent else self._background,
            self._transaction(opening) as connection,
        ):
            yield connection

    @asynccontextmanager
    async def read(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, keeps_plans: bool = False
    ) -> AsyncGenerator[AsyncConnection]:
        """Open a snapshot."""
        plans = _KEPT_PLANS if keeps_plans else ""
        async with self._transaction(f"{_READ}; {_LIMITS}; {plans}{_whose(org_id, user_id)}") as connection:
            yield connection

    async def visit(
        self,
        org_id: OrgId | None,
        work: Callable[[AsyncConnection], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        keeps_plans: bool = False,
    ) -> Result:
        """Run *work* on a snapshot, in the event loop: the database is another process."""
        async with self.read(org_id, user_id=user_id, keeps_plans=keeps_plans) as connection:
            return await work(connection)

    async def visit_to_write(
        self,
        org_id: OrgId | None,
        work: Callable[[AsyncConnection], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        urgent: bool = False,
    ) -> Result:
        """Run *work* in a transaction, in the event loop: the database is another process."""
        async with self.write(org_id, user_id=user_id, urgent=urgent) as connection:
            return await work(connection)

    @asynccontextmanager
    async def _transaction(self, opening: str) -> AsyncGenerator[AsyncConnection]:
        try:
            connection = await self._opened(opening)
            try:
                yield connection
                await connection.commit()
            finally:
                await connection.close()  # rolls back what is not committed
        except (DBAPIError, PoolTimeout) as error:
            raise ours(error) from error

    async def _opened(self, opening: str) -> AsyncConnection:
        """Open a transaction, on a new connection if the pooled one broke since its last use."""
        for left in reversed(range(_TRIES)):
            connection = await self._engine.connect()
            try:
                await connection.begin()
                await connection.exec_driver_sql(opening)
            except BaseException as error:
                await connection.close()
                if not (left and isinstance(error, DBAPIError) and error.connection_invalidated):
                    raise
            else:
                return connection
        raise AssertionError("the last try either returns or raises")

    async def rows(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None
    ) -> Sequence[Any]:
        """Run *statement*; repeated statements go directly to the driver, without SQLAlchemy."""
        return await self._statements.rows(connection, statement, parameters, partial(asked, connection))

    def rows_at_once(self, statement: sa.Executable, parameters: Any = None) -> None:
        """Return None: every read has to wait for the database server."""

    async def run(self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None) -> int:
        """Run *statement* like `rows`; returns the number of affected rows."""
        return await self._statements.run(connection, statement, parameters, partial(asked, connection))

    async def enter(self, connection: AsyncConnection, org_id: OrgId) -> None:
        """Switch an open transaction to another tenant."""
        await connection.exec_driver_sql(_whose(org_id))

    async def take_time(self, connection: AsyncConnection) -> None:
        """Lift the statement timeout for the rest of the transaction."""
        await connection.exec_driver_sql("SET LOCAL statement_timeout = 0")

    async def read_in_key_order(self, connection: AsyncConnection) -> None:
        """
        Disable sorts and parallel workers for the rest of the transaction.

        Without statistics, the planner expects one row in a scope, and would sort the whole scope for each page.
        Starting workers takes longer than reading a page along a key.
        """
        await connection.exec_driver_sql(
            "SET LOCAL enable_sort = off; SET LOCAL max_parallel_workers_per_gather = 0"
        )

    async def read_in_any_order(self, connection: AsyncConnection) -> None:
        """Allow sorts."""
        await connection.exec_driver_sql("SET LOCAL enable_sort = on")

    async def load(
        self, connection: AsyncConnection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert many rows by COPY."""
        await load_rows(connection, table, rows)

    async def renumber(self, connection: AsyncConnection) -> None:
        """Advance every sequence beyond the tenant's largest number, never back."""
        for table, column in numbered(metadata):
            largest = sa.select(sa.func.max(column)).scalar_subquery()
            sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
            await connection.execute(
                sa.select(sa.func.setval(sequence, sa.func.greatest(largest, sa.func.nextval(sequence))))
            )

    async def migrate(self) -> SchemaChange:
        """
        Migrate the schema if the owner's URL is set, and check the schema and our role in any case.

        Raises:
            ConfigError: our role could see other tenants' rows.
        """
        try:
            change = None if self._owner is None else await make_ready(self._owner, self._url)
            found = await check(self._engine, complete=True)
            async with self._engine.connect() as connection:
                await refuse_bypass(connection)
        except (DBAPIError, PoolTimeout) as error:
            raise ours(error) from error
        return change or SchemaChange(before=found, schema_now=found)

    async def scrub(self) -> str:
        """Vacuum every table if the owner's URL is set; otherwise the server does so itself some time later."""
        if self._owner is None:
            return "left to the server's autovacuum: only the owner of the tables (SAGACITY_MIGRATION_URL) may VACUUM"
        try:
            await vacuum(self._owner)
        except (DBAPIError, PoolTimeout) as error:
            raise ours(error) from error
        return "every table was vacuumed (VACUUM)"

    async def prepare_vectors(self, dimension: int) -> None:
        """Create the index for organisation-wide vector searches of this *dimension*, if the owner's URL is set."""
        try:
            if self._owner is not None:
                await make_vector_index(self._owner, dimension)
        except (DBAPIError, PoolTimeout) as error:
            raise ours(error) from error

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


def _whose(org_id: OrgId | None, user_id: UserId | None = None) -> str:
    return f"SET LOCAL {ORG} = {literal(org_id or '')}; SET LOCAL {USER} = {literal(user_id or '')}"
