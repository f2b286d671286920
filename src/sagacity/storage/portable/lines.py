"""
The lines of a file of exported data, and what each may hold.

    {"manifest": {"format": "sagacity-export", "version": 1, …}}      format, owner of the data, model of the vectors
    {"table": "memories", "row": {"memory_id": 7, …}}                 a row, parents before children
    {"end": {"rows": {"memories": 12, …}, "sha256": "…"}}             counts of rows, and the hash of all lines before
"""

import base64
import binascii
import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Literal, cast

import numpy as np
import sqlalchemy as sa
from pydantic import Field, ValidationError

from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import MAX_INT, MAX_KEY_BYTES, byte_count
from sagacity.storage.portable.carried import VECTORED, columns_of
from sagacity.storage.schema.columns import Moment
from sagacity.storage.schema.tables import metadata

FORMAT, VERSION = "sagacity-export", 1
MAX_LINE_BYTES = 64 * 2**20
"""The most bytes of a line: a turn may have an image, and a change holds a memory twice."""
_DEEPEST = 100
_SMALL = 2**31
_UNIT = 0.02
"""How far the length of a vector in half precision may be from 1."""
VECTOR = "vector"
Row = dict[str, Any]
Read = Callable[[object], object]


class ExportScope(StrEnum):
    """Whether a file is of one user or of an organisation."""

    USER = "user"
    ORGANISATION = "organisation"


class Manifest(Value):
    """The first line, which describes the file."""

    format: Literal["sagacity-export"] = FORMAT
    version: Literal[1] = VERSION
    scope: ExportScope
    org_id: str
    user_id: str | None = None
    exported_at: datetime
    embedder: str = ""
    """The model that made the vectors; empty if there are none."""
    dimension: int = Field(default=0, ge=0, le=65_536)

    @property
    def whole(self) -> bool:
        """Whether the file is of a whole organisation."""
        return self.scope is ExportScope.ORGANISATION


class End(Value):
    """The last line, which sums up the lines before it."""

    rows: dict[str, int]
    sha256: str


def manifest_line(manifest: Manifest) -> bytes:
    """Return the first line."""
    return _line({"manifest": manifest.model_dump(mode="json")})


def end_line(end: End) -> bytes:
    """Return the last line."""
    return _line({"end": end.model_dump(mode="json")})


def row_line(table: sa.Table, row: Mapping[str, Any], vector: bytes | None) -> bytes:
    """Return the line of a row; *vector*, of tables that have one, is in little-endian half precision."""
    shown = {column.name: _shown(row[column.name]) for column in columns_of(table)}
    if table in VECTORED:
        shown[VECTOR] = None if vector is None else base64.b64encode(vector).decode()
    return _line({"table": table.name, "row": shown})


def read_line(line: bytes) -> dict[str, Any]:
    """
    Return the object on a line.

    Raises:
        InvalidInput: the line is not an object, or one of its objects has a key twice.
    """
    try:
        found: object = json.loads(line, object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise InvalidInput("it is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _NotOurs) else "it is not valid JSON"
        raise InvalidInput(reason) from error
    if not isinstance(found, dict):
        raise InvalidInput("it must be a JSON object")
    return cast("dict[str, Any]", found)


def read_manifest(line: bytes) -> Manifest:
    """
    Return the manifest on the first line.

    Raises:
        InvalidInput: the line is not a manifest, or one of an unknown version.
    """
    found = read_line(line)
    stated: object = found.get("manifest")
    if set(found) != {"manifest"} or not isinstance(stated, dict):
        raise InvalidInput("the first line is not a manifest")
    fields = cast("dict[str, object]", stated)
    if fields.get("format") != FORMAT:
        raise InvalidInput("it is not a file that `sagacity export` wrote")
    if fields.get("version") != VERSION:
        raise InvalidInput(
            f"this release reads version {VERSION} of the format, and the file has {fields.get('version')!r:.40}"
        )
    try:
        manifest = Manifest.model_validate(fields)
    except ValidationError as error:
        names = ", ".join(".".join(map(str, one["loc"])) for one in error.errors())
        raise InvalidInput(f"the manifest has no valid value for: {names:.200}") from error
    for name in ("org_id", "user_id"):
        _text(getattr(manifest, name) or "", name, indexed=True)
    if manifest.whole == bool(manifest.user_id):
        raise InvalidInput("the manifest must name a user if, and only if, the file is of one user")
    return manifest


def read_end(found: Mapping[str, Any]) -> End:
    """
    Return the summary on the last line.

    Raises:
        InvalidInput: the line breaks the format.
    """
    try:
        return End.model_validate(found["end"])
    except ValidationError as error:
        raise InvalidInput("the last line must hold the counts of rows, and a hash") from error


def table_of(said: Mapping[str, object], tables: Mapping[str, sa.Table]) -> sa.Table:
    """
    Return the one of *tables* to which a line belongs.

    Raises:
        InvalidInput: it belongs to none.
    """
    if set(said) != {"table", "row"}:
        raise InvalidInput("it must have `table` and `row`, or be the last line")
    name = said["table"]
    if not isinstance(name, str) or name not in tables:
        hint = " in a file of one user" if isinstance(name, str) and name in metadata.tables else ""
        raise InvalidInput(f"there is no table {name!r:.80}{hint}")
    return tables[name]


def read_row(table: sa.Table, given: object, dimension: int) -> tuple[Row, bytes | None]:
    """
    Return a row as it is stored, and its vector.

    Raises:
        InvalidInput: a column is missing or unknown, or holds an invalid value.
    """
    if not isinstance(given, dict):
        raise InvalidInput("`row` must be an object")
    fields = cast("dict[str, object]", given)
    readers = _readers(table)
    named = {*readers, *([VECTOR] if table in VECTORED else [])}
    if unknown := sorted(fields.keys() - named):
        raise InvalidInput(f"{table.name} has no column {unknown[0]!r:.80}")
    if missing := sorted(named - fields.keys()):
        raise InvalidInput(f"the column {missing[0]} of {table.name} is missing")
    row = {name: read(fields[name]) for name, read in readers.items()}
    return row, _vector(fields[VECTOR], dimension) if table in VECTORED else None


@cache
def _readers(table: sa.Table) -> dict[str, Read]:
    indexed = {column.name for index in table.indexes for column in index.columns}
    indexed |= {column.name for column in table.primary_key.columns}
    return {column.name: _reader(column, indexed=column.name in indexed) for column in columns_of(table)}


def _reader(column: sa.Column[object], *, indexed: bool) -> Read:
    name = f"{column.table.name}.{column.name}"
    read = _reader_of_type(column.type, name, indexed=indexed)

    def read_maybe(value: object) -> object:
        if value is not None:
            return read(value)
        if not column.nullable:
            raise InvalidInput(f"{name} must not be null")
        return None

    return read_maybe


def _reader_of_type(kind: sa.types.TypeEngine[Any], name: str, *, indexed: bool) -> Read:
    if isinstance(kind, Moment):
        return lambda value: _moment(value, name)
    if isinstance(kind, sa.JSON):
        return lambda value: _json(value, name)
    if isinstance(kind, sa.Boolean):
        return lambda value: _of(bool, value, name, "true or false")
    if isinstance(kind, sa.Float):
        return lambda value: _float(value, name)
    if isinstance(kind, sa.Integer):
        bound = MAX_INT if isinstance(kind, sa.BigInteger) else _SMALL - 1
        return lambda value: _whole(value, name, bound)
    return lambda value: _text(value, name, indexed=indexed)


def _of(kind: type, value: object, name: str, words: str) -> object:
    if not isinstance(value, kind):
        raise InvalidInput(f"{name} must be {words}")
    return value


def _text(value: object, name: str, *, indexed: bool) -> str:
    text = cast("str", _of(str, value, name, "a text"))
    _refuse_text(text, name)
    if indexed and byte_count(text) > MAX_KEY_BYTES:
        raise InvalidInput(f"{name} may have at most {MAX_KEY_BYTES} bytes in UTF-8")
    return text


def _whole(value: object, name: str, bound: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -bound <= value <= bound:
        raise InvalidInput(f"{name} must be a whole number from {-bound} to {bound}")
    return value


def _float(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInput(f"{name} must be finite")
    return number


def _moment(value: object, name: str) -> datetime:
    words = "a time in ISO 8601 with its zone"
    try:
        moment = datetime.fromisoformat(cast("str", _of(str, value, name, words)))
        if moment.tzinfo is None:
            raise InvalidInput(f"{name} must be {words}")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} must be {words}") from error


def _json(value: object, name: str) -> object:
    """Refuse values that no database stores unchanged, at any depth."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise InvalidInput(f"{name} is nested more than {_DEEPEST} levels deep")
        if isinstance(one, str):
            _refuse_text(one, name)
        elif isinstance(one, float) and not math.isfinite(one):
            raise InvalidInput(f"{name} holds a number that is not finite")
        elif isinstance(one, dict):
            for key, part in cast("dict[str, object]", one).items():
                waiting += [(key, depth), (part, depth + 1)]
        elif isinstance(one, list):
            waiting += [(part, depth + 1) for part in cast("list[object]", one)]
    return value


def _vector(value: object, dimension: int) -> bytes | None:
    if value is None:
        return None
    try:
        packed = base64.b64decode(cast("str", _of(str, value, VECTOR, "base64")), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("the vector is not base64") from error
    if not dimension or len(packed) != 2 * dimension:
        raise InvalidInput(f"the vector must have {dimension} numbers of 2 bytes, as the manifest says")
    length = float(np.linalg.norm(np.frombuffer(packed, "<f2").astype(np.float64)))
    if not abs(length - 1) <= _UNIT:
        raise InvalidInput("the vector must have the length 1")
    return packed


def _refuse_text(text: str, name: str) -> None:
    if "\x00" in text:
        raise InvalidInput(f"{name} holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} holds a lone surrogate") from error


class _NotOurs(ValueError):
    """JSON that programs read in different ways."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _NotOurs("an object has a key twice")
    return found


def _no_constant(name: str) -> object:
    raise _NotOurs(f"{name} is not valid JSON")


def _shown(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _line(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"{text}\n".encode()
