"""Descriptions of entities and relationships: a person's, else that of the newest memory in force with one."""

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
    Return the columns of a table, and what is said of its rows as their description.

    Args:
        table: `entities` or `relationships`.
        fields: names of parameters, those that `held_at` gives.
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
    """Return what *speakers* say of the entity or relationship *number* of *within*; empty if they say nothing."""
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
"""Add mentions; one that is there already gets the new description, and keeps its own where there is none."""
