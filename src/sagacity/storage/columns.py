"""The kinds of column that tables are made of."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(sa.types.TypeDecorator[datetime]):
    """A UTC datetime, kept as whole microseconds since 1970 so that it compares and indexes as a number."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn a datetime into the number that is kept."""
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Turn the number that is kept into a datetime."""
        return None if value is None else _EPOCH + timedelta(microseconds=int(value))


Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""A row number; SQLite counts up by itself only for its own INTEGER."""


def org(*, primary_key: bool = False) -> sa.Column[str]:
    """Return the tenant of a row."""
    return sa.Column(
        "org_id",
        sa.Text,
        sa.ForeignKey("organisations.org_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def text(name: str, *, primary_key: bool = False) -> sa.Column[str]:
    """Return a text, empty unless given."""
    return sa.Column(name, sa.Text, primary_key=primary_key, nullable=False, default="", server_default="")


def json(name: str, empty: str) -> sa.Column[Any]:
    """Return a JSON value, *empty* unless given."""
    return sa.Column(name, sa.JSON, nullable=False, server_default=sa.text(f"'{empty}'"))


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
