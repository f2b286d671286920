"""Conditions that only help the planner; statements mean the same without them."""

from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement

Type = TypeVar("Type")


class _Unindexed(ColumnElement[Any]):
    """The column of `unindexed`; compiled below for each database."""

    inherit_cache = True
    _traverse_internals = [("column", sa.sql.visitors.InternalTraversal.dp_clauseelement)]

    def __init__(self, column: ColumnElement[Any]) -> None:
        self.column = column
        self.type = column.type


@compiles(_Unindexed)
def _as_it_is(element: _Unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.column, **options)


@compiles(_Unindexed, "sqlite")
def _as_expression(element: _Unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(element.column, **options)}"


def unindexed(column: ColumnElement[Type]) -> ColumnElement[Type]:
    """
    Return *column* in a form for which SQLite uses no index.

    Without statistics, SQLite may choose an index, or an order of two tables, that reads all rows of an organisation.
    PostgreSQL has statistics, and may use every index.

    Source: https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
    """
    return _Unindexed(column)
