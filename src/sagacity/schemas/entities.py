"""Bodies and envelopes of entities and relationships."""

from typing import Annotated

from pydantic import Field, JsonValue

from sagacity.domain.graph import (
    MAX_DESCRIPTION_CHARACTERS,
    Entity,
    EntityEdit,
    EntityGraph,
    EntityId,
    EntityType,
    NewEntity,
    NewRelationship,
    Relationship,
    RelationshipEdit,
)
from sagacity.schemas.base import Id, Number, Reply, Share, WriteBody, WriteReply

EntityName = Annotated[str, Field(min_length=1, max_length=512)]
"""Kept as one line of at most 120 characters that are seen."""
Description = Annotated[str, Field(max_length=MAX_DESCRIPTION_CHARACTERS)]
Aliases = Annotated[tuple[EntityName, ...], Field(max_length=200, fail_fast=True)]
AttributesOf = Annotated[dict[str, JsonValue], Field(max_length=200)]
Word = Annotated[str, Field(min_length=1, max_length=200)]
"""What a relationship is, such as works_at; written in lower case with underscores."""


class AddEntityBody(WriteBody):
    """An entity to add by hand."""

    user_id: Id
    name: EntityName
    entity_type: EntityType = EntityType.OTHER
    description: Description = ""
    aliases: Aliases = ()
    attributes: AttributesOf = {}

    def to_domain(self) -> NewEntity:
        """Return the value to store."""
        return NewEntity.model_validate(self.model_dump(exclude={"user_id", *(self.model_extra or ())}))


class UpdateEntityBody(WriteBody):
    """What to change in an entity; a missing field stays as it is."""

    user_id: Id
    name: EntityName | None = None
    entity_type: EntityType | None = None
    description: Description | None = None
    aliases: Aliases | None = None
    attributes: AttributesOf | None = None

    def to_domain(self) -> EntityEdit:
        """Return the change."""
        return EntityEdit.model_validate(self.model_dump(exclude={"user_id", *(self.model_extra or ())}))


class MergeEntitiesBody(WriteBody):
    """Which entities to merge into that of the path."""

    user_id: Id
    entity_ids: Annotated[tuple[Number, ...], Field(min_length=1, max_length=100, fail_fast=True)]


class AddRelationshipBody(WriteBody):
    """A relationship between two entities to add by hand."""

    user_id: Id
    source_entity_id: Number
    target_entity_id: Number
    relationship_type: Word
    description: Description = ""
    confidence: Share = 1.0
    is_bidirectional: bool = False

    def to_domain(self) -> NewRelationship:
        """Return the value to store."""
        return NewRelationship.model_validate(self.model_dump(exclude={"user_id", *(self.model_extra or ())}))


class UpdateRelationshipBody(WriteBody):
    """What to change in a relationship; a missing field stays as it is."""

    user_id: Id
    relationship_type: Word | None = None
    description: Description | None = None
    confidence: Share | None = None
    is_bidirectional: bool | None = None

    def to_domain(self) -> RelationshipEdit:
        """Return the change."""
        return RelationshipEdit.model_validate(
            self.model_dump(exclude={"user_id", *(self.model_extra or ())})
        )


class EntitiesPage(Reply):
    """A page of a user's entities, most mentioned first, and their total number."""

    entities: tuple[Entity, ...] = ()
    total: int = 0
    page: int = 1
    page_size: int = 50


class EntityReply(WriteReply):
    """One entity, with the newest memories that mention it."""

    entity: Entity


class EntityGraphReply(Reply):
    """The surroundings of one entity."""

    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    center_entity_id: EntityId
    depth: int

    @classmethod
    def of(cls, graph: EntityGraph) -> "EntityGraphReply":
        """Return the envelope of *graph*."""
        return cls(
            entities=graph.entities,
            relationships=graph.relationships,
            center_entity_id=graph.center_entity_id,
            depth=graph.depth,
        )


class RelationshipsPage(Reply):
    """A page of a user's relationships, most certain first, and their total number."""

    relationships: tuple[Relationship, ...] = ()
    total: int = 0
    page: int = 1
    page_size: int = 50


class RelationshipReply(WriteReply):
    """One relationship, with the newest memories that support it."""

    relationship: Relationship
