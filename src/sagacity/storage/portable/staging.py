"""
Read and check a whole file of exported data before any of it is stored.

Its rows go into a temporary database with the real schema, which finds duplicate keys and missing parents.
"""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import OrgId
from sagacity.storage.base import Backend
from sagacity.storage.portable.carried import number_of, tables_of
from sagacity.storage.portable.checks import check_row, check_whole
from sagacity.storage.portable.lines import (
    MAX_LINE_BYTES,
    End,
    Manifest,
    Row,
    read_end,
    read_line,
    read_manifest,
    read_row,
    table_of,
)
from sagacity.storage.schema.tables import organisations, users
from sagacity.storage.transfer.copy import OnProgress, Step

OpenFile = Callable[[Path], Awaitable[Backend]]
_ROWS, _BYTES = 500, 4 * 2**20
"""How many bytes are checked and written at a time."""
vectors: Final = sa.Table(
    "import_vectors",
    sa.MetaData(),
    sa.Column("of_table", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("vector", sa.LargeBinary, nullable=False),
)
"""The table for the vectors of a file."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A complete and valid file, as a database."""

    manifest: Manifest
    import_id: str
    """The hash of the file's content."""
    rows: Mapping[str, int]
    backend: Backend
    org_id: OrgId

    async def all(self, statement: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        """Run a statement on the file's rows, and return the result."""
        async with self.backend.read(None) as connection:
            return (await connection.execute(statement)).all()


@asynccontextmanager
async def staged(
    path: Path, org_id: OrgId, open_file: OpenFile, on_progress: OnProgress
) -> AsyncGenerator[Staged]:
    """
    Read and check a whole file.

    Args:
        path: the file.
        org_id: the organisation to which the rows will belong.
        open_file: opens an SQLite file and creates its schema.
        on_progress: called with the progress.

    Raises:
        InvalidInput: the file is incomplete or invalid; the message names the line.
    """
    with tempfile.TemporaryDirectory(prefix="sagacity-") as folder:
        database = Path(folder) / "import.db"
        database.touch(mode=0o600)
        backend = await open_file(database)
        try:
            with _opened(path) as file:
                async with backend.write(org_id) as connection:
                    reading = _Reading(file, path.stat().st_size, connection, org_id, on_progress)
                    manifest, end = await reading.all()
            yield Staged(manifest, end.sha256, end.rows, backend, org_id)
        finally:
            await backend.close()


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error


class _Reading:
    """Reads a file into a database."""

    def __init__(
        self, file: BinaryIO, size: int, connection: AsyncConnection, org_id: OrgId, on_progress: OnProgress
    ) -> None:
        self._file = file
        self._size = size
        self._connection = connection
        self._org_id = org_id
        self._on_progress = on_progress
        self._number = 0
        self._hash = hashlib.sha256()
        self._counts: dict[str, int] = {}

    async def all(self) -> tuple[Manifest, End]:
        """Read the whole file; returns its first and its last line."""
        try:
            manifest = read_manifest(self._next())
        except InvalidInput as error:
            raise self._at(error) from error
        bare = {"org_id": self._org_id, "name": "", "created_at": manifest.exported_at}
        await self._connection.execute(organisations.insert(), bare)
        await self._connection.run_sync(vectors.metadata.create_all)
        tables = {table.name: table for table in tables_of(whole=manifest.whole)}
        end = None
        while end is None:
            end = await self._some(manifest, tables)
            done, total = self._file.tell(), self._size
            self._on_progress(Step(doing="checking the file", done=min(done, total), total=total))
        if self._file.read(1):
            raise InvalidInput(f"line {self._number + 1}: something follows the last line")
        self._compare(end)
        await check_whole(self._connection)
        if not manifest.whole:
            await self._own_row(manifest)
        return manifest, end

    async def _some(self, manifest: Manifest, tables: Mapping[str, sa.Table]) -> End | None:
        """Read up to some hundred rows of one table; returns the last line if it is reached."""
        table: sa.Table | None = None
        rows: list[Row] = []
        found: list[Row] = []
        size, first = 0, self._number + 1
        while len(rows) < _ROWS and size < _BYTES:
            start, before = self._file.tell(), self._hash.copy()
            line = self._next()
            try:
                said = read_line(line)
                if set(said) == {"end"}:
                    if rows:  # the line is read again with the next part
                        self._go_back(start, before)
                        break
                    self._hash = before
                    return read_end(said)
                named = table_of(said, tables)
                if table is not None and named is not table:
                    self._go_back(start, before)
                    break
                table = named
                row, vector = read_row(table, said["row"], manifest.dimension)
                check_row(table, row, manifest)
            except InvalidInput as error:
                raise self._at(error) from error
            rows.append(row | {"org_id": self._org_id})
            if vector is not None and (number := number_of(table)) is not None:
                found.append({"of_table": table.name, "number": row[number.name], "vector": vector})
            size += len(line)
        if table is not None:
            await self._write(table, rows, found, first)
        await asyncio.sleep(0)
        return None

    async def _write(self, table: sa.Table, rows: list[Row], found: list[Row], first: int) -> None:
        place = f"lines {first} to {self._number}"
        try:
            await self._connection.execute(table.insert(), rows)
            if found:
                await self._connection.execute(vectors.insert(), found)
        except IntegrityError as error:
            what = str(error.orig)
            if "FOREIGN KEY" in what:
                raise InvalidInput(
                    f"{place}: {table.name} names a row that does not come before it in the file"
                ) from error
            raise InvalidInput(f"{place}: two rows of {table.name} have one key ({what:.200})") from error
        self._counts[table.name] = self._counts.get(table.name, 0) + len(rows)

    def _next(self) -> bytes:
        """Return the next line, and add it to the hash."""
        line = self._file.readline(MAX_LINE_BYTES + 1)
        self._number += 1
        if len(line) > MAX_LINE_BYTES:
            raise InvalidInput(f"line {self._number} has more than {MAX_LINE_BYTES:,} bytes")
        if not line.endswith(b"\n"):
            raise InvalidInput(
                f"the file is not whole: it breaks off at line {self._number}. Export it, or copy it, again"
            )
        self._hash.update(line)
        return line

    def _go_back(self, start: int, before: Any) -> None:
        self._file.seek(start)
        self._hash, self._number = before, self._number - 1

    def _at(self, error: InvalidInput) -> InvalidInput:
        return InvalidInput(f"line {self._number}: {error}")

    def _compare(self, end: End) -> None:
        if end.rows != self._counts:
            raise InvalidInput("the file was changed: its last line has other counts of rows")
        if end.sha256 != self._hash.hexdigest():
            raise InvalidInput("the file was changed: its content has another hash than the last line says")

    async def _own_row(self, manifest: Manifest) -> None:
        """Create the log of a user who has none, such as one whose memories were written by hand."""
        there = sa.select(users.c.user_id).limit(1)
        if (await self._connection.execute(there)).first() is None:
            at = manifest.exported_at
            row = {"org_id": self._org_id, "user_id": manifest.user_id, "created_at": at, "updated_at": at}
            await self._connection.execute(users.insert(), row)
