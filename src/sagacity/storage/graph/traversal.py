"""Find memories near entities, along relationships in both directions, in one recursive statement."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import sqlalchemy as sa

from sagacity.domain.graph import USER
from sagacity.storage.graph.validity import HELD_NOW, holds
from sagacity.storage.schema.tables import entities, entity_mentions, memories, relationships
from sagacity.storage.statements.array_params import among

DECAY = 0.5
"""The factor of each step, besides the confidence of its relationship."""
FAN_OUT = 48
"""How many relationships are followed from one entity in each direction, most certain first: hubs say little about
their neighbours."""
MAX_HOPS = 4
MOST_STEPS = 10_000
"""How many paths are followed in all, shortest first."""
MOST_ENTITIES = 400
"""For how many entities memories are looked up, nearest first."""
_RELATIONSHIP = ("relationship_id", "source_id", "target_id", "confidence")


@cache
def near(*, lateral: bool, ended: bool = False) -> sa.Select[*tuple[Any, ...]]:
    """
    Build the statement for memories near entities.

    Parameters: org_id, user_id, starts (numbers of entities), hops, statuses, limit, and those of `held_at`. Columns:
    memory_id, score, hops and entity_id. Each memory occurs once, by its best path; best first, then newest.

    No path leads through the user's own node, because everything is related to it; it can only be a start.

    Args:
        lateral: whether the database supports lateral joins; PostgreSQL is slow without them, SQLite is not.
        ended: follow relationships that no longer hold, too.
    """
    return _memories_of(_nearest(lateral=lateral, ended=ended), lateral=lateral)


@cache
def surroundings(*, lateral: bool) -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for the numbers of entities near others, nearest first; same parameters as `near`."""
    nearest = _nearest(lateral=lateral, ended=False)
    return sa.select(nearest.c.entity_id).order_by(nearest.c.score.desc(), nearest.c.entity_id)


def _nearest(*, lateral: bool, ended: bool) -> sa.Subquery:
    """Select the entities that are reached, each by its best path."""
    reach = _reach(lateral=lateral, ended=ended)
    some = sa.select(reach).limit(MOST_STEPS).subquery("some")
    place = (
        sa.func.row_number()
        .over(partition_by=some.c.entity_id, order_by=(some.c.score.desc(), some.c.hops))
        .label("place")
    )
    ways = sa.select(some, place).subquery("ways")
    return (
        sa.select(ways.c.entity_id, ways.c.score, ways.c.hops)
        .where(ways.c.place == 1)
        .order_by(ways.c.score.desc(), ways.c.entity_id)
        .limit(MOST_ENTITIES)
        .subquery("reached")
    )


def _reach(*, lateral: bool, ended: bool) -> sa.CTE:
    """Select the entities on every path from the starts, each with the path's score and length."""
    entity = entities.c
    reach = (
        sa.select(entity.entity_id, sa.literal(1.0, sa.Double).label("score"), sa.literal(0).label("hops"))
        .where(
            entity.org_id == sa.bindparam("org_id"),
            entity.user_id == sa.bindparam("user_id"),
            among(entity.entity_id, "starts"),
        )
        .cte("reach", recursive=True)
    )
    here = reach.c.entity_id
    ways, relationship = _beside(
        reach, relationships, _RELATIONSHIP, partial(_relationships_of, reach, ended=ended), lateral=lateral
    )
    further = sa.select(
        sa.case((relationship.source_id == here, relationship.target_id), else_=relationship.source_id).label(
            "entity_id"
        ),
        (reach.c.score * relationship.confidence * DECAY).label("score"),
        (reach.c.hops + 1).label("hops"),
    ).select_from(ways)
    return reach.union(further.where(reach.c.hops < sa.bindparam("hops", type_=sa.Integer)))


def _relationships_of(reach: sa.CTE, *names: str, ended: bool) -> sa.CompoundSelect[*tuple[Any, ...]]:
    """Select the most certain relationships from and to an entity, without those to the user's own node or itself."""
    own = entities.alias("own").c
    me = sa.select(own.entity_id).where(
        own.org_id == sa.bindparam("org_id"),
        own.user_id == sa.bindparam("user_id"),
        own.normalized_name == USER,
    )
    ends: list[sa.Subquery] = []
    for one, other in (("source_id", "target_id"), ("target_id", "source_id")):
        relationship = relationships.alias(f"by_{one}")
        ends.append(
            sa.select(*(relationship.c[name] for name in names))
            .where(
                relationship.c.org_id.concat("") == sa.bindparam("org_id"),
                relationship.c[one] == reach.c.entity_id,
                relationship.c[other] != reach.c.entity_id,
                relationship.c[other] != sa.func.coalesce(me.scalar_subquery(), 0),
                sa.true() if ended else holds(HELD_NOW, relationship),
            )
            .order_by(relationship.c.confidence.desc(), relationship.c.relationship_id.desc())
            .limit(FAN_OUT)
            .correlate(reach)
            .subquery(f"surest_{one}")
        )
    return sa.union_all(*(sa.select(end) for end in ends))


def _memories_of(reached: sa.Subquery, *, lateral: bool) -> sa.Select[*tuple[Any, ...]]:
    """Select the newest memories that mention each entity; `limit` of each are enough for the best of all."""
    limit = sa.bindparam("limit", type_=sa.Integer)
    newest = partial(_newest, reached, limit)
    joined, memory = _beside(reached, memories, ("memory_id",), newest, lateral=lateral)
    place = sa.func.row_number().over(
        partition_by=memory.memory_id,
        order_by=(reached.c.score.desc(), reached.c.hops, reached.c.entity_id),
    )
    every = sa.select(memory.memory_id, reached, place.label("place")).select_from(joined).subquery("every")
    return (
        sa.select(every.c.memory_id, every.c.score, every.c.hops, every.c.entity_id)
        .where(every.c.place == 1)
        .order_by(every.c.score.desc(), every.c.memory_id.desc())
        .limit(limit)
    )


def _newest(reached: sa.Subquery, limit: sa.BindParameter[int], *names: str) -> sa.Select[*tuple[Any, ...]]:
    mention, memory = entity_mentions.c, memories.alias("mentioning").c
    # The concatenations keep PostgreSQL from reading all memories of the organisation, of which it expects few if it
    # has no statistics: with 100,000 that took 16 s, and by their numbers it takes 20 ms.
    return (
        sa.select(*(memory[name] for name in names))
        .join_from(entity_mentions, memory.memory_id.table, memory.memory_id == mention.memory_id)
        .where(
            mention.org_id == sa.bindparam("org_id"),
            mention.entity_id == reached.c.entity_id,
            memory.org_id.concat("") == sa.bindparam("org_id"),
            among(memory.status.concat(""), "statuses"),
        )
        .order_by(mention.memory_id.desc())
        .limit(limit)
        .correlate(reached)
    )


def _beside(
    left: sa.FromClause, table: sa.Table, names: tuple[str, ...], pick: Callable[..., Any], *, lateral: bool
) -> tuple[sa.FromClause, Any]:
    """Join to each row of *left* the rows of *table* that *pick* selects for it; return *names* of them, key first."""
    if lateral:
        side = pick(*names).lateral(f"beside_{table.name}")
        return left.join(side, sa.true()), side.c
    return left.join(table, table.c[names[0]].in_(pick(names[0]).scalar_subquery())), table.c
