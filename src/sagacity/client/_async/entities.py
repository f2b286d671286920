"""Who and what a user speaks of, and how these belong together."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from pydantic import JsonValue

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.client.words import EntityWord
from sagacity.domain.graph import Entity, Relationship
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


async def list_entities(
    connection: AsyncConnection,
    *,
    user_id: str,
    entity_type: EntityWord | None = None,
    query: str | None = None,
    page: int = 1,
    page_size: int = 50,
) -> EntitiesPage:
    """Return a page of a user's entities, most mentioned first; *query* is part of a name or alias."""
    params = {
        "user_id": user_id,
        "entity_type": entity_type,
        "query": query,
        "page": page,
        "page_size": page_size,
    }
    return await connection.get("/api/entities", EntitiesPage, params=params)


async def get_entity(connection: AsyncConnection, entity_id: int, *, user_id: str) -> Entity:
    """Return one entity, with the newest memories that speak of it."""
    path = f"/api/entities/{entity_id:d}"
    return (await connection.get(path, EntityReply, params={"user_id": user_id})).entity


async def add_entity(
    connection: AsyncConnection,
    name: str,
    *,
    user_id: str,
    entity_type: EntityWord | None = None,
    description: str | None = None,
    aliases: Sequence[str] | None = None,
    attributes: Mapping[str, JsonValue] | None = None,
) -> Entity:
    """Make an entity by hand; it stays, also while no memory speaks of it."""
    fields = {
        "user_id": user_id,
        "name": name,
        "entity_type": entity_type,
        "description": description,
        "aliases": None if aliases is None else tuple(aliases),
        "attributes": attributes,
    }
    body = checked(AddEntityBody, fields)
    return (await connection.send("POST", "/api/entities", EntityReply, body=body)).entity


async def update_entity(
    connection: AsyncConnection,
    entity_id: int,
    *,
    user_id: str,
    name: str | None = None,
    entity_type: EntityWord | None = None,
    description: str | None = None,
    aliases: Sequence[str] | None = None,
    attributes: Mapping[str, JsonValue] | None = None,
) -> Entity:
    """Change an entity; what is not given stays. A former name becomes an alias."""
    fields = {
        "user_id": user_id,
        "name": name,
        "entity_type": entity_type,
        "description": description,
        "aliases": None if aliases is None else tuple(aliases),
        "attributes": attributes,
    }
    body = checked(UpdateEntityBody, fields)
    path = f"/api/entities/{entity_id:d}"
    return (await connection.send("PATCH", path, EntityReply, body=body, repeatable=True)).entity


async def merge_entities(
    connection: AsyncConnection, entity_id: int, entity_ids: Sequence[int], *, user_id: str
) -> Entity:
    """Make *entity_ids* one with *entity_id*: their names become its aliases, their memories and ties its own."""
    body = checked(MergeEntitiesBody, {"user_id": user_id, "entity_ids": tuple(entity_ids)})
    path = f"/api/entities/{entity_id:d}/merge"
    return (await connection.send("POST", path, EntityReply, body=body)).entity


async def delete_entity(connection: AsyncConnection, entity_id: int, *, user_id: str) -> Deleted:
    """Delete an entity with its names and relationships; the memories that speak of it stay."""
    return await connection.send("DELETE", _of_user(f"/api/entities/{entity_id:d}", user_id), Deleted)


async def get_entity_graph(
    connection: AsyncConnection, entity_id: int, *, user_id: str, depth: int = 1
) -> EntityGraphReply:
    """Return what lies within *depth* steps around an entity, nearest first, and the relationships among it."""
    params = {"user_id": user_id, "depth": depth}
    return await connection.get(f"/api/entities/{entity_id:d}/graph", EntityGraphReply, params=params)


async def list_relationships(
    connection: AsyncConnection,
    *,
    user_id: str,
    entity_id: int | None = None,
    relationship_type: str | None = None,
    page: int = 1,
    page_size: int = 50,
) -> RelationshipsPage:
    """Return a page of a user's relationships, surest first; with *entity_id* those from or to that entity."""
    params = {
        "user_id": user_id,
        "entity_id": entity_id,
        "relationship_type": relationship_type,
        "page": page,
        "page_size": page_size,
    }
    return await connection.get("/api/relationships", RelationshipsPage, params=params)


async def get_relationship(
    connection: AsyncConnection, relationship_id: int, *, user_id: str
) -> Relationship:
    """Return one relationship, with the newest memories that say so."""
    path = f"/api/relationships/{relationship_id:d}"
    return (await connection.get(path, RelationshipReply, params={"user_id": user_id})).relationship


async def add_relationship(
    connection: AsyncConnection,
    source_entity_id: int,
    relationship_type: str,
    target_entity_id: int,
    *,
    user_id: str,
    description: str | None = None,
    confidence: float | None = None,
    is_bidirectional: bool | None = None,
) -> Relationship:
    """Tie two entities of a user together, as in 3, "works_at", 4."""
    fields = {
        "user_id": user_id,
        "source_entity_id": source_entity_id,
        "target_entity_id": target_entity_id,
        "relationship_type": relationship_type,
        "description": description,
        "confidence": confidence,
        "is_bidirectional": is_bidirectional,
    }
    body = checked(AddRelationshipBody, fields)
    return (await connection.send("POST", "/api/relationships", RelationshipReply, body=body)).relationship


async def update_relationship(
    connection: AsyncConnection,
    relationship_id: int,
    *,
    user_id: str,
    relationship_type: str | None = None,
    description: str | None = None,
    confidence: float | None = None,
    is_bidirectional: bool | None = None,
) -> Relationship:
    """Change a relationship; what is not given stays."""
    fields = {
        "user_id": user_id,
        "relationship_type": relationship_type,
        "description": description,
        "confidence": confidence,
        "is_bidirectional": is_bidirectional,
    }
    body = checked(UpdateRelationshipBody, fields)
    path = f"/api/relationships/{relationship_id:d}"
    reply = await connection.send("PATCH", path, RelationshipReply, body=body, repeatable=True)
    return reply.relationship


async def delete_relationship(connection: AsyncConnection, relationship_id: int, *, user_id: str) -> Deleted:
    """Delete a relationship; the entities at its ends stay."""
    path = _of_user(f"/api/relationships/{relationship_id:d}", user_id)
    return await connection.send("DELETE", path, Deleted)


def _of_user(path: str, user_id: str) -> str:
    return f"{path}?{urlencode({'user_id': user_id})}"
