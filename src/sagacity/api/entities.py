"""A user's graph: read, edit and merge entities and relationships."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import Path, Query
from pydantic import Field

from sagacity.api.dependencies import Caller, Reads, Writes
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.graph import EntityId, EntityType, RelationshipId, relation_word
from sagacity.domain.ids import MAX_INT, UserId
from sagacity.schemas.base import Id, Storable
from sagacity.schemas.entities import (
    AddEntityBody,
    AddRelationshipBody,
    EntitiesPage,
    EntityGraphReply,
    EntityReply,
    MergeEntitiesBody,
    RelationshipReply,
    RelationshipsPage,
    UpdateEntityBody,
    UpdateRelationshipBody,
)
from sagacity.schemas.interactions import Deleted
from sagacity.storage.graph.traversal import MAX_HOPS
from sagacity.storage.transaction import Transaction

router = resource("entities")


Written = TypeVar("Written")


async def _write(caller: Caller, user_id: str, work: Callable[[Transaction], Awaitable[Written]]) -> Written:
    """Run *work* on a user's rows; retried if it conflicts with learning, which writes the same names."""

    async def once() -> Written:
        async with caller.begin(user_id=user_id) as transaction:
            return await work(transaction)

    return await caller.runtime.storage.retry(once)


UserIdQuery = Annotated[
    Id,
    Query(description="The user. An id that belongs to another user gives 404."),
]
Words = Annotated[Storable, Field(max_length=200)]
EntityNumber = Annotated[int, Path(gt=0, le=MAX_INT, description="The entity's number.")]
RelationshipNumber = Annotated[int, Path(gt=0, le=MAX_INT, description="The relationship's number.")]
Page = Annotated[
    int, Query(gt=0, le=1_000_000, description="Which page of the results to return, from 1 on.")
]
PageSize = Annotated[int, Query(gt=0, le=500, description="How many results a page holds.")]


@router.get("/entities", response_model_exclude_none=True, openapi_extra=sdk(positional=()))
async def list_entities(
    caller: Reads,
    user_id: UserIdQuery,
    *,
    entity_type: Annotated[
        EntityType | None, Query(description="Only entities of this type. Default: all types.")
    ] = None,
    query: Annotated[Words, Query(description="Only entities with this text in a name or alias.")] = "",
    page: Page = 1,
    page_size: PageSize = 50,
) -> EntitiesPage:
    """Return a page of a user's entities, most mentioned first; `query` is a part of a name or alias."""
    async with caller.read(user_id=user_id) as snapshot:
        found, total = await snapshot.entities.list_page(
            UserId(user_id),
            entity_type=entity_type,
            query=query,
            offset=(page - 1) * page_size,
            limit=page_size,
        )
    return EntitiesPage(entities=tuple(found), total=total, page=page, page_size=page_size)


@router.post(
    "/entities", response_model_exclude_none=True, openapi_extra=sdk(positional=("name",), returns="entity")
)
async def add_entity(body: AddEntityBody, caller: Writes) -> EntityReply:
    """
    Add an entity. It stays even if no memory mentions it.

    A name or alias of another entity of the user is refused with 409.
    """
    entity = await _write(
        caller, body.user_id, lambda tx: tx.entities.add(UserId(body.user_id), body.to_domain())
    )
    return EntityReply(message=f"stored entity {entity.entity_id}", entity=entity)


@router.get("/entities/{entity_id}", response_model_exclude_none=True, openapi_extra=sdk(returns="entity"))
async def get_entity(entity_id: EntityNumber, caller: Reads, user_id: UserIdQuery) -> EntityReply:
    """Return one entity, with the newest memories that mention it."""
    async with caller.read(user_id=user_id) as snapshot:
        return EntityReply(entity=await snapshot.entities.get(UserId(user_id), EntityId(entity_id)))


@router.patch("/entities/{entity_id}", response_model_exclude_none=True, openapi_extra=sdk(returns="entity"))
async def update_entity(entity_id: EntityNumber, body: UpdateEntityBody, caller: Writes) -> EntityReply:
    """Change an entity; fields that are not given stay as they are. A former name becomes an alias."""
    user_id, edit = UserId(body.user_id), body.to_domain()
    entity = await _write(caller, user_id, lambda tx: tx.entities.update(user_id, EntityId(entity_id), edit))
    return EntityReply(message=f"changed entity {entity_id}", entity=entity)


@router.delete("/entities/{entity_id}")
async def delete_entity(entity_id: EntityNumber, caller: Writes, user_id: UserIdQuery) -> Deleted:
    """Delete an entity with its names and relationships; memories that mention it stay."""
    await _write(caller, user_id, lambda tx: tx.entities.delete(UserId(user_id), EntityId(entity_id)))
    return Deleted(message=f"deleted entity {entity_id}")


@router.post(
    "/entities/{entity_id}/merge",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("entity_id", "entity_ids"), returns="entity"),
)
async def merge_entities(entity_id: EntityNumber, body: MergeEntitiesBody, caller: Writes) -> EntityReply:
    """Merge other entities into this one: it takes over their names as aliases, their memories and relationships."""
    user_id, others = UserId(body.user_id), [EntityId(number) for number in body.entity_ids]
    entity = await _write(caller, user_id, lambda tx: tx.entities.merge(user_id, EntityId(entity_id), others))
    return EntityReply(message=f"merged into entity {entity_id}", entity=entity)


@router.get("/entities/{entity_id}/graph", response_model_exclude_none=True)
async def get_entity_graph(
    entity_id: EntityNumber,
    caller: Reads,
    user_id: UserIdQuery,
    depth: Annotated[
        int, Query(ge=0, le=MAX_HOPS, description="How many relationships may lie between them.")
    ] = 1,
) -> EntityGraphReply:
    """Return the entities within `depth` steps of an entity, nearest first, and their relationships."""
    async with caller.read(user_id=user_id) as snapshot:
        graph = await snapshot.relationships.around(UserId(user_id), EntityId(entity_id), depth=depth)
    return EntityGraphReply.of(graph)


@router.get("/relationships", response_model_exclude_none=True, openapi_extra=sdk(positional=()))
async def list_relationships(
    caller: Reads,
    user_id: UserIdQuery,
    *,
    entity_id: Annotated[
        int | None, Query(gt=0, le=MAX_INT, description="Only relationships of this entity.")
    ] = None,
    relationship_type: Annotated[
        Words, Query(description="Only relationships of this type, such as `works_at`.")
    ] = "",
    ended: Annotated[bool, Query(description="Also return relationships that no longer hold.")] = False,
    page: Page = 1,
    page_size: PageSize = 50,
) -> RelationshipsPage:
    """
    Return a page of a user's relationships, most certain first; with `entity_id`, those of that entity.

    A relationship holds as long as a memory in force states it; one that a person added or edited stays.
    """
    async with caller.read(user_id=user_id) as snapshot:
        found, total = await snapshot.relationships.list_page(
            UserId(user_id),
            entity_id=None if entity_id is None else EntityId(entity_id),
            relationship_type=relation_word(relationship_type),
            with_ended=ended,
            offset=(page - 1) * page_size,
            limit=page_size,
        )
    return RelationshipsPage(relationships=tuple(found), total=total, page=page, page_size=page_size)


@router.post(
    "/relationships",
    response_model_exclude_none=True,
    openapi_extra=sdk(
        positional=("source_entity_id", "relationship_type", "target_entity_id"), returns="relationship"
    ),
)
async def add_relationship(body: AddRelationshipBody, caller: Writes) -> RelationshipReply:
    """Add a relationship between two entities of a user; if one of the same type exists, it is refused with 409."""
    relationship = await _write(
        caller, body.user_id, lambda tx: tx.relationships.add(UserId(body.user_id), body.to_domain())
    )
    return RelationshipReply(
        message=f"stored relationship {relationship.relationship_id}", relationship=relationship
    )


@router.get(
    "/relationships/{relationship_id}",
    response_model_exclude_none=True,
    openapi_extra=sdk(returns="relationship"),
)
async def get_relationship(
    relationship_id: RelationshipNumber, caller: Reads, user_id: UserIdQuery
) -> RelationshipReply:
    """Return one relationship, with the newest memories that support it."""
    async with caller.read(user_id=user_id) as snapshot:
        relationship = await snapshot.relationships.get(UserId(user_id), RelationshipId(relationship_id))
    return RelationshipReply(relationship=relationship)


@router.patch(
    "/relationships/{relationship_id}",
    response_model_exclude_none=True,
    openapi_extra=sdk(returns="relationship"),
)
async def update_relationship(
    relationship_id: RelationshipNumber, body: UpdateRelationshipBody, caller: Writes
) -> RelationshipReply:
    """Change a relationship; fields that are not given stay as they are."""
    user_id, edit = UserId(body.user_id), body.to_domain()
    number = RelationshipId(relationship_id)
    relationship = await _write(caller, user_id, lambda tx: tx.relationships.update(user_id, number, edit))
    return RelationshipReply(message=f"changed relationship {relationship_id}", relationship=relationship)


@router.delete("/relationships/{relationship_id}")
async def delete_relationship(
    relationship_id: RelationshipNumber, caller: Writes, user_id: UserIdQuery
) -> Deleted:
    """Delete a relationship; its entities, and the memories that support it, stay."""
    number = RelationshipId(relationship_id)
    await _write(caller, user_id, lambda tx: tx.relationships.delete(UserId(user_id), number))
    return Deleted(message=f"deleted relationship {relationship_id}")
