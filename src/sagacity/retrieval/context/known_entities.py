"""The entities of the user's graph that a question names, for the context of an answer."""

from collections.abc import Iterable
from datetime import datetime

from sagacity.domain.context import KnownEntity
from sagacity.domain.graph import USER, Entity, EntityType, Relationship
from sagacity.domain.ids import UserId
from sagacity.retrieval.query.names import name_candidates
from sagacity.storage.transaction import Transaction

MOST_ENTITIES = 5
MAX_RELATIONSHIPS = 8
"""How many relationships of an entity are listed, the most certain first."""


async def known_entities(
    snapshot: Transaction, user_id: UserId, question: str, *, as_of: datetime | None = None
) -> list[KnownEntity]:
    """
    Return the entities that *question* names, most mentioned first, each with its relationships.

    With *as_of*, return the entities and relationships that were known at that time.
    """
    names = name_candidates(question)
    if not names:
        return []
    found = [
        one
        for one in await snapshot.graph.find(user_id, names)
        if one.normalized_name != USER and (as_of is None or one.created_at <= as_of)
    ]
    if not found:
        return []
    shown = found[:MOST_ENTITIES]
    numbers = [entity.entity_id for entity in shown]
    relationships = await snapshot.relationships.of_entities(
        user_id, numbers, limit=MAX_RELATIONSHIPS, as_of=as_of
    )
    return [_known(entity, relationships[entity.entity_id]) for entity in shown]


def _known(entity: Entity, relationships: Iterable[Relationship]) -> KnownEntity:
    is_typed = entity.entity_type is not EntityType.OTHER
    told = (entity.description, *(_statement(entity, relationship) for relationship in relationships))
    return KnownEntity(
        entity_id=entity.entity_id,
        name=entity.name,
        entity_type=str(entity.entity_type) if is_typed else "",
        details=tuple(part for part in told if part)[:MAX_RELATIONSHIPS],
    )


def _statement(entity: Entity, relationship: Relationship) -> str:
    """Word a relationship of *entity*: the rest of a sentence if the entity is its subject, else a whole sentence."""
    word = relationship.relationship_type.replace("_", " ")
    is_its_own = relationship.source_entity_id == entity.entity_id
    return (
        f"{word} {relationship.target_name}"
        if is_its_own
        else f"{relationship.source_name} {word} {relationship.target_name}"
    )
