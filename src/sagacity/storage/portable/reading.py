"""Read all rows of one user or one organisation, page by page, in one snapshot."""

from array import array
from collections.abc import AsyncGenerator, Sequence
from contextlib import nullcontext

import sqlalchemy as sa

from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import INTERACTION
from sagacity.storage.base import Scope
from sagacity.storage.portable.carried import VECTORED, belongs_to, number_of, tables_of
from sagacity.storage.portable.lines import Row
from sagacity.storage.quarantine.unheld import unheld
from sagacity.storage.schema.tables import (
    cursors,
    entities,
    interactions,
    memories,
    search_documents,
    sessions,
    user_settings,
    users,
)
from sagacity.storage.search.index_owner import made_by
from sagacity.storage.statements.array_params import among, one_of

_PAGE, _TURNS = 500, 100
"""Rows per page; fewer of turns, as each may hold an image."""
_NUMBERS = 10_000
_KNOWN_BY = (users, cursors, memories, sessions, user_settings, entities)
"""Every user of whom anything is stored has a row in one of these tables."""
Page = tuple[sa.Table, list[Row], dict[int, bytes]]
"""Rows of a table, and their vectors by number."""


class PortableRepository:
    """Reads what a file of a user, or of the organisation, contains."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def made_by(self) -> tuple[str, int]:
        """Return the embedder that made the search index, and the dimension of its vectors."""
        return await made_by(self._scope) or ("", 0)

    async def stored(self, user_ids: Sequence[str]) -> set[str]:
        """Return those of *user_ids* of whom anything is stored."""
        found: set[str] = set()
        for table in _KNOWN_BY:
            column = table.c.user_id
            mine = (table.c.org_id == self._scope.org_id, one_of(column, user_ids))
            found |= {row.user_id for row in await self._scope.all(sa.select(column).where(*mine).distinct())}
        return found

    async def require(self, user_id: UserId) -> None:
        """
        Check that a user can be exported.

        Raises:
            NotFound: nothing is stored of the user.
            Conflict: the user is being erased.
        """
        if not await self.stored([user_id]):
            raise NotFound(f"nothing is stored of the user {user_id!r}")
        erasing = (users.c.org_id == self._scope.org_id, users.c.user_id == user_id, users.c.is_erasing)
        if await self._scope.all(sa.select(users.c.user_id).where(*erasing)):
            raise Conflict("the user is being erased")

    async def pages(self, user_id: UserId | None) -> AsyncGenerator[Page]:
        """
        Yield the rows of a user or, with None, of the whole organisation, parents before children.

        Rows that quarantines hold are always left out, because nothing would hold them in another installation.
        """
        await self._scope.backend.take_time(self._scope.connection)
        hidden = nullcontext() if self._scope.hides_held else unheld(self._scope.connection)
        with hidden:
            for table in tables_of(whole=user_id is None):
                wanted = belongs_to(table, self._scope.org_id, user_id)
                number = number_of(table)
                pages = (
                    self._by_key(table, wanted) if number is None else self._numbered(table, number, wanted)
                )
                async for rows in pages:
                    yield table, rows, await self._vectors(table, rows)

    async def _by_key(self, table: sa.Table, wanted: sa.ColumnElement[bool]) -> AsyncGenerator[list[Row]]:
        names = table.columns.keys()
        statement = sa.select(table).where(wanted).order_by(*table.primary_key.columns)
        async with self._scope.connection.stream(statement) as found:
            async for rows in found.partitions(_PAGE):
                yield [dict(zip(names, row, strict=True)) for row in rows]

    async def _numbered(
        self, table: sa.Table, number: sa.Column[int], wanted: sa.ColumnElement[bool]
    ) -> AsyncGenerator[list[Row]]:
        """Yield rows by their numbers, which are all read first, at eight bytes each."""
        numbers = array("q")
        async with self._scope.connection.stream(sa.select(number).where(wanted).order_by(number)) as found:
            async for rows in found.partitions(_NUMBERS):
                numbers.extend([row[0] for row in rows])
        size = _TURNS if table is interactions else _PAGE
        statement = sa.select(table).where(among(number, "numbers"), self._scope.owns(table)).order_by(number)
        for at in range(0, len(numbers), size):
            rows = await self._scope.all(statement, {"numbers": numbers[at : at + size].tolist()})
            yield [dict(row._mapping) for row in rows]

    async def _vectors(self, table: sa.Table, rows: Sequence[Row]) -> dict[int, bytes]:
        if table not in VECTORED or not rows:
            return {}
        column, number = search_documents.c, number_of(table)
        owners: dict[str, list[int]] = {}
        for row in rows:
            owners.setdefault(row.get("kind", INTERACTION), []).append(
                row[number.name if number is not None else ""]
            )
        found: dict[int, bytes] = {}
        for kind, ids in owners.items():
            statement = sa.select(column.owner_id, column.vector).where(
                column.org_id == self._scope.org_id,
                column.kind == kind,
                one_of(column.owner_id, ids),
                column.vector.is_not(None),
            )
            found |= {row.owner_id: row.vector for row in await self._scope.all(statement)}
        return found
