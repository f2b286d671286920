"""One example of each call on a memory's history."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.api.example_entities import Example

_LEARNER = "profile:default_profile_extractor"
_PROVENANCE: JsonValue = {
    "learner": _LEARNER,
    "method": "model",
    "model": "gemini/gemini-2.5-flash",
    "prompt_version": "profile_extraction/v2",
    "run_id": "01990a52-a001-7c4e-9d21-0f6a7b8c9d10",
}
_MERGED: Mapping[str, JsonValue] = {
    "memory_id": 12,
    "uid": "01990a52-9d40-7a11-b2c3-d4e5f6071829",
    "kind": "profile",
    "user_id": "anna",
    "content": "Runs and swims in the morning.",
    "name": "",
    "agent_version": "",
    "source": "",
    "keywords": [],
    "metadata": {},
    "approval": "pending",
    "confidence": 0.8,
    "created_at": 1777629600,
    "last_modified_timestamp": 1777629600,
    "expiration_timestamp": 4102444800,
    "source_interaction_ids": [1, 5],
    "provenance": _PROVENANCE,
}
_FORMER: Mapping[str, JsonValue] = {
    **_MERGED,
    "memory_id": 3,
    "uid": "01990a50-1b2c-7d3e-8f40-516273849500",
    "content": "Runs in the morning.",
    "source_interaction_ids": [1],
}
_OWN: Mapping[str, JsonValue] = {
    **_MERGED,
    "content": "Swims in the morning.",
    "source_interaction_ids": [5],
}
_PUT_AWAY: Mapping[str, JsonValue] = {"status": "archived", "superseded_by": 12, "archived_by": "learner"}

HISTORY_EXAMPLES: Mapping[str, Example] = {
    "/api/memories/{memory_id}/history": Example(
        reply={
            "success": True,
            "memory": dict(_MERGED),
            "events": [
                {
                    "change_id": 41,
                    "run_id": "01990a52-a001-7c4e-9d21-0f6a7b8c9d10",
                    "action": "added",
                    "actor": _LEARNER,
                    "reason": "both are about mornings",
                    "at": 1777629600,
                    "request_id": "r-2",
                    "interaction_ids": [5],
                    "before": dict(_OWN),
                    "after": dict(_MERGED),
                }
            ],
            "event_count": 1,
            "predecessors": [{**_FORMER, **_PUT_AWAY}],
            "has_more_predecessors": False,
            "sources": [
                {
                    "interaction_id": 1,
                    "request_id": "r-1",
                    "role": "User",
                    "content": "I run every morning.",
                    "created_at": 1777543200,
                },
                {
                    "interaction_id": 5,
                    "request_id": "r-2",
                    "role": "User",
                    "content": "I also swim in the morning now.",
                    "created_at": 1777629600,
                },
            ],
            "source_count": 2,
            "deleted_source_count": 0,
        }
    ),
    "/api/memories/{memory_id}/undo_merge": Example(
        reply={
            "success": True,
            "message": "1 memory is current again",
            "msg": "1 memory is current again",
            "memory": {**_MERGED, "status": "archived", "archived_by": "person"},
            "restored": [dict(_FORMER)],
            "separated": {**_OWN, "memory_id": 13, "uid": "01990a60-2c3d-7e4f-9051-627384950617"},
        }
    ),
}
