"""One example of each call on entities and relationships; paths with several methods have one a method."""

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from sagacity.domain.base import Value


class Example(Value):
    """What is sent, and what comes back."""

    request: JsonValue = None
    reply: JsonValue


_TIMES: Mapping[str, JsonValue] = {"created_at": "2026-05-01T10:00:00Z", "updated_at": "2026-05-02T08:30:00Z"}
_ANA: Mapping[str, JsonValue] = {
    "entity_id": 3,
    "user_id": "anna",
    "name": "Ana Silva",
    "normalized_name": "ana silva",
    "entity_type": "person",
    "description": "the user's sister",
    "aliases": ["Ana"],
    "attributes": {"birthday": "12 May"},
    "mention_count": 4,
    "last_mentioned_at": "2026-05-02T08:30:00Z",
    "source_memory_ids": ["01990a52-9d40-7a11-b2c3-d4e5f6071829"],
    **_TIMES,
}
_SIEMENS: Mapping[str, JsonValue] = {
    "entity_id": 4,
    "user_id": "anna",
    "name": "Siemens",
    "normalized_name": "siemens",
    "entity_type": "organization",
    "description": "",
    "aliases": [],
    "attributes": {},
    "mention_count": 1,
    "last_mentioned_at": "2026-05-01T10:00:00Z",
    "source_memory_ids": [],
    **_TIMES,
}
_TIE: Mapping[str, JsonValue] = {
    "relationship_id": 6,
    "user_id": "anna",
    "source_entity_id": 3,
    "source_name": "Ana Silva",
    "target_entity_id": 4,
    "target_name": "Siemens",
    "relationship_type": "works_at",
    "description": "",
    "confidence": 0.9,
    "is_bidirectional": False,
    "source_memory_ids": ["01990a52-9d40-7a11-b2c3-d4e5f6071829"],
    **_TIMES,
}
_PAGE: Mapping[str, JsonValue] = {"success": True, "total": 1, "page": 1, "page_size": 50}


def _entity(message: str | None = None, request: JsonValue = None) -> Example:
    said: Mapping[str, JsonValue] = {} if message is None else {"message": message}
    return Example(request=request, reply={"success": True, **said, "entity": cast("JsonValue", dict(_ANA))})


def _tie(message: str | None = None, request: JsonValue = None) -> Example:
    said: Mapping[str, JsonValue] = {} if message is None else {"message": message}
    return Example(request=request, reply={"success": True, **said, "relationship": dict(_TIE)})


ENTITY_EXAMPLES: Mapping[str, Example] = {
    "GET /api/entities": Example(reply={**_PAGE, "entities": [dict(_ANA)]}),
    "POST /api/entities": _entity(
        "stored entity 3",
        {
            "user_id": "anna",
            "name": "Ana Silva",
            "entity_type": "person",
            "description": "the user's sister",
            "aliases": ["Ana"],
            "attributes": {"birthday": "12 May"},
        },
    ),
    "GET /api/entities/{entity_id}": _entity(),
    "PATCH /api/entities/{entity_id}": _entity("changed entity 3", {"user_id": "anna", "name": "Ana Silva"}),
    "DELETE /api/entities/{entity_id}": Example(reply={"success": True, "message": "deleted entity 3"}),
    "/api/entities/{entity_id}/merge": _entity(
        "merged into entity 3", {"user_id": "anna", "entity_ids": [8, 9]}
    ),
    "/api/entities/{entity_id}/graph": Example(
        reply={
            "success": True,
            "entities": [dict(_ANA), dict(_SIEMENS)],
            "relationships": [dict(_TIE)],
            "center_entity_id": 3,
            "depth": 1,
        }
    ),
    "GET /api/relationships": Example(reply={**_PAGE, "relationships": [dict(_TIE)]}),
    "POST /api/relationships": _tie(
        "stored relationship 6",
        {
            "user_id": "anna",
            "source_entity_id": 3,
            "target_entity_id": 4,
            "relationship_type": "works_at",
            "confidence": 0.9,
        },
    ),
    "GET /api/relationships/{relationship_id}": _tie(),
    "PATCH /api/relationships/{relationship_id}": _tie(
        "changed relationship 6", {"user_id": "anna", "confidence": 0.9}
    ),
    "DELETE /api/relationships/{relationship_id}": Example(
        reply={"success": True, "message": "deleted relationship 6"}
    ),
}
"""By path, or by method and path where a path has several."""
