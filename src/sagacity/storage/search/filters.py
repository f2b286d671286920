"""
Filters as conditions of a statement.

A statement is built once for all filters that use the same fields, and takes their values as parameters: building one
costs more than running it.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, cast

import sqlalchemy as sa
from pydantic import JsonValue

from sagacity.domain.condition import AllOf, AnyOf, Comparison, Condition, Not, Operator
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import REVIEWED_KINDS, VERSIONED_KINDS
from sagacity.domain.memory import Approval, Memory, Status, Visibility
from sagacity.domain.query import Filter
from sagacity.storage.base import SearchScope
from sagacity.storage.schema.tables import requests, search_documents
from sagacity.storage.statements.array_params import among
from sagacity.storage.statements.json_conditions import condition_holds

SHAPES = 256
"""Statements of one kind that are cached. Callers choose the fields, so there must be a limit."""
_TAGS, _METADATA, _FEATURES = "tags", "metadata", "custom_features"


def _said(value: StrEnum) -> sa.ColumnElement[str]:
    """Return a value as a literal: it is part of the statement, not a parameter."""
    return sa.literal_column(f"'{value}'", sa.Text)


_column, _origin = search_documents.c, requests.alias("origin")
_is_unversioned = _column.kind.not_in([_said(kind) for kind in VERSIONED_KINDS])
_is_unreviewed = _column.kind.not_in([_said(kind) for kind in REVIEWED_KINDS])
_facts = sa.case(
    (
        _column.kind == INTERACTION,
        sa.select(_origin.c.facts)
        .where(_origin.c.org_id == _column.org_id, _origin.c.request_id == _column.request_id)
        .correlate(search_documents)
        .scalar_subquery(),
    ),
    else_=_column.facts,
)
"""Tags and metadata. A turn has those of its request, which may have thousands of turns and much metadata."""
_status_then = sa.case(
    (_column.archived_at > sa.bindparam("as_of"), str(Status.CURRENT)), else_=_column.status
)
_CONDITIONS: dict[str, sa.ColumnElement[bool]] = {
    "statuses": among(_column.status, "statuses"),
    "statuses_then": among(_status_then, "statuses_then"),
    "visibility": among(_column.visibility, "visibility"),
    "withheld": sa.and_(
        among(_column.visibility, "withheld"),
        _column.visibility != _said(Visibility.SERVED),
    ),
    "is_held": _column.is_held == sa.bindparam("is_held"),
    "approvals": sa.or_(
        sa.and_(_is_unreviewed, _column.approval != str(Approval.REJECTED)),
        among(_column.approval, "approvals") & sa.not_(_is_unreviewed),
    ),
    "agent_versions": sa.or_(_is_unversioned, among(_column.agent_version, "agent_versions")),
    "names": sa.or_(_is_unversioned, among(_column.name, "names")),
    "source": _column.source == sa.bindparam("source"),
    "request_id": _column.request_id == sa.bindparam("request_id"),
    "facts": condition_holds(_facts, "facts"),
    "start": _column.changed_at >= sa.bindparam("start"),
    "end": _column.changed_at <= sa.bindparam("end"),
    "event_start": _column.event_at >= sa.bindparam("event_start"),
    "event_end": _column.event_at <= sa.bindparam("event_end"),
    "valid_at": sa.or_(_column.expires_at.is_(None), _column.expires_at > sa.bindparam("valid_at")),
    "as_of": _column.created_at <= sa.bindparam("as_of"),
}
PLAIN: sa.ColumnElement[bool] = sa.and_(
    _column.status == _said(Status.CURRENT),
    _column.visibility == _said(Visibility.SERVED),
    _column.is_held == sa.false(),
    _column.expires_at.is_(None),
)
"""Whether a document is as most are: current, without an end, served and not held."""
_AS_THEY_ARE = frozenset(_CONDITIONS) & frozenset(Filter.model_fields)


def values_of(wanted: Filter) -> dict[str, Any]:
    """Return the values of the fields that *wanted* sets, by field; users and kinds are not among them."""
    found = {field: getattr(wanted, field) for field in _CONDITIONS if field in _AS_THEY_ARE}
    found["facts"] = _facts_wanted(wanted)
    if wanted.visibility and Visibility.SERVED not in wanted.visibility:
        # A field of its own, as indexes are chosen by conditions and not by parameters.
        found |= {"visibility": (), "withheld": wanted.visibility}
    if wanted.as_of is not None:
        found |= {"statuses": (), "statuses_then": wanted.statuses, "valid_at": wanted.as_of}
    return {field: _plain(value) for field, value in found.items() if value is not None and value != ()}


def _plain(value: Any) -> Any:
    """Return a value as the database takes it: members of an enumeration as text."""
    return [str(one) for one in cast("tuple[object, ...]", value)] if isinstance(value, tuple) else value


def admitted(fields: Iterable[str]) -> list[sa.ColumnElement[bool]]:
    """Return the conditions that *fields* set on a document; `values_of` gives their parameters."""
    return [_CONDITIONS[field] for field in fields]


def admits_plain(wanted: Filter) -> bool:
    """Whether *wanted* admits every `PLAIN` document, so that the database need not be asked about these."""
    values = values_of(wanted)
    return (
        values.keys() <= {"statuses", "visibility", "is_held", "valid_at"}
        and Status.CURRENT in values.get("statuses", (Status.CURRENT,))
        and Visibility.SERVED in values.get("visibility", (Visibility.SERVED,))
        and not values.get("is_held", False)
    )


def has_document(
    owner_id: sa.Column[int], kind: sa.Column[str] | str, fields: Iterable[str]
) -> sa.ColumnElement[bool]:
    """Return the condition that *fields* admit the document of the memory or turn *owner_id*."""
    owner = owner_id.table
    return (
        sa.exists()
        .where(_column.org_id == owner.c.org_id, _column.kind == kind, _column.owner_id == owner_id)
        .where(*admitted(fields))
        .correlate(owner)
    )


def kinds_of(wanted: Filter) -> list[str]:
    """Return the kinds of documents that *wanted* asks for."""
    return [str(kind) for kind in wanted.kinds] + ([INTERACTION] if wanted.interactions else [])


def users_of(wanted: Filter) -> list[UserId] | None:
    """Return the users whose rows *wanted* admits; None for all users."""
    if wanted.user_ids:
        return [one for one in wanted.user_ids if wanted.user_id in (None, one)]
    return None if wanted.user_id is None else [wanted.user_id]


def owned_by(column: sa.Column[Any], users: Sequence[UserId]) -> sa.ColumnElement[bool]:
    """Return the condition that a row belongs to one of *users*; for one user an equality, so that indexes are used."""
    return column == users[0] if len(users) == 1 else column.in_(users)


def facts_of(memory: Memory) -> dict[str, JsonValue] | None:
    """Return the tags and metadata by which a memory is filtered; None if it has none."""
    features = memory.attributes.custom_features
    metadata = memory.metadata | ({_FEATURES: features} if features else {})
    return _facts_from(metadata, memory.keywords)


def facts_of_request(metadata: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return the tags and metadata by which the turns of a request are filtered; None if it has none."""
    return _facts_from(metadata, ())


def _facts_from(metadata: Mapping[str, JsonValue], keywords: Sequence[str]) -> dict[str, JsonValue] | None:
    listed = metadata.get(_TAGS)
    named = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    facts: dict[str, JsonValue] = {}
    if tags := sorted({_folded(tag) for tag in (*keywords, *named)}):
        facts[_TAGS] = dict.fromkeys(tags, True)  # a key is looked up
    if metadata:
        facts[_METADATA] = dict(metadata)
    return facts or None


def _facts_wanted(wanted: Filter) -> Condition | None:
    """Return what *wanted* requires of tags and metadata, as one condition on the result of `facts_of`."""
    parts: list[Condition] = [
        Comparison(path=(_TAGS, tag), operator=Operator.EXISTS, values=(True,))
        for tag in dict.fromkeys(map(_folded, wanted.tags))
    ]
    if wanted.metadata is not None:
        parts.append(_below(_METADATA, wanted.metadata))
    return AllOf(all_of=tuple(parts)) if parts else None


def _below(key: str, condition: Condition) -> Condition:
    """Return *condition* applied to the value under *key*."""
    match condition:
        case AllOf():
            return AllOf(all_of=tuple(_below(key, part) for part in condition.all_of))
        case AnyOf():
            return AnyOf(any_of=tuple(_below(key, part) for part in condition.any_of))
        case Not():
            return Not(is_not=_below(key, condition.is_not))
        case Comparison():
            return Comparison.model_construct(
                path=(key, *condition.path), operator=condition.operator, values=condition.values
            )


def _folded(tag: str) -> str:
    return tag.strip().casefold()


def within(kind: str, column: sa.ColumnElement[Any], *, of_user: bool) -> sa.ColumnElement[bool]:
    """
    Return the condition that *column* is one of the scopes of a kind; `scopes_by_kind` gives the parameter.

    A user has one scope of a kind, so this is an equality: a generic plan then expects few rows. For a list it would
    expect so many that it reads the whole table.
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
