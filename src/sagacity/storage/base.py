"""The interface of a backend, and what every repository is given."""

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

if TYPE_CHECKING:
    from sagacity.storage.search.term_index import TermIndex  # it needs what is declared here

Vectors = npt.NDArray[np.float32]
Columns = TypeVarTuple("Columns")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SearchScope:
    """One user's documents of one kind: how many, how many terms, and when they last changed."""

    scope_id: int
    kind: str
    document_count: int
    term_count: int
    revision: int
    removed_revision: int
    copied_revision: int = 0
    """Up to which revision a separate vector store has them."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """What a search by vector found, and what was wrong with it: empty when all went well."""

    hits: Hits
    fallback: str = ""
    """Why the usual place was not asked and another answered instead; shown in the trace."""


class VectorIndex(Protocol):
    """Finds documents by their vectors. Exact within one user; filters hold before the search."""

    waits: bool
    """Whether it asks another server than the database, for which the event loop is needed."""

    async def search(
        self, scope: "Scope", scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> Nearest:
        """
        Return the documents nearest to *vector*.

        Args:
            scope: the open transaction.
            scopes: where to look; all belong to the transaction's tenant.
            wanted: what may be found.
            vector: float32 [d], unit length.
            limit: how many of each kind at the most.

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
        """Let go of all vectors that are kept in memory."""
        ...


class Backend(Protocol):
    """One database: what differs between SQLite and the others."""

    vectors: VectorIndex
    """The search by vector: the database's own, or what is put in front of it."""

    terms: "TermIndex"
    """The search by term."""

    locks_rows: bool
    """Whether several write at once, and so have to lock rows in one order; otherwise one writes at a time."""
    joins_laterally: bool
    """Whether a part of a join may read the rows before it: LATERAL."""

    @property
    def name(self) -> str:
        """Short name, as `whoami` shows it."""
        ...

    @property
    def label(self) -> str:
        """Where it is, with secrets masked."""
        ...

    @property
    def connections(self) -> ConnectionUse:
        """How many connections this process has in use."""
        ...

    @property
    def checks_rows(self) -> bool:
        """Whether the database itself keeps a transaction to one user's rows."""
        ...

    @property
    def file(self) -> Path | None:
        """The SQLite file that the database is; None for one that a server keeps."""
        ...

    @property
    def statements(self) -> dict[object, Any]:
        """Statements that were built before, by what builds them."""
        ...

    def insert(self, table: sa.Table) -> Any:
        """Return the backend's INSERT, which knows ON CONFLICT."""
        ...

    def write(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, urgent: bool = False
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """
        Open a transaction that may write: committed at the end of the block, rolled back by an exception.

        With *user_id* a backend that checks rows by itself shows and changes nothing of the tenant's other users. Where
        writers wait for each other, *urgent* ones go first.
        """
        ...

    def read(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, keeps_plans: bool = False
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """
        Open a transaction that sees one moment of the database and cannot write.

        With *user_id* a backend that checks rows by itself shows nothing of the tenant's other users. With
        *keeps_plans* it may go about a statement as it did before, whatever its values are now.
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
        Return what *work* makes of a transaction as `read` opens it: for several statements and what is made of them.

        It may run in a thread of its own, and so awaits nothing but the connection. If the caller is cancelled, it has
        ended when this returns.
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
        Return what *work* makes of a transaction as `write` opens it, once that is committed.

        It runs as in `visit`. If the caller is cancelled, nobody hears whether it was committed.
        """
        ...

    async def rows(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None
    ) -> Sequence[Any]:
        """Run *statement* in an open transaction and return its rows; one that comes again is run the quickest way."""
        ...

    def rows_at_once(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any] | None:
        """
        Return the rows of a statement that finds one row, or none, by an index, as last committed.

        None where that would keep the event loop waiting: the statement then needs a `visit`.
        """
        ...

    async def run(self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None) -> int:
        """Run *statement* as `rows` does; returns how many rows it touched."""
        ...

    async def enter(self, connection: AsyncConnection, org_id: OrgId) -> None:
        """Turn an open transaction to another tenant's data: for work that goes through all of them."""
        ...

    async def take_time(self, connection: AsyncConnection) -> None:
        """Lift the limit that ends statements which hang, for the rest of an open transaction."""
        ...

    async def read_in_key_order(self, connection: AsyncConnection) -> None:
        """Have the rest of an open transaction read pages along a key, and sort none of them."""
        ...

    async def read_in_any_order(self, connection: AsyncConnection) -> None:
        """Let the rest of an open transaction sort again."""
        ...

    async def load(
        self, connection: AsyncConnection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert many rows, all with the same columns, the fastest way there is."""
        ...

    async def renumber(self, connection: AsyncConnection) -> None:
        """Let the numbers of new rows go on after the largest that is there: rows came with numbers of their own."""
        ...

    async def scrub(self) -> str:
        """
        Have the database let go of what deleted rows left in its files, and say what was done.

        Raises:
            StorageUnavailable: somebody else uses it in a way that stands against it; nothing was lost.
        """
        ...

    async def prepare_vectors(self, dimension: int) -> None:
        """Make what searches of *dimension* numbers need, if we may; called when a server starts."""
        ...

    async def migrate(self) -> None:
        """
        Bring the schema up to this release.

        Raises:
            SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


def uncounted(_text: str) -> int:
    """Return 0, which stands for a text whose tokens nobody counted."""
    return 0


@dataclass(frozen=True, slots=True)
class Scope:
    """What a repository works with: an open connection, the tenant whose rows it may touch, the time."""

    connection: AsyncConnection
    org_id: OrgId
    backend: Backend
    clock: Clock
    ids: IdSource
    writes: bool = False
    """Whether it is a transaction that may write, and so may see what will never be committed."""
    hides_held: bool = False
    """Whether it reads on behalf of a caller, and something is held that callers do not see."""
    quiet_seconds: float = 0.0
    """After so long a log that grew is looked at, if nobody who counts its turns looks before."""
    operation_slots: int = 1
    """Users whose turn it is at a time, shared by the operations of an organisation that run."""
    count_tokens: Callable[[str], int] = uncounted
    """Counts the tokens of what a memory says, when it is written."""
    added: Added = field(default_factory=Added)
    """What the transaction has added so far of what quotas limit."""

    def insert(self, table: sa.Table) -> Any:
        """Return the backend's INSERT into *table*."""
        return self.backend.insert(table)

    def owns(self, table: sa.Table) -> sa.ColumnElement[bool]:
        """
        Return that a row is the tenant's, for queries by row number.

        The concatenation keeps the planner from an index on the organisation: without statistics SQLite takes that for
        narrower than some row numbers, and reads every row of the organisation.
        """
        return table.c.org_id.concat("") == self.org_id

    def upsert(self, build: Callable[[Callable[[sa.Table], Any]], Any]) -> Any:
        """Return what *build* makes of the backend's INSERT; built once, as that costs more than to run it."""
        if build not in self.backend.statements:
            self.backend.statements[build] = build(self.backend.insert)
        return self.backend.statements[build]

    def insert_new(self, table: sa.Table) -> Any:
        """Return the INSERT into *table* that leaves rows alone which are there already."""
        return self.upsert(_new(table))

    def locked(self, statement: sa.Select[*Columns], *of: sa.Table) -> sa.Select[*Columns]:
        """
        Return *statement* so that nobody else changes what it finds before a transaction that may write ends.

        Args:
            statement: any.
            of: the tables whose rows are kept; none for all that it reads.
        """
        return statement.with_for_update(of=of or None) if self.writes else statement

    async def all(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any]:
        """Run *statement* and return its rows."""
        return await self.backend.rows(self.connection, statement, parameters)

    async def newest(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any]:
        """
        Run a *statement* for the first rows of a whole organisation in the order of an index, and return them.

        A planner that expects few rows, as of a condition on whose they are, reads all of them to sort them. Not for
        what most rows are kept from by other conditions: it would read the index to its end.
        """
        await self.backend.read_in_key_order(self.connection)
        rows = await self.all(statement, parameters)
        await self.backend.read_in_any_order(self.connection)
        return rows

    async def run(self, statement: sa.Executable, parameters: Any = None) -> int:
        """Run *statement* and return how many rows it touched."""
        return await self.backend.run(self.connection, statement, parameters)


@cache
def _new(table: sa.Table) -> Callable[[Callable[[sa.Table], Any]], Any]:
    return lambda insert: insert(table).on_conflict_do_nothing()
