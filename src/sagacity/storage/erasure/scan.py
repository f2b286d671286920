"""Search for leftovers of a user, in every table of the organisation and in the database's own files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.ids import OrgId, UserId
from sagacity.storage.base import Backend
from sagacity.storage.erasure.places import is_of_user
from sagacity.storage.schema.tables import metadata, search_documents, search_index
from sagacity.storage.sqlite.file import SIDES, beside
from sagacity.storage.statements.array_params import one_of

_PIECE_BYTES = 2**22
_NEEDLES_A_STATEMENT = 20
TABLES = [table for table in metadata.sorted_tables if table is not search_index]
"""The tables that may hold data of a user; the single row of `search_index` belongs to no organisation."""


@dataclass(slots=True)
class Found:
    """What a search of the tables found."""

    rows: list[str] = field(default_factory=list[str])
    """Tables that have rows of the user."""
    mentions: list[str] = field(default_factory=list[str])
    """Tables in which other rows contain one of the texts."""
    explained: set[str] = field(default_factory=set[str])
    """The texts that a row contains, so that the database's files may contain them too."""


async def scan_tables(
    backend: Backend,
    org_id: OrgId,
    needles: Sequence[str],
    *,
    user_id: UserId | None,
    scope_ids: Sequence[int] = (),
) -> Found:
    """
    Search every table for rows of an organisation; if one file holds all organisations, for rows of any.

    Args:
        backend: the database.
        org_id: the organisation.
        needles: the texts to search for.
        user_id: the user who must have no rows; None: do not search by user.
        scope_ids: scopes of the search index that must have no rows.
    """
    found = Found()
    for table in TABLES:
        async with backend.read(org_id) as connection:
            await backend.take_time(connection)
            if await _has_rows(connection, table, org_id, user_id, scope_ids):
                found.rows.append(table.name)
            held = await _held(connection, backend, table, org_id, needles)
        found.explained |= held.keys()
        if any(held.values()):
            found.mentions.append(table.name)
    return found


async def user_ids(backend: Backend, org_id: OrgId) -> set[UserId]:
    """Return every user who has a row in some table."""
    found: set[UserId] = set()
    for table in TABLES:
        if "user_id" in table.c:
            named = sa.select(table.c.user_id).where(table.c.org_id == org_id).distinct()
            async with backend.read(org_id) as connection:
                await backend.take_time(connection)
                found |= {UserId(row.user_id) for row in await connection.execute(named) if row.user_id}
    return found


async def _has_rows(
    connection: AsyncConnection,
    table: sa.Table,
    org_id: OrgId,
    user_id: UserId | None,
    scope_ids: Sequence[int],
) -> bool:
    key = next(iter(table.primary_key))
    wanted: list[sa.ColumnElement[bool]] = []
    if user_id is not None and "user_id" in table.c:
        wanted.append(is_of_user(table, org_id, user_id))
    if scope_ids and table is search_documents:
        wanted.append(sa.and_(table.c.org_id == org_id, one_of(table.c.scope_id, scope_ids)))
    return any(
        [(await connection.execute(sa.select(key).where(one).limit(1))).first() is not None for one in wanted]
    )


async def _held(
    connection: AsyncConnection, backend: Backend, table: sa.Table, org_id: OrgId, needles: Sequence[str]
) -> dict[str, bool]:
    """Return which of *needles* the table's rows contain, and whether rows of the organisation do."""
    texts = [_as_text(column) for column in table.c if isinstance(column.type, sa.Text | sa.JSON)]
    whole: sa.ColumnElement[str] = sa.func.coalesce(texts[0], "")
    for one in texts[1:]:
        whole = whole.concat("\n").concat(sa.func.coalesce(one, ""))
    is_own = sa.case((table.c.org_id == org_id, 2), else_=1)
    rows = sa.select(whole.label("whole"), is_own.label("rank")).subquery()  # written once, for all needles
    place = sa.func.strpos if backend.name == "postgresql" else sa.func.instr
    held: dict[str, bool] = {}
    for start in range(0, len(needles), _NEEDLES_A_STATEMENT):
        some = needles[start : start + _NEEDLES_A_STATEMENT]
        stands = [sa.or_(*(place(rows.c.whole, text) > 0 for text in spellings(one))) for one in some]
        of_org = [sa.func.max(rows.c.rank).filter(one) for one in stands]
        [row] = (await connection.execute(sa.select(*of_org))).all()
        held |= {one: rank > 1 for one, rank in zip(some, row, strict=True) if rank}
    return held


def _as_text(column: sa.Column[object]) -> sa.ColumnElement[str]:
    return sa.cast(column, sa.Text)


def spellings(needle: str) -> list[str]:
    """Return a text as it is written in a field, and as it is escaped in JSON."""
    quoted = (json.dumps(needle, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    return list(dict.fromkeys([needle, *quoted]))


def scan_files(path: Path, needles: Sequence[str]) -> tuple[list[str], list[str]]:
    """
    Search an SQLite database's files byte by byte.

    Args:
        path: the database; the files that SQLite keeps beside it are searched too.
        needles: the texts to search for.

    Returns:
        The names of the searched files, and of those that contain one of the texts.
    """
    texts = [text.encode() for one in needles for text in spellings(one)]
    there = [one for one in (beside(path, side) for side in ("", *SIDES)) if one.exists()]
    return [one.name for one in there], [one.name for one in there if holds_any(one, texts)]


def holds_any(path: Path, texts: Sequence[bytes]) -> bool:
    """Return whether a file holds one of *texts*."""
    overlap = max(map(len, texts), default=0)
    tail = b""
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            whole = tail + piece
            if any(text in whole for text in texts):
                return True
            tail = whole[-overlap:] if overlap else b""
    return False
