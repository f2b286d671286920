"""Who and what a question names, as the user's graph knows them: for the context of an answer."""

from collections.abc import Iterator
from datetime import datetime

from sagacity.domain.context import KnownEntity
from sagacity.domain.graph import USER, Entity, EntityGraph, EntityType, Relationship
from sagacity.domain.ids import UserId
from sagacity.retrieval.names import name_candidates
from sagacity.storage.transaction import Transaction

MOST_ENTITIES = 5
MOST_TIES = 8
"""Of one entity; the surest."""


async def known_entities(
    snapshot: Transaction, user_id: UserId, question: str, *, as_of: datetime | None = None
) -> list[KnownEntity]:
    """
    Return the entities that *question* names, most mentioned first, each with what ties it to others.

    With *as_of* those that were known by then, with the ties that were.
    """
    names = name_candidates(question)
    if not names:
        return []
    found = [
        one
        for one in await snapshot.graph.find(user_id, names)
        if one.normalized_name != USER and _is_there(one, as_of)
    ]
    return [
        _known(entity, await snapshot.relationships.around(user_id, entity.entity_id), as_of)
        for entity in found[:MOST_ENTITIES]
    ]


def _is_there(one: Entity | Relationship, as_of: datetime | None) -> bool:
    return as_of is None or one.created_at <= as_of


def _known(entity: Entity, around: EntityGraph, as_of: datetime | None) -> KnownEntity:
    is_typed = entity.entity_type is not EntityType.OTHER
    return KnownEntity(
        entity_id=entity.entity_id,
        name=entity.name,
        entity_type=str(entity.entity_type) if is_typed else "",
        details=tuple(part for part in (entity.description, *_ties(entity, around, as_of)) if part)[
            :MOST_TIES
        ],
    )


def _ties(entity: Entity, around: EntityGraph, as_of: datetime | None) -> Iterator[str]:
    """Yield what *entity* is to others as a rest of a sentence, and what others are to it as a whole one."""
    for tie in around.relationships:
        if not _is_there(tie, as_of):
            continue
        word = tie.relationship_type.replace("_", " ")
        if tie.source_entity_id == entity.entity_id:
            yield f"{word} {tie.target_name}"
        elif tie.target_entity_id == entity.entity_id:
            yield f"{tie.source_name} {word} {tie.target_name}"
