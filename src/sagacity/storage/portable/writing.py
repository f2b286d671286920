"""Write a user or an organisation as lines."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.paced import each
from sagacity.storage.portable.carried import number_of
from sagacity.storage.portable.lines import (
    End,
    ExportScope,
    Manifest,
    end_line,
    manifest_line,
    row_line,
)
from sagacity.storage.portable.reading import PortableRepository, Row


async def lines_of(
    source: PortableRepository, org_id: OrgId, user_id: UserId | None, *, now: datetime
) -> AsyncGenerator[bytes]:
    """
    Yield the lines of a file, several at a time, all from one snapshot.

    Args:
        source: the repository of an open transaction.
        org_id: the organisation.
        user_id: the user; None for the whole organisation.
        now: the time of the export, for the manifest.

    Raises:
        NotFound: nothing is stored of the user.
        Conflict: the user is being erased.
    """
    if user_id is not None:
        await source.require(user_id)
    embedder, dimension = await source.made_by()
    manifest = Manifest(
        scope=ExportScope.ORGANISATION if user_id is None else ExportScope.USER,
        org_id=org_id,
        user_id=user_id,
        exported_at=now,
        embedder=embedder,
        dimension=dimension,
    )
    first = manifest_line(manifest)
    hashed, counts = hashlib.sha256(first), dict[str, int]()
    yield first
    async for table, rows, vectors in source.pages(user_id):
        some = b"".join(await each(_liner(table, vectors), rows))
        hashed.update(some)
        counts[table.name] = counts.get(table.name, 0) + len(rows)
        yield some
        await asyncio.sleep(0)
    yield end_line(End(rows=counts, sha256=hashed.hexdigest()))


def _liner(table: sa.Table, vectors: Mapping[int, bytes]) -> Callable[[Row], bytes]:
    """Return the function that makes the line of a row of *table*."""
    number = number_of(table)
    return lambda row: row_line(table, row, None if number is None else vectors.get(row[number.name]))
