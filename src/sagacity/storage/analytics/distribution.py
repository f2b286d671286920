"""Percentiles in SQL, the same on every database."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.analytics_reports import Percentiles

_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def distributions(
    values: Mapping[str, sa.ColumnElement[Any]],
    conditions: Sequence[sa.ColumnElement[bool]],
    *,
    key: sa.ColumnElement[Any] | None = None,
) -> "sa.Select[*tuple[Any, ...]]":
    """
    Return the statement for the distribution of columns: one row, with `name` and `key`, for each that has values.

    The percentile at share q of n sorted values is at position q * (n - 1), counted from 0, and interpolated between
    two positions. This is PERCENTILE_CONT of the SQL standard, which SQLite lacks, and numpy's default.

    Args:
        values: the columns, by name; nulls are ignored.
        conditions: select the rows.
        key: the column to group by; None: one group.
    """
    group = sa.literal(0) if key is None else key
    ranked = sa.union_all(*(_ranked(name, one, group, conditions) for name, one in values.items())).subquery()
    column = ranked.c
    return sa.select(
        column.name,
        column.key,
        *(_percentile(column, share).label(name) for name, share in _SHARES.items()),
        sa.func.avg(column.value).label("avg"),
        sa.func.min(column.value).label("min"),
        sa.func.max(column.value).label("max"),
        sa.func.count().label("sample_count"),
    ).group_by(column.name, column.key)


def percentiles_of(row: Any) -> Percentiles:
    """Turn a row of `distributions` into the value."""
    return Percentiles.model_validate(row._mapping, extra="ignore")


def _ranked(
    name: str,
    value: sa.ColumnElement[Any],
    group: sa.ColumnElement[Any],
    conditions: Sequence[sa.ColumnElement[bool]],
) -> "sa.Select[*tuple[Any, ...]]":
    parts = None if isinstance(group, sa.BindParameter) else group
    return sa.select(
        sa.literal(name, sa.Text).label("name"),
        group.label("key"),
        value.label("value"),
        (sa.func.row_number().over(order_by=value, partition_by=parts) - 1).label("place"),
        sa.func.count().over(partition_by=parts).label("size"),
    ).where(*conditions, value.is_not(None))


def _percentile(column: Any, share: float) -> sa.ColumnElement[float]:
    """Return the sum of the two nearest values, each weighted by how near it is."""
    distance = sa.func.abs(column.place - sa.literal(share, sa.Float) * (column.size - 1))
    return sa.func.sum(sa.case((distance < 1, column.value * (1 - distance)), else_=0.0))
