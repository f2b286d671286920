"""Descriptions of entities and relationships: written by a person, else from the newest current memory with one."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import sqlalchemy as sa

from sagacity.domain.memory import Memory
from sagacity.storage.graph.validity import HELD_NOW
from sagacity.storage.schema.tables import (
    entities,
    entity_mentions,
    memories,
    relationship_mentions,
    relationships,
)
from sagacity.storage.search.filters import has_document
from sagacity.storage.statements.array_params import one_of

_MENTIONS = {
    entities: ("entity_id", entity_mentions),
    relationships: ("relationship_id", relationship_mentions),
}


@cache
def described(table: sa.Table, fields: tuple[str, ...] = HELD_NOW) -> tuple[sa.ColumnElement[Any], ...]:
    """
    Return the columns of a table, with `description` taken from the memories where no person wrote one.

    Args:
        table: `entities` or `relationships`.
        fields: the names of the parameters that `held_at` returns.
    """
    key, mentions = _MENTIONS[table]
    mention, memory = mentions.c, memories.c
    said = (
        sa.select(mention.description)
        .join(memories, memory.memory_id == mention.memory_id)
        .where(
            mention[key] == table.c[key],
            mention.description != "",
            has_document(memory.memory_id, memory.kind, fields),
        )
        .order_by(sa.func.coalesce(memory.valid_from, memory.created_at).desc(), memory.memory_id.desc())
        .limit(1)
        .correlate(table)
        .scalar_subquery()
    )
    written = table.c.description
    text = sa.case((written != "", written), else_=sa.func.coalesce(said, "")).label("description")
    return (*(column for column in table.c if column is not written), text)


def told_by(
    mentions: sa.Table, number: sa.ColumnElement[int], within: sa.FromClause, speakers: Sequence[Memory]
) -> sa.ColumnElement[str]:
    """Return the description of *number*, a column of *within*, by *speakers*; empty if they have none."""
    key = next(one.name for one in mentions.primary_key if one.name in {"entity_id", "relationship_id"})
    theirs = mentions.alias("theirs").c
    said = sa.select(sa.func.max(theirs.description)).where(
        theirs[key] == number, one_of(theirs.memory_id, [one.memory_id for one in speakers])
    )
    return sa.func.coalesce(said.correlate(within).scalar_subquery(), "")


def _mention(mentions: sa.Table, insert: Any) -> Any:
    row = insert(mentions)
    new = row.excluded.description
    return row.on_conflict_do_update(
        index_elements=list(mentions.primary_key),
        set_={"description": sa.case((new != "", new), else_=mentions.c.description)},
    )


mention_entity = partial(_mention, entity_mentions)
mention_relationship = partial(_mention, relationship_mentions)
"""Add mentions; an existing one gets the new description, unless that is empty."""
