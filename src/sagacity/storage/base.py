"""The interface of a database backend, and the scope that every repository gets."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, TypeVarTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.backlog import ConnectionUse
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource, OrgId, UserId
from sagacity.domain.query import Filter
from sagacity.storage.added import Added
from sagacity.storage.hits import Hits
from sagacity.storage.schema.migrate import SchemaChange

if TYPE_CHECKING:
    from sagacity.storage.search.term_index import TermIndex  # it needs what is declared here

Vectors = npt.NDArray[np.float32]
Columns = TypeVarTuple("Columns")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SearchScope:
    """One user's documents of one kind: their number, their terms, and their last change."""

    scope_id: int
    kind: str
    document_count: int
    term_count: int
    revision: int
    removed_revision: int
    copied_revision: int = 0
    """The revision up to which a separate vector store has the documents."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The result of a vector search."""

    hits: Hits
    fallback: str = ""
    """Why another index than the usual one answered, for the trace; empty if the usual one did."""


class VectorIndex(Protocol):
    """Finds documents by their vectors. Exact within one user; filters are applied before the search."""

    waits: bool
    """Whether it calls a server other than the database, and so needs the event loop."""

    async def search(
        self, scope: "Scope", scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> Nearest:
        """
        Return the documents nearest to *vector*.

        Args:
            scope: the open transaction.
            scopes: the scopes to search; all belong to the transaction's tenant.
            wanted: the filters.
            vector: float32 [d], unit length.
            limit: the most documents of each kind.

        Returns:
            Best first, ties by document. Score is the cosine, in [-1, 1].
        """
        ...

    async def search_many(
        self, scope: "Scope", scopes: Sequence[SearchScope], wanted: Filter, vectors: Vectors, limit: int
    ) -> list[Nearest]:
        """Return what `search` returns for each of *vectors* (float32 [n, d], unit length), in their order."""
        ...

    def forget(self) -> None:
        """Clear the cache of vectors."""
        ...


class Backend(Protocol):
    """The interface of a database: everything in which SQLite and PostgreSQL differ."""

    vectors: VectorIndex
    """The vector index: the database's own, or one in front of it."""

    terms: "TermIndex"
    """The search by term."""

    locks_rows: bool
    """Whether several transactions can write at once, and so must lock rows in one order."""
    joins_laterally: bool
    """Whether joins support LATERAL."""

    @property
    def name(self) -> str:
        """Short name, as `whoami` shows it."""
        ...

    @property
    def label(self) -> str:
        """Its location, with secrets masked."""
        ...

    @property
    def connections(self) -> ConnectionUse:
        """The connections of this process, and those in use."""
        ...

    @property
    def checks_rows(self) -> bool:
        """Whether the database itself restricts a transaction to one user's rows."""
        ...

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a database server."""
        ...

    @property
    def statements(self) -> dict[object, Any]:
        """Cached statements, by the function that builds them."""
        ...

    def insert(self, table: sa.Table) -> Any:
        """Return the backend's INSERT, which supports ON CONFLICT."""
        ...

    def write(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, urgent: bool = False
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """
        Open a transaction that may write: committed at the end of the block, rolled back on an exception.

        With *user_id*, a backend that `checks_rows` hides the tenant's other users, and does not change their rows. If
        writers queue, *urgent* ones go first.
        """
        ...

    def read(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, keeps_plans: bool = False
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """
        Open a read-only transaction on a snapshot of the database.

        With *user_id*, a backend that `checks_rows` hides the tenant's other users. With *keeps_plans*, it may reuse a
        statement's earlier plan, whatever its values are now.
        """
        ...

    async def visit(
        self,
        org_id: OrgId | None,
        work: Callable[[AsyncConnection], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        keeps_plans: bool = False,
    ) -> Result:
        """
        Run *work*, several statements and their processing, in a transaction like that of `read`; returns its result.

        *work* may run in a thread of its own, so it must await nothing but the connection. If the caller is cancelled,
        *work* has ended when this raises.
        """
        ...

    async def visit_to_write(
        self,
        org_id: OrgId | None,
        work: Callable[[AsyncConnection], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        urgent: bool = False,
    ) -> Result:
        """
        Run *work* in a transaction like that of `write`; returns its result once it is committed.

        *work* runs as in `visit`. If the caller is cancelled, it is unknown whether the transaction was committed.
        """
        ...

    async def rows(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None
    ) -> Sequence[Any]:
        """Run *statement* in an open transaction and return its rows; repeated statements run faster."""
        ...

    def rows_at_once(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any] | None:
        """
        Return the committed rows of a statement that finds at most one row by an index, without awaiting.

        None if that would block the event loop; use `visit` instead.
        """
        ...

    async def run(self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None) -> int:
        """Run *statement* like `rows`; returns the number of affected rows."""
        ...

    async def enter(self, connection: AsyncConnection, org_id: OrgId) -> None:
        """Switch an open transaction to another tenant, for work that visits all tenants."""
        ...

    async def take_time(self, connection: AsyncConnection) -> None:
        """Lift the statement timeout for the rest of an open transaction."""
        ...

    async def read_in_key_order(self, connection: AsyncConnection) -> None:
        """Make the rest of an open transaction read pages along a key without sorting."""
        ...

    async def read_in_any_order(self, connection: AsyncConnection) -> None:
        """Allow sorting again for the rest of an open transaction."""
        ...

    async def load(
        self, connection: AsyncConnection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert many rows, all with the same columns, in the fastest way."""
        ...

    async def renumber(self, connection: AsyncConnection) -> None:
        """Make new rows continue after the largest existing number, after rows were inserted with explicit numbers."""
        ...

    async def scrub(self) -> str:
        """
        Remove the remains of deleted rows from the database's files, and report what was done.

        Raises:
            StorageUnavailable: other connections prevent it; no data was lost.
        """
        ...

    async def prepare_vectors(self, dimension: int) -> None:
        """Create what vector searches of this *dimension* need, if permitted; called when a server starts."""
        ...

    async def migrate(self) -> SchemaChange:
        """
        Bring the schema up to this release, if permitted, and say what was found.

        Raises:
            SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


def uncounted(_text: str) -> int:
    """Return 0, which means that tokens were not counted."""
    return 0


@dataclass(frozen=True, slots=True)
class Scope:
    """What every repository gets: an open connection, the tenant whose rows it may use, and the clock."""

    connection: AsyncConnection
    org_id: OrgId
    backend: Backend
    clock: Clock
    ids: IdSource
    writes: bool = False
    """Whether the transaction may write, and so may see rows that are never committed."""
    hides_held: bool = False
    """Whether to hide quarantined data: it reads for a caller, and quarantines hold something."""
    quiet_seconds: float = 0.0
    """After this quiet time a log that grew is due, unless a dispatcher that counts its turns wakes it earlier."""
    operation_slots: int = 1
    """The number of operation slots that an organisation's running operations share."""
    count_tokens: Callable[[str], int] = uncounted
    """Counts the tokens of a memory when it is written."""
    added: Added = field(default_factory=Added)
    """What the transaction has added so far that quotas limit."""

    def insert(self, table: sa.Table) -> Any:
        """Return the backend's INSERT into *table*."""
        return self.backend.insert(table)

    def owns(self, table: sa.Table) -> sa.ColumnElement[bool]:
        """
        Return the condition that a row is the tenant's, for queries by row number.

        The concatenation keeps the planner from using an index on the organisation. Without statistics, SQLite expects
        that index to be narrower than a few row numbers, and reads every row of the organisation.
        """
        return table.c.org_id.concat("") == self.org_id

    def upsert(self, build: Callable[[Callable[[sa.Table], Any]], Any]) -> Any:
        """Return the statement that *build* makes of the backend's INSERT; cached, as building takes longest."""
        if build not in self.backend.statements:
            self.backend.statements[build] = build(self.backend.insert)
        return self.backend.statements[build]

    def insert_new(self, table: sa.Table) -> Any:
        """Return the INSERT into *table* that skips existing rows."""
        return self.upsert(_new(table))

    def locked(self, statement: sa.Select[*Columns], *of: sa.Table) -> sa.Select[*Columns]:
        """
        Return *statement* with row locks, so that nobody else changes its rows before the writing transaction ends.

        Args:
            statement: any SELECT.
            of: the tables whose rows to lock; all that it reads if none are given.
        """
        return statement.with_for_update(of=of or None) if self.writes else statement

    async def all(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any]:
        """Run *statement* and return its rows."""
        return await self.backend.rows(self.connection, statement, parameters)

    async def newest(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any]:
        """
        Run a *statement* that reads the first rows of an organisation in the order of an index, and return its rows.

        Otherwise a planner that expects few rows reads and sorts all of them. Do not use it if other conditions exclude
        most rows: it would read the index to its end.
        """
        await self.backend.read_in_key_order(self.connection)
        rows = await self.all(statement, parameters)
        await self.backend.read_in_any_order(self.connection)
        return rows

    async def run(self, statement: sa.Executable, parameters: Any = None) -> int:
        """Run *statement* and return the number of affected rows."""
        return await self.backend.run(self.connection, statement, parameters)


@cache
def _new(table: sa.Table) -> Callable[[Callable[[sa.Table], Any]], Any]:
    return lambda insert: insert(table).on_conflict_do_nothing()
