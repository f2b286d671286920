"""Merge relationships: of merged entities, and of memories that were merged."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.graph import USER, EntityId
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory
from sagacity.storage.base import Scope
from sagacity.storage.graph.descriptions import mention_relationship
from sagacity.storage.schema.tables import entities, entity_mentions, relationship_mentions, relationships
from sagacity.storage.statements.array_params import among, found_by, one_of


def upsert_relationship(insert: Any) -> Any:
    """Add relationships; an existing one stays, with the larger of both confidences."""
    row, relationship = insert(relationships), relationships.c
    is_surer = row.excluded.confidence > relationship.confidence
    return row.on_conflict_do_update(
        index_elements=[
            relationship.org_id,
            relationship.source_id,
            relationship.relationship_type,
            relationship.target_id,
        ],
        set_={
            "confidence": sa.case((is_surer, row.excluded.confidence), else_=relationship.confidence),
            "description": sa.case(
                (relationship.description == "", row.excluded.description), else_=relationship.description
            ),
            "is_bidirectional": relationship.is_bidirectional | row.excluded.is_bidirectional,
            "is_kept": relationship.is_kept | row.excluded.is_kept,
            "updated_at": row.excluded.updated_at,
        },
    ).returning(
        relationship.relationship_id,
        relationship.source_id,
        relationship.relationship_type,
        relationship.target_id,
    )


async def ends_of(scope: Scope, user_id: UserId, entity_ids: Sequence[EntityId]) -> list[int]:
    """Return the entities at both ends of the relationships of *entity_ids*."""
    relationship = relationships.c
    statement = sa.select(relationship.source_id, relationship.target_id).where(*_of_any(scope, user_id))
    rows = await scope.all(statement, {"ends": list(entity_ids)})
    return sorted({end for row in rows for end in row})


def _of_any(scope: Scope, user_id: UserId) -> tuple[sa.ColumnElement[bool], ...]:
    relationship = relationships.c
    begins_or_ends = sa.or_(among(relationship.source_id, "ends"), among(relationship.target_id, "ends"))
    return relationship.org_id == scope.org_id, relationship.user_id == user_id, begins_or_ends


async def repoint(scope: Scope, user_id: UserId, into: EntityId, gone: Sequence[EntityId]) -> None:
    """
    Copy the relationships of *gone* to *into*.

    The originals stay until their entities are deleted. Relationships within the merged entities are not copied. Those
    that become equal are merged into the most certain one, with the memories of all.
    """
    relationship, moved = relationships.c, set(gone)
    found = await scope.all(
        sa.select(relationships).where(*_of_any(scope, user_id)).order_by(relationship.relationship_id),
        {"ends": list(gone)},
    )
    united: dict[tuple[int, str, int], dict[str, Any]] = {}
    former: list[tuple[tuple[int, str, int], Any]] = []
    for row in found:
        source = into if row.source_id in moved else row.source_id
        target = into if row.target_id in moved else row.target_id
        if source == target:
            continue
        key = (source, row.relationship_type, target)
        united[key] = _merged(row, united.get(key), source, target, now=scope.clock.now())
        former.append((key, row))
    if not united:
        return
    made = await scope.all(
        scope.upsert(upsert_relationship), [values for _, values in sorted(united.items())]
    )
    numbers = {(row.source_id, row.relationship_type, row.target_id): row.relationship_id for row in made}
    await _move_mentions(scope, [(row, numbers[key]) for key, row in former])


def _merged(row: Any, other: dict[str, Any] | None, source: int, target: int, *, now: Any) -> dict[str, Any]:
    """Return the values of the relationship that replaces *row* and, if given, *other*."""
    before = other or {"confidence": 0.0, "description": "", "created_at": row.created_at}
    return {
        "org_id": row.org_id,
        "user_id": row.user_id,
        "source_id": source,
        "target_id": target,
        "relationship_type": row.relationship_type,
        "confidence": max(row.confidence, before["confidence"]),
        "description": before["description"] or row.description,
        "is_bidirectional": row.is_bidirectional or before.get("is_bidirectional", False),
        "is_kept": row.is_kept or before.get("is_kept", False),
        "created_at": min(row.created_at, before["created_at"]),
        "updated_at": now,
    }


async def _move_mentions(scope: Scope, moves: Sequence[tuple[Any, int]]) -> None:
    """Make the memories that state former relationships state those that replace them."""
    mention = relationship_mentions.c
    rows = await scope.all(
        sa.select(mention.relationship_id, mention.memory_id, mention.description).where(
            mention.org_id == scope.org_id, among(mention.relationship_id, "former")
        ),
        {"former": [row.relationship_id for row, _ in moves]},
    )
    numbers = {row.relationship_id: number for row, number in moves}
    if rows:
        await scope.run(
            scope.upsert(mention_relationship),
            [
                {
                    "org_id": scope.org_id,
                    "relationship_id": numbers[row.relationship_id],
                    "memory_id": row.memory_id,
                    "description": row.description,
                }
                for row in rows
            ],
        )


def said_by(scope: Scope, speakers: Sequence[Memory]) -> sa.Select[tuple[int]]:
    """Select the numbers of the relationships that any of *speakers* states."""
    mention = relationship_mentions.c
    said = one_of(mention.memory_id, [memory.memory_id for memory in speakers])
    return sa.select(mention.relationship_id).where(said, scope.owns(relationship_mentions))


def own_part(scope: Scope, memory: Memory, whole: Memory, others: Sequence[Memory]) -> sa.Select[tuple[int]]:
    """Select relationships of *whole* among the user and names that *memory* mentions, without those of *others*."""
    entity, mention, relationship = entities.c, entity_mentions.c, relationships.c
    of_memory = sa.and_(mention.memory_id == memory.memory_id, scope.owns(entity_mentions))
    of_user = sa.and_(entity.org_id == scope.org_id, entity.user_id == memory.user_id)
    names = sa.union(
        sa.select(mention.entity_id).where(of_memory),
        sa.select(entity.entity_id).where(of_user, entity.normalized_name == USER),
    )
    return sa.select(relationship.relationship_id).where(
        found_by(relationship.relationship_id, said_by(scope, [whole]).scalar_subquery()),
        relationship.relationship_id.not_in(said_by(scope, others)),
        relationship.source_id.in_(names),
        relationship.target_id.in_(names),
    )
