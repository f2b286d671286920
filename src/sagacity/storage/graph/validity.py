"""When relationships hold: while a memory that states them does, or always if a person wrote them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.memory import Status, Visibility
from sagacity.domain.query import Filter
from sagacity.storage.schema.tables import memories, relationship_mentions, relationships
from sagacity.storage.search.filters import has_document, values_of

_memory = memories.c


def held_at(now: datetime, *, as_of: datetime | None = None) -> Mapping[str, Any]:
    """Return the parameters of `holds` for what holds *now*, or held according to what was known at *as_of*."""
    return values_of(Filter(visibility=(Visibility.SERVED,), valid_at=now, as_of=as_of))


HELD_NOW = tuple(held_at(datetime.max.replace(tzinfo=UTC)))
"""The names of the parameters for what holds now."""


def holds(fields: tuple[str, ...], relationship: sa.FromClause = relationships) -> sa.ColumnElement[bool]:
    """
    Return the condition that a person wrote a relationship, or that a current memory which may be served states it.

    Args:
        fields: the names of the parameters that `held_at` returns.
        relationship: the table, or an alias of it.
    """
    return sa.or_(
        relationship.c.is_kept, _is_said(relationship, has_document(_memory.memory_id, _memory.kind, fields))
    )


def has_held(relationship: sa.FromClause = relationships) -> sa.ColumnElement[bool]:
    """Return the condition that a relationship holds or once held; the parameter is `visibility`."""
    is_served = has_document(_memory.memory_id, _memory.kind, ("visibility",))
    was_in_force = _memory.status != str(Status.PENDING)
    return sa.or_(relationship.c.is_kept, _is_said(relationship, sa.and_(was_in_force, is_served)))


@cache
def period(fields: tuple[str, ...]) -> tuple[sa.Label[Any], sa.Label[Any]]:
    """
    Return since when and until when a relationship holds, as `valid_from` and `valid_to`; both can be null.

    It begins with the first memory that states it, and ends with the last.
    """
    began = sa.func.min(sa.func.coalesce(_memory.valid_from, _memory.created_at))
    ended = sa.func.max(
        sa.func.coalesce(_memory.valid_to, _memory.expires_at, _memory.archived_at, _memory.updated_at)
    )
    first, last = (
        _of_mentions(relationships, what).where(_memory.status != str(Status.PENDING)).scalar_subquery()
        for what in (began, ended)
    )
    return first.label("valid_from"), sa.case((sa.not_(holds(fields)), last)).label("valid_to")


def _is_said(relationship: sa.FromClause, condition: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    # This looks up one row for each relationship; PostgreSQL would turn an EXISTS into a join over all mentions.
    said = _of_mentions(relationship, sa.literal(1)).where(condition).limit(1)
    return said.scalar_subquery().is_not(None)


def _of_mentions(relationship: sa.FromClause, what: sa.ColumnElement[Any]) -> sa.Select[Any]:
    mention = relationship_mentions.c
    return (
        sa.select(what)
        .select_from(relationship_mentions)
        .join(memories, _memory.memory_id == mention.memory_id)
        .where(mention.relationship_id == relationship.c.relationship_id)
        .correlate(relationship)
    )
