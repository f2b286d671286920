"""One example of each call that starts, follows or cancels a run, and that compares or swaps versions."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.api.example_entities import Example

_OPERATION = "01990a60-1f20-7c55-9a3b-5d6e7f8091a2"
_FOLLOW = f"GET /api/get_operation_status?operation_id={_OPERATION}"
_DIRECT: JsonValue = {"learner": "", "method": "direct", "model": "", "prompt_version": ""}
_RUN: Mapping[str, JsonValue] = {
    "operation_id": _OPERATION,
    "service_name": "profile_generation",
    "mode": "rerun",
    "status": "completed",
    "started_at": 1777629600,
    "completed_at": 1777629642,
    "total_users": 3,
    "processed_users": 2,
    "failed_users": 1,
    "request_params": {"source": "support"},
    "stats": {"total_interactions_processed": 180, "total_generated": 21},
    "progress_percentage": 100.0,
    "cancel_requested": False,
}
_STANDING: JsonValue = {
    **_RUN,
    "processed_user_ids": ["anna", "ben"],
    "failed_user_ids": [{"user_id": "cleo", "error": "no answer within 120 s"}],
}
_TOLD = "profile_generation is completed: 2 of 3 users, 180 turns read, 21 generated, 1 user failed"
_SWAP: JsonValue = {"user_id": "anna", "only_affected_users": True}
_PLAYBOOK_SWAP: JsonValue = {
    "agent_version": "agent-v0",
    "playbook_name": "default_playbook_extractor",
    "only_affected_users": True,
}
_AGGREGATED = (
    "processed 57 user playbooks, found 3 clusters, generated 1 agent playbook, rewrote 1, archived 0"
)
_UPGRADED = "21 promoted, 19 archived, 17 formerly archived deleted"
_DOWNGRADED = "19 restored, 21 archived in their place"


def _profile(content: str, number: int, status: str | None) -> JsonValue:
    return {
        "profile_id": f"01990a52-9d40-7a11-b2c3-d4e5f60718{number}",
        "user_id": "anna",
        "content": content,
        "last_modified_timestamp": 1777629600,
        "generated_from_request_id": "01990a52-7c11-7d3e-8f6a-3b1c5d2e9f00",
        "profile_time_to_live": "infinity",
        "expiration_timestamp": 4102444800,
        **({"status": status} if status else {}),
        "extractor_names": ["default_profile_extractor"],
        "source_interaction_ids": [number],
    }


def _playbook(content: str, number: int, status: str | None) -> JsonValue:
    return {
        "user_playbook_id": number,
        "user_id": "anna",
        "agent_version": "agent-v0",
        "request_id": "01990a52-7c11-7d3e-8f6a-3b1c5d2e9f00",
        "playbook_name": "default_playbook_extractor",
        "created_at": 1777629600,
        "content": content,
        "trigger": "The user compares figures.",
        **({"status": status} if status else {}),
        "source_interaction_ids": [1],
        "provenance": _DIRECT,
    }


def _diff(
    *, added: JsonValue = None, lost: JsonValue = None, before: JsonValue = None, after: JsonValue = None
) -> JsonValue:
    return {
        "success": True,
        "msg": "1 added, 1 lost, 1 changed, 16 unchanged",
        "added_count": 1,
        "lost_count": 1,
        "changed_count": 1,
        "unchanged_count": 16,
        "added": [added],
        "lost": [lost],
        "changed": [{"before": before, "after": after, "similarity": 0.83}],
    }


LIFECYCLE_EXAMPLES: Mapping[str, Example] = {
    "/api/rerun_profile_generation": Example(
        request={"user_id": "ben", "source": "support", "start_time": "2026-01-01T00:00:00Z"},
        reply={
            "success": True,
            "msg": f"profile_generation goes on; follow it with {_FOLLOW}",
            "operation_id": _OPERATION,
        },
    ),
    "/api/manual_profile_generation": Example(
        request={"user_id": "ben", "extractor_names": ["default_profile_extractor"]},
        reply={
            "success": True,
            "msg": "profile_generation is completed: 1 of 1 users, 10 turns read, 2 generated",
            "operation_id": _OPERATION,
            "profiles_generated": 2,
        },
    ),
    "/api/rerun_playbook_generation": Example(
        request={
            "user_id": "ben",
            "agent_version": "agent-v0",
            "playbook_name": "default_playbook_extractor",
        },
        reply={
            "success": True,
            "msg": f"playbook_generation goes on; follow it with {_FOLLOW}",
            "operation_id": _OPERATION,
        },
    ),
    "/api/manual_playbook_generation": Example(
        request={"agent_version": "agent-v0", "user_id": "ben"},
        reply={
            "success": True,
            "msg": "playbook_generation is completed: 1 of 1 users, 10 turns read, 1 generated",
            "operation_id": _OPERATION,
            "playbooks_generated": 1,
        },
    ),
    "/api/get_operation_status": Example(
        reply={"success": True, "msg": _TOLD, "operation_status": _STANDING}
    ),
    "/api/operations": Example(reply={"success": True, "msg": "1 operations", "operations": [dict(_RUN)]}),
    "/api/cancel_operation": Example(
        request={"service_name": "profile_generation"},
        reply={
            "success": True,
            "msg": "told profile_generation to stop",
            "cancelled_services": ["profile_generation"],
            "operation_ids": [_OPERATION],
        },
    ),
    "/api/get_profile_diff": Example(
        request={"user_id": "anna", "limit": 100},
        reply=_diff(
            added=_profile("Plays the cello.", 31, "pending"),
            lost=_profile("Is looking for a flat.", 32, None),
            before=_profile("Lives in Porto.", 33, None),
            after=_profile("Lives in Lisbon.", 34, "pending"),
        ),
    ),
    "/api/get_user_playbook_diff": Example(
        request={"agent_version": "agent-v0", "limit": 100},
        reply=_diff(
            added=_playbook("Name the source of each figure.", 31, "pending"),
            lost=_playbook("Round to whole numbers.", 32, None),
            before=_playbook("Answer with a list.", 33, None),
            after=_playbook("Answer with a table.", 34, "pending"),
        ),
    ),
    "/api/upgrade_all_profiles": Example(
        request=_SWAP,
        reply={
            "success": True,
            "message": _UPGRADED,
            "profiles_archived": 19,
            "profiles_promoted": 21,
            "profiles_deleted": 17,
        },
    ),
    "/api/downgrade_all_profiles": Example(
        request=_SWAP,
        reply={
            "success": True,
            "message": _DOWNGRADED,
            "profiles_demoted": 21,
            "profiles_restored": 19,
        },
    ),
    "/api/upgrade_all_user_playbooks": Example(
        request=_PLAYBOOK_SWAP,
        reply={
            "success": True,
            "message": _UPGRADED,
            "user_playbooks_archived": 19,
            "user_playbooks_promoted": 21,
            "user_playbooks_deleted": 17,
        },
    ),
    "/api/downgrade_all_user_playbooks": Example(
        request=_PLAYBOOK_SWAP,
        reply={
            "success": True,
            "message": _DOWNGRADED,
            "user_playbooks_demoted": 21,
            "user_playbooks_restored": 19,
        },
    ),
    "/api/run_playbook_aggregation": Example(
        request={
            "agent_version": "agent-v0",
            "playbook_name": "default_playbook_extractor",
        },
        reply={
            "success": True,
            "message": _AGGREGATED,
            "msg": _AGGREGATED,
            "playbooks_processed": 57,
            "clusters": 3,
            "playbooks_generated": 1,
            "playbooks_updated": 1,
            "playbooks_archived": 0,
            "clusters_failed": 0,
            "operation_id": _OPERATION,
            "operation_status": {
                **_RUN,
                "service_name": "playbook_aggregation",
                "total_users": 1,
                "processed_users": 1,
                "failed_users": 0,
                "processed_steps": 3,
                "total_steps": 3,
                "request_params": {
                    "agent_version": "agent-v0",
                    "extractor_names": ["default_playbook_extractor"],
                },
                "stats": {"total_interactions_processed": 0, "total_generated": 0},
            },
        },
    ),
}
