"""The types of columns."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect

LITTLE_HALVES, BIG_HALVES = np.dtype("<f2"), np.dtype(">f2")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(sa.types.TypeDecorator[datetime]):
    """A UTC datetime, kept as whole microseconds since 1970 so that it compares and indexes as a number."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn a datetime into the number that is kept."""
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return what turns the number that is kept into a datetime: itself, as a search reads a thousand of them."""
        return _moment


def _moment(value: int | None) -> datetime | None:
    return None if value is None else _EPOCH + timedelta(microseconds=value)


class _HalfVector(sa.types.UserDefinedType[bytes]):
    """pgvector's half-precision vector; the driver is taught to carry it in `storage/postgres/driver.py`."""

    cache_ok = True

    def get_col_spec(self, **_options: object) -> str:
        """Return the type's name."""
        return "halfvec"

    def bind_processor(self, dialect: Dialect) -> Any:
        """Return what turns our bytes into the driver's value."""
        from pgvector import HalfVector  # noqa: PLC0415  only PostgreSQL needs the package

        def process(value: Any) -> Any:
            return None if value is None else HalfVector(np.frombuffer(value, LITTLE_HALVES))

        return process

    def column_expression(self, colexpr: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        """Read the binary form: the numbers as text take far longer."""
        return sa.func.halfvec_send(colexpr, type_=self)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return what turns the binary form (a header of 4 bytes, then big-endian numbers) into our bytes."""

        def process(value: Any) -> bytes | None:
            return (
                None
                if value is None
                else np.frombuffer(value, BIG_HALVES, offset=4).astype(LITTLE_HALVES).tobytes()
            )

        return process


class Halves(sa.types.TypeDecorator[bytes]):
    """A vector as little-endian half-precision numbers, [d]: a blob on SQLite, a `halfvec` on PostgreSQL."""

    impl = sa.LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        """Return what the database calls it."""
        return dialect.type_descriptor(_HalfVector() if dialect.name == "postgresql" else sa.LargeBinary())


Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""A row number; SQLite counts up by itself only for its own INTEGER."""


Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
"""A JSON value; None is no value."""


def org(*, primary_key: bool = False) -> sa.Column[str]:
    """Return the tenant of a row."""
    return sa.Column(
        "org_id",
        sa.Text,
        sa.ForeignKey("organisations.org_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def part_of(name: str, target: str, *, primary_key: bool = False) -> sa.Column[int]:
    """Return the number of a row elsewhere with which this one goes."""
    reference = sa.ForeignKey(target, ondelete="CASCADE")
    return sa.Column(name, Number, reference, primary_key=primary_key, nullable=False)


def text(name: str) -> sa.Column[str]:
    """Return a text, empty unless given."""
    return sa.Column(name, sa.Text, nullable=False, default="", server_default="")


def texts(*names: str) -> list[sa.Column[str]]:
    """Return texts, each empty unless given."""
    return [text(name) for name in names]


def json(name: str, empty: str) -> sa.Column[Any]:
    """Return a JSON value, *empty* unless given."""
    return sa.Column(name, Json, nullable=False, server_default=sa.text(f"'{empty}'"))


def count(name: str, start: int = 0) -> sa.Column[int]:
    """Return a count, *start* unless given."""
    return sa.Column(name, sa.Integer, nullable=False, default=start, server_default=str(start))


def flag(name: str) -> sa.Column[bool]:
    """Return a yes or no, no unless given."""
    return sa.Column(name, sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false())


def at(name: str) -> sa.Column[datetime]:
    """Return a moment."""
    return sa.Column(name, Moment, nullable=False)


def maybe_at(name: str) -> sa.Column[datetime | None]:
    """Return a moment, or none."""
    return sa.Column(name, Moment)


def number(name: str) -> sa.Column[int]:
    """Return a row number that counts up by itself."""
    return sa.Column(name, Number, primary_key=True, autoincrement=True)


def partial(
    name: str, *indexed: Any, where: sa.ColumnElement[bool] | sa.TextClause, unique: bool = False
) -> sa.Index:
    """Return an index over the rows that *where* admits."""
    return sa.Index(name, *indexed, unique=unique, sqlite_where=where, postgresql_where=where)
