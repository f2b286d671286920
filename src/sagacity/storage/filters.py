"""
What may be found, as conditions of a query.

A statement is built once for all questions that ask by the same fields, and gets what they ask for as parameters:
building one costs more than to run it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

import sqlalchemy as sa

from sagacity.domain.memory import VERSIONED_KINDS
from sagacity.domain.query import Filter
from sagacity.storage.base import SearchScope
from sagacity.storage.lists import among
from sagacity.storage.tables import search_documents

SHAPES = 256
"""Statements of a sort that are kept: a bound, as callers choose by what they ask."""
_column = search_documents.c
_is_unversioned = _column.kind.not_in([str(kind) for kind in VERSIONED_KINDS])
_CONDITIONS: dict[str, sa.ColumnElement[bool]] = {
    "statuses": among(_column.status, "statuses"),
    "approvals": among(_column.approval, "approvals"),
    "agent_version": sa.or_(_is_unversioned, _column.agent_version == sa.bindparam("agent_version")),
    "name": sa.or_(_is_unversioned, _column.name == sa.bindparam("name")),
    "source": _column.source == sa.bindparam("source"),
    "request_id": _column.request_id == sa.bindparam("request_id"),
    "start": _column.changed_at >= sa.bindparam("start"),
    "end": _column.changed_at <= sa.bindparam("end"),
    "valid_at": sa.or_(_column.expires_at.is_(None), _column.expires_at > sa.bindparam("valid_at")),
}


def values_of(wanted: Filter) -> dict[str, Any]:
    """Return what the fields of *wanted* that ask for anything ask for, other than whose it is and of which kind."""
    found = {field: getattr(wanted, field) for field in _CONDITIONS}
    return {field: _plain(value) for field, value in found.items() if value is not None and value != ()}


def _plain(value: Any) -> Any:
    """Return what the database takes in place of an enumeration's members."""
    return [str(one) for one in cast("tuple[object, ...]", value)] if isinstance(value, tuple) else value


def admitted(fields: Iterable[str]) -> list[sa.ColumnElement[bool]]:
    """Return the conditions of *fields* on a document; `values_of` gives their parameters."""
    return [_CONDITIONS[field] for field in fields]


def within(kind: str, column: sa.ColumnElement[Any], *, of_user: bool) -> sa.ColumnElement[bool]:
    """
    Return that *column* is one of the scopes of a kind; `scopes_by_kind` gives the parameter.

    A user has one scope of a kind. Said as an equality, a plan that is made for any value takes it for one of many;
    of a list it would expect so much that it reads the whole table.
    """
    if of_user:
        return column == sa.bindparam(f"scopes_{kind}")
    return among(column, f"scopes_{kind}")


def scopes_by_kind(scopes: Sequence[SearchScope], *, of_user: bool) -> dict[str, Any]:
    """Return the parameters of `within` for the kinds of *scopes*."""
    if of_user:
        return {f"scopes_{one.kind}": one.scope_id for one in scopes}
    found: dict[str, list[int]] = {}
    for one in scopes:
        found.setdefault(f"scopes_{one.kind}", []).append(one.scope_id)
    return dict(found)
