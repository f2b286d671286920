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
    """A UTC datetime, stored as whole microseconds since 1970, so that it is compared and indexed as a number."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn a datetime into the stored number."""
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return the function that turns a stored number into a datetime; a direct one, as searches read thousands."""
        return _moment


def _moment(value: int | None) -> datetime | None:
    return None if value is None else _EPOCH + timedelta(microseconds=value)


class _HalfVector(sa.types.UserDefinedType[bytes]):
    """pgvector's half-precision vector; `storage/postgres/driver.py` registers it with the driver."""

    cache_ok = True

    def get_col_spec(self, **_options: object) -> str:
        """Return the type's name."""
        return "halfvec"

    def bind_processor(self, dialect: Dialect) -> Any:
        """Return the function that turns our bytes into the driver's value."""
        from pgvector import HalfVector  # noqa: PLC0415  only PostgreSQL needs the package

        def process(value: Any) -> Any:
            return None if value is None else HalfVector(np.frombuffer(value, LITTLE_HALVES))

        return process

    def column_expression(self, colexpr: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        """Read the binary form, because reading numbers as text takes far longer."""
        return sa.func.halfvec_send(colexpr, type_=self)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return the function that turns the binary form (4 bytes of header, big-endian numbers) into our bytes."""

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
        """Return the database's type."""
        return dialect.type_descriptor(_HalfVector() if dialect.name == "postgresql" else sa.LargeBinary())


Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""A row number; SQLite generates numbers only for its own INTEGER."""


Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
"""A JSON value; None is stored as NULL."""


def org(*, primary_key: bool = False) -> sa.Column[str]:
    """Return the column for the tenant of a row."""
    return sa.Column(
        "org_id",
        sa.Text,
        sa.ForeignKey("organisations.org_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def part_of(name: str, target: str, *, primary_key: bool = False) -> sa.Column[int]:
    """Return the column for the number of another table's row, with which this row is deleted."""
    reference = sa.ForeignKey(target, ondelete="CASCADE")
    return sa.Column(name, Number, reference, primary_key=primary_key, nullable=False)


def text(name: str) -> sa.Column[str]:
    """Return a text column, empty by default."""
    return sa.Column(name, sa.Text, nullable=False, default="", server_default="")


def texts(*names: str) -> list[sa.Column[str]]:
    """Return text columns, each empty by default."""
    return [text(name) for name in names]


def json(name: str, empty: str) -> sa.Column[Any]:
    """Return a JSON column, *empty* by default."""
    return sa.Column(name, Json, nullable=False, server_default=sa.text(f"'{empty}'"))


def count(name: str, start: int = 0) -> sa.Column[int]:
    """Return a column for a count, *start* by default."""
    return sa.Column(name, sa.Integer, nullable=False, default=start, server_default=str(start))


def flag(name: str) -> sa.Column[bool]:
    """Return a Boolean column, false by default."""
    return sa.Column(name, sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false())


def at(name: str) -> sa.Column[datetime]:
    """Return a moment."""
    return sa.Column(name, Moment, nullable=False)


def maybe_at(name: str) -> sa.Column[datetime | None]:
    """Return a nullable column for a time."""
    return sa.Column(name, Moment)


def number(name: str) -> sa.Column[int]:
    """Return the column for a generated row number."""
    return sa.Column(name, Number, primary_key=True, autoincrement=True)


def partial(
    name: str, *indexed: Any, where: sa.ColumnElement[bool] | sa.TextClause, unique: bool = False
) -> sa.Index:
    """Return a partial index of the rows that meet *where*."""
    return sa.Index(name, *indexed, unique=unique, sqlite_where=where, postgresql_where=where)
