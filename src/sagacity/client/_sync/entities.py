# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""People, places and things that users mention, and their relationships."""

from collections.abc import Mapping, Sequence

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.client.words.graph import EntityTypeWord
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


def list_entities(
    connection: Connection,
    *,
    user_id: str,
    entity_type: EntityTypeWord | None = None,
    query: str | None = None,
    page: int = 1,
    page_size: int = 50,
) -> EntitiesPage:
    """
    Return a page of a user's entities, most mentioned first; `query` is a part of a name or alias.

    Args:
        connection: to the server.
        user_id: the user. An id that belongs to another user gives 404.
        entity_type: only entities of this type. Default: all types.
        query: only entities with this text in a name or alias.
        page: which page of the results to return, from 1 on.
        page_size: how many results a page holds.
    """
    params = {
        "user_id": user_id,
        "entity_type": entity_type,
        "query": query,
        "page": page,
        "page_size": page_size,
    }
    return connection.get("/api/entities", EntitiesPage, params=params)


def add_entity(
    connection: Connection,
    name: str,
    *,
    user_id: str,
    entity_type: EntityTypeWord | None = None,
    description: str | None = None,
    aliases: Sequence[str] | None = None,
    attributes: Mapping[str, object] | None = None,
) -> Entity:
    """
    Add an entity. It stays even if no memory mentions it.

    A name or alias of another entity of the user is refused with 409.

    Args:
        connection: to the server.
        name: what the user calls it; one line.
        entity_type: what it is: a person, a place and so on; by default other.
        description: one or two sentences on what it is.
        aliases: other names by which it is found.
        attributes: free JSON about it.
    """
    body = checked(
        AddEntityBody,
        {
            "name": name,
            "user_id": user_id,
            "entity_type": entity_type,
            "description": description,
            "aliases": aliases,
            "attributes": attributes,
        },
    )
    reply = connection.send("POST", "/api/entities", EntityReply, body=body)
    return reply.entity


def get_entity(connection: Connection, entity_id: int, *, user_id: str) -> Entity:
    """
    Return one entity, with the newest memories that mention it.

    Args:
        connection: to the server.
        entity_id: the entity's number.
        user_id: the user. An id that belongs to another user gives 404.
    """
    params = {"user_id": user_id}
    reply = connection.get(f"/api/entities/{entity_id:d}", EntityReply, params=params)
    return reply.entity


def update_entity(
    connection: Connection,
    entity_id: int,
    *,
    user_id: str,
    name: str | None = None,
    entity_type: EntityTypeWord | None = None,
    description: str | None = None,
    aliases: Sequence[str] | None = None,
    attributes: Mapping[str, object] | None = None,
) -> Entity:
    """
    Change an entity; fields that are not given stay as they are. A former name becomes an alias.

    Args:
        connection: to the server.
        entity_id: the entity's number.
        name: what to call it from now on; the former name becomes an alias.
        entity_type: what it is: a person, a place and so on.
        description: one or two sentences on what it is.
        aliases: other names by which it is found.
        attributes: free JSON about it.
    """
    body = checked(
        UpdateEntityBody,
        {
            "user_id": user_id,
            "name": name,
            "entity_type": entity_type,
            "description": description,
            "aliases": aliases,
            "attributes": attributes,
        },
    )
    reply = connection.send("PATCH", f"/api/entities/{entity_id:d}", EntityReply, body=body, repeatable=True)
    return reply.entity


def delete_entity(connection: Connection, entity_id: int, *, user_id: str) -> Deleted:
    """
    Delete an entity with its names and relationships; memories that mention it stay.

    Args:
        connection: to the server.
        entity_id: the entity's number.
        user_id: the user. An id that belongs to another user gives 404.
    """
    params = {"user_id": user_id}
    return connection.send("DELETE", f"/api/entities/{entity_id:d}", Deleted, params=params)


def merge_entities(
    connection: Connection, entity_id: int, entity_ids: Sequence[int], *, user_id: str
) -> Entity:
    """
    Merge other entities into this one: it takes over their names as aliases, their memories and relationships.

    Args:
        connection: to the server.
        entity_id: the entity's number.
        entity_ids: the entities to merge; they are gone afterwards.
    """
    body = checked(MergeEntitiesBody, {"entity_ids": entity_ids, "user_id": user_id})
    reply = connection.send("POST", f"/api/entities/{entity_id:d}/merge", EntityReply, body=body)
    return reply.entity


def get_entity_graph(
    connection: Connection, entity_id: int, *, user_id: str, depth: int = 1
) -> EntityGraphReply:
    """
    Return the entities within `depth` steps of an entity, nearest first, and their relationships.

    Args:
        connection: to the server.
        entity_id: the entity's number.
        user_id: the user. An id that belongs to another user gives 404.
        depth: how many relationships may lie between them.
    """
    params = {"user_id": user_id, "depth": depth}
    return connection.get(f"/api/entities/{entity_id:d}/graph", EntityGraphReply, params=params)


def list_relationships(
    connection: Connection,
    *,
    user_id: str,
    entity_id: int | None = None,
    relationship_type: str | None = None,
    ended: bool = False,
    page: int = 1,
    page_size: int = 50,
) -> RelationshipsPage:
    """
    Return a page of a user's relationships, most certain first; with `entity_id`, those of that entity.

    A relationship holds as long as a memory in force states it; one that a person added or edited stays.

    Args:
        connection: to the server.
        user_id: the user. An id that belongs to another user gives 404.
        entity_id: only relationships of this entity.
        relationship_type: only relationships of this type, such as `works_at`.
        ended: also return relationships that no longer hold.
        page: which page of the results to return, from 1 on.
        page_size: how many results a page holds.
    """
    params = {
        "user_id": user_id,
        "entity_id": entity_id,
        "relationship_type": relationship_type,
        "ended": ended,
        "page": page,
        "page_size": page_size,
    }
    return connection.get("/api/relationships", RelationshipsPage, params=params)


def add_relationship(
    connection: Connection,
    source_entity_id: int,
    relationship_type: str,
    target_entity_id: int,
    *,
    user_id: str,
    description: str | None = None,
    confidence: float | None = None,
    is_bidirectional: bool | None = None,
) -> Relationship:
    """
    Add a relationship between two entities of a user; if one of the same type exists, it is refused with 409.

    Args:
        connection: to the server.
        source_entity_id: where the connection starts.
        relationship_type: what connects the two, such as `works_at`.
        target_entity_id: where the connection ends.
        description: one or two sentences on what it is.
        confidence: how certain it is, from 0 to 1; by default 1.0.
        is_bidirectional: whether it holds in both directions.
    """
    body = checked(
        AddRelationshipBody,
        {
            "source_entity_id": source_entity_id,
            "relationship_type": relationship_type,
            "target_entity_id": target_entity_id,
            "user_id": user_id,
            "description": description,
            "confidence": confidence,
            "is_bidirectional": is_bidirectional,
        },
    )
    reply = connection.send("POST", "/api/relationships", RelationshipReply, body=body)
    return reply.relationship


def get_relationship(connection: Connection, relationship_id: int, *, user_id: str) -> Relationship:
    """
    Return one relationship, with the newest memories that support it.

    Args:
        connection: to the server.
        relationship_id: the relationship's number.
        user_id: the user. An id that belongs to another user gives 404.
    """
    params = {"user_id": user_id}
    reply = connection.get(f"/api/relationships/{relationship_id:d}", RelationshipReply, params=params)
    return reply.relationship


def update_relationship(
    connection: Connection,
    relationship_id: int,
    *,
    user_id: str,
    relationship_type: str | None = None,
    description: str | None = None,
    confidence: float | None = None,
    is_bidirectional: bool | None = None,
) -> Relationship:
    """
    Change a relationship; fields that are not given stay as they are.

    Args:
        connection: to the server.
        relationship_id: the relationship's number.
        relationship_type: what connects the two, such as `works_at`.
        description: one or two sentences on what it is.
        confidence: how certain it is, from 0 to 1.
        is_bidirectional: whether it holds in both directions.
    """
    body = checked(
        UpdateRelationshipBody,
        {
            "user_id": user_id,
            "relationship_type": relationship_type,
            "description": description,
            "confidence": confidence,
            "is_bidirectional": is_bidirectional,
        },
    )
    reply = connection.send(
        "PATCH", f"/api/relationships/{relationship_id:d}", RelationshipReply, body=body, repeatable=True
    )
    return reply.relationship


def delete_relationship(connection: Connection, relationship_id: int, *, user_id: str) -> Deleted:
    """
    Delete a relationship; its entities, and the memories that support it, stay.

    Args:
        connection: to the server.
        relationship_id: the relationship's number.
        user_id: the user. An id that belongs to another user gives 404.
    """
    params = {"user_id": user_id}
    return connection.send("DELETE", f"/api/relationships/{relationship_id:d}", Deleted, params=params)
