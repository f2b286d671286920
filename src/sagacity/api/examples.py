"""One example of each call, for the OpenAPI document."""

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from sagacity.api.example_context import CONTEXT_REPLY, CONTEXT_REQUEST
from sagacity.api.example_entities import ENTITY_EXAMPLES, Example
from sagacity.api.example_history import HISTORY_EXAMPLES
from sagacity.api.example_lifecycle import LIFECYCLE_EXAMPLES
from sagacity.api.example_models import MODEL_EXAMPLES
from sagacity.api.example_search import OTHER_FINDS, SEARCHES
from sagacity.api.example_skills import SKILL_EXAMPLES
from sagacity.api.vocabulary import OLDER_ROUTES, renamed

_REQUEST = "01990a52-7c11-7d3e-8f6a-3b1c5d2e9f00"
_PROFILE_ID = "01990a52-9d40-7a11-b2c3-d4e5f6071829"
_PROVENANCE: JsonValue = {"learner": "profile:default_profile_extractor", "method": "rules"}
_DIRECT: JsonValue = {"learner": "", "method": "direct", "model": "", "prompt_version": ""}
_TURN: JsonValue = {
    "interaction_id": 1,
    "user_id": "anna",
    "request_id": _REQUEST,
    "created_at": 1777629600,
    "role": "User",
    "content": "I moved to Lisbon last week.",
    "user_action": "none",
    "session_id": "s-1",
}
_PROFILE: JsonValue = {
    "profile_id": _PROFILE_ID,
    "user_id": "anna",
    "content": "Lives in Lisbon.",
    "last_modified_timestamp": 1777629600,
    "generated_from_request_id": _REQUEST,
    "profile_time_to_live": "infinity",
    "expiration_timestamp": 4102444800,
    "extractor_names": ["default_profile_extractor"],
    "source_interaction_ids": [1],
    "provenance": _PROVENANCE,
}
_USER_PLAYBOOK: JsonValue = {
    "user_playbook_id": 7,
    "user_id": "anna",
    "agent_version": "agent-v0",
    "request_id": _REQUEST,
    "playbook_name": "default_playbook_extractor",
    "created_at": 1777629600,
    "content": "Answer with a table when figures are compared.",
    "trigger": "The user compares figures.",
    "source_interaction_ids": [1, 2],
    "provenance": _PROVENANCE,
}
_AGENT_PLAYBOOK: JsonValue = {
    "agent_playbook_id": 9,
    "playbook_name": "agent_corrections",
    "agent_version": "agent-v0",
    "created_at": 1777629600,
    "content": "Ask for the order number before looking up a delivery.",
    "trigger": "A delivery is late.",
    "playbook_status": "approved",
    "provenance": _DIRECT,
}
_SCORE: Mapping[str, JsonValue] = {"score": 0.98, "score_components": {"keyword": 2.1, "vector": 0.74}}
_LETTER: JsonValue = {
    "dead_letter_id": 3,
    "learner": "profile:default_profile_extractor",
    "user_id": "anna",
    "first_seq": 11,
    "last_seq": 20,
    "attempts": 5,
    "error_kind": "ProviderTimeout",
    "error": "no answer within 120 s",
    "status": "parked",
    "created_at": "2026-05-01T10:00:00Z",
    "updated_at": "2026-05-01T10:20:00Z",
}
_PERIOD: JsonValue = {
    "total_profiles": 12,
    "total_interactions": 240,
    "total_playbooks": 5,
    "success_rate": 91.5,
}
_DAY: JsonValue = [{"timestamp": 1777593600, "value": 4}]


def _found(view: JsonValue) -> JsonValue:
    return {**cast("dict[str, JsonValue]", view), **_SCORE}


def _deleted(what: str, request: JsonValue = None) -> Example:
    return Example(
        request=request, reply={"success": True, "message": f"deleted 2 {what}", "deleted_count": 2}
    )


_CURRENT: Mapping[str, Example] = {
    "/": Example(reply={"service": "Sagacity", "docs": "/docs", "health": "/health"}),
    "/health": Example(reply={"status": "healthy"}),
    "/health/ready": Example(reply={"status": "ready", "checks": [{"name": "storage", "ok": True}]}),
    "/meta/version": Example(
        reply={"server_version": "0.1.0", "api_version": "v1", "min_client_version": "0.1.0"}
    ),
    "/api/publish_interaction": Example(
        request={
            "user_id": "anna",
            "session_id": "s-1",
            "agent_version": "agent-v0",
            "request_id": _REQUEST,
            "interaction_data_list": [
                {"role": "User", "content": "I moved to Lisbon last week."},
                {"role": "Agent", "content": "Noted. Shall I change your delivery address?"},
            ],
        },
        reply={"success": True, "message": "queued", "warnings": [], "request_id": _REQUEST},
    ),
    "/api/get_interactions": Example(
        request={"user_id": "anna", "start_time": "2026-05-01T00:00:00Z", "top_k": 30},
        reply={"success": True, "interactions": [_TURN], "msg": "1 interaction"},
    ),
    "/api/get_all_interactions": Example(
        reply={"success": True, "interactions": [_TURN], "msg": "1 interaction"}
    ),
    "/api/get_requests": Example(
        request={"user_id": "anna", "top_k": 30, "offset": 0},
        reply={
            "success": True,
            "has_more": False,
            "sessions": [
                {
                    "session_id": "s-1",
                    "requests": [
                        {
                            "request": {
                                "request_id": _REQUEST,
                                "user_id": "anna",
                                "created_at": 1777629600,
                                "session_id": "s-1",
                            },
                            "interactions": [_TURN],
                        }
                    ],
                }
            ],
        },
    ),
    "/api/delete_interaction": Example(
        request={"user_id": "anna", "interaction_id": 1},
        reply={"success": True, "message": "deleted interaction 1"},
    ),
    "/api/delete_request": Example(
        request={"request_id": _REQUEST}, reply={"success": True, "message": f"deleted request {_REQUEST}"}
    ),
    "/api/delete_session": Example(
        request={"session_id": "s-1"},
        reply={"success": True, "message": "deleted session s-1", "deleted_requests_count": 4},
    ),
    "/api/delete_requests_by_ids": _deleted("requests", {"request_ids": [_REQUEST]}),
    "/api/delete_all_interactions": _deleted("interactions"),
    "/api/receipts/{request_id}": Example(
        reply={
            "success": True,
            "request_id": _REQUEST,
            "user_id": "anna",
            "accepted_at": "2026-05-01T10:00:00Z",
            "interactions": 2,
            "state": "learned",
            "indexed": {"keyword": True, "vector": {"done": 2, "waiting": 0, "failed": 0}},
            "learners": [
                {"learner": "profile:default_profile_extractor", "state": "learned", "outcome": "learned"}
            ],
            "memories": [
                {
                    "memory_id": 5,
                    "uid": _PROFILE_ID,
                    "profile_id": _PROFILE_ID,
                    "kind": "profile",
                    "content": "Lives in Lisbon.",
                }
            ],
        }
    ),
    "/api/add_user_profile": Example(
        request={
            "user_profiles": [
                {"profile_id": _PROFILE_ID, "user_id": "anna", "content": "Lives in Lisbon."},
            ]
        },
        reply={"success": True, "message": "stored 1 profile", "added_count": 1},
    ),
    "/api/update_user_profile": Example(
        request={"user_id": "anna", "profile_id": _PROFILE_ID, "content": "Lives in Porto."},
        reply={"success": True, "msg": f"updated profile {_PROFILE_ID}"},
    ),
    "/api/get_profiles": Example(
        request={"user_id": "anna", "top_k": 30, "status_filter": [None, "pending"]},
        reply={"success": True, "user_profiles": [_PROFILE], "msg": "1 profile"},
    ),
    "/api/get_all_profiles": Example(reply={"success": True, "user_profiles": [_PROFILE]}),
    "/api/get_profile_statistics": Example(
        reply={
            "success": True,
            "current_count": 12,
            "pending_count": 0,
            "archived_count": 3,
            "expiring_soon_count": 1,
        }
    ),
    "/api/profile_change_log": Example(
        reply={
            "success": True,
            "profile_change_logs": [
                {
                    "id": 1,
                    "user_id": "anna",
                    "request_id": _REQUEST,
                    "created_at": 1777629600,
                    "added_profiles": [_PROFILE],
                    "removed_profiles": [],
                    "mentioned_profiles": [],
                }
            ],
        }
    ),
    "/api/delete_profile": Example(
        request={"user_id": "anna", "search_query": "Lisbon"},
        reply={"success": True, "message": "deleted 1 profile"},
    ),
    "/api/delete_profiles_by_ids": _deleted("profiles", {"profile_ids": [_PROFILE_ID]}),
    "/api/delete_all_profiles": _deleted("profiles"),
    "/api/add_user_playbook": Example(
        request={
            "user_playbooks": [
                {
                    "user_id": "anna",
                    "agent_version": "agent-v0",
                    "trigger": "The user compares figures.",
                    "content": "Answer with a table when figures are compared.",
                }
            ]
        },
        reply={"success": True, "message": "stored 1 user playbook", "added_count": 1},
    ),
    "/api/update_user_playbook": Example(
        request={"user_playbook_id": 7, "content": "Answer with a table.", "status": "archived"},
        reply={"success": True, "msg": "updated user playbook 7"},
    ),
    "/api/get_user_playbooks": Example(
        request={"user_id": "anna", "limit": 100, "status_filter": [None]},
        reply={"success": True, "user_playbooks": [_USER_PLAYBOOK], "msg": "1 user playbook"},
    ),
    "/api/delete_user_playbook": Example(
        request={"user_playbook_id": 7}, reply={"success": True, "message": "deleted user playbook 7"}
    ),
    "/api/delete_user_playbooks_by_ids": _deleted("user playbooks", {"user_playbook_ids": [7, 8]}),
    "/api/delete_all_user_playbooks": _deleted("user playbooks"),
    "/api/add_agent_playbook": Example(
        request={
            "agent_playbooks": [
                {
                    "playbook_name": "agent_corrections",
                    "agent_version": "agent-v0",
                    "trigger": "A delivery is late.",
                    "content": "Ask for the order number before looking up a delivery.",
                }
            ]
        },
        reply={"success": True, "message": "stored 1 agent playbook", "added_count": 1},
    ),
    "/api/update_agent_playbook": Example(
        request={"agent_playbook_id": 9, "rationale": "Without it the look-up fails."},
        reply={"success": True, "msg": "updated agent playbook 9"},
    ),
    "/api/update_agent_playbook_status": Example(
        request={"agent_playbook_id": 9, "playbook_status": "approved"},
        reply={"success": True, "msg": "agent playbook 9 is approved"},
    ),
    "/api/get_agent_playbooks": Example(
        request={"limit": 100, "playbook_status_filter": "approved"},
        reply={"success": True, "agent_playbooks": [_AGENT_PLAYBOOK], "msg": "1 agent playbook"},
    ),
    "/api/playbook_aggregation_change_logs": Example(reply={"success": True, "change_logs": []}),
    "/api/delete_agent_playbook": Example(
        request={"agent_playbook_id": 9}, reply={"success": True, "message": "deleted agent playbook 9"}
    ),
    "/api/delete_agent_playbooks_by_ids": _deleted("agent playbooks", {"agent_playbook_ids": [9, 10]}),
    "/api/delete_all_agent_playbooks": _deleted("agent playbooks"),
    "/api/delete_all_playbooks": _deleted("playbooks"),
    "/api/search": Example(
        request=SEARCHES["/api/search"],
        reply={"success": True, "profiles": [_found(_PROFILE)], **OTHER_FINDS},
    ),
    "/api/context": Example(request=CONTEXT_REQUEST, reply=CONTEXT_REPLY),
    "/api/search_interactions": Example(
        request=SEARCHES["/api/search_interactions"],
        reply={"success": True, "interactions": [_found(_TURN)]},
    ),
    "/api/search_profiles": Example(
        request=SEARCHES["/api/search_profiles"],
        reply={"success": True, "user_profiles": [_found(_PROFILE)]},
    ),
    "/api/search_user_playbooks": Example(
        request=SEARCHES["/api/search_user_playbooks"],
        reply={"success": True, "user_playbooks": [_found(_USER_PLAYBOOK)]},
    ),
    "/api/search_agent_playbooks": Example(
        request=SEARCHES["/api/search_agent_playbooks"],
        reply={"success": True, "agent_playbooks": [_found(_AGENT_PLAYBOOK)]},
    ),
    "/api/get_agent_success_evaluation_results": Example(
        request={"limit": 100, "agent_version": "agent-v0"},
        reply={
            "success": True,
            "agent_success_evaluation_results": [
                {
                    "result_id": 1,
                    "agent_version": "agent-v0",
                    "session_id": "s-1",
                    "is_success": True,
                    "created_at": 1777630200,
                }
            ],
        },
    ),
    "/api/get_dashboard_stats": Example(
        request={"days_back": 30},
        reply={
            "success": True,
            "stats": {
                "current_period": _PERIOD,
                "previous_period": _PERIOD,
                "interactions_time_series": _DAY,
                "profiles_time_series": _DAY,
                "playbooks_time_series": _DAY,
                "evaluations_time_series": [{"timestamp": 1777593600, "value": 92}],
            },
        },
    ),
    "/api/dead_letters": Example(reply={"success": True, "dead_letters": [_LETTER], "msg": "1 dead letters"}),
    "/api/dead_letters/{dead_letter_id}/replay": Example(
        reply={
            "success": True,
            "message": "queued dead letter 3",
            "dead_letter": {**cast("dict[str, JsonValue]", _LETTER), "status": "queued"},
        }
    ),
    **LIFECYCLE_EXAMPLES,
    **MODEL_EXAMPLES,
    **SKILL_EXAMPLES,
    "/api/whoami": Example(
        reply={
            "success": True,
            "org_id": "self-host-org",
            "storage_type": "sqlite",
            "storage_label": "sagacity.db",
            "storage_configured": True,
            "message": "ok",
        }
    ),
    "/api/my_config": Example(
        reply={
            "success": False,
            "storage_type": "sqlite",
            "message": "the storage is the server's own; its credentials are not given out",
        }
    ),
    "/api/get_config": Example(
        reply={
            "batch_size": 10,
            "batch_interval": 5,
            "api_key_config": {"openai": {"api_key": "********"}},
            "skip_should_run_check": False,
        }
    ),
    "/api/set_config": Example(
        request={"batch_size": 10, "batch_interval": 5, "agent_context_prompt": "A travel agency."},
        reply={"success": True, "msg": "configuration saved"},
    ),
}


def _older() -> dict[str, Example]:
    found: dict[str, Example] = {}
    for path, (successor, names) in OLDER_ROUTES.items():
        example = _CURRENT[f"/api{successor}"]
        found[f"/api{path}"] = Example(
            request=cast("JsonValue", renamed(example.request, names)),
            reply=cast("JsonValue", renamed(example.reply, names)),
        )
    return found


EXAMPLES: Mapping[str, Example] = {**_CURRENT, **ENTITY_EXAMPLES, **HISTORY_EXAMPLES, **_older()}
"""By path, or by method and path where a path has several."""


def example_of(method: str, path: str) -> Example | None:
    """Return the example of one call."""
    return EXAMPLES.get(f"{method.upper()} {path}") or EXAMPLES.get(path)
