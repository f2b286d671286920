"""One example of each call on skills."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.api.example_entities import Example

_OPERATION = "01990a61-2b30-7d66-8c4b-6e7f8091a2b3"
_NAME = "default_playbook_extractor"
_DESCRIPTION = "Handles refunds. Use when a customer wants money back for an order."
_INSTRUCTIONS = "# Process refunds\n\n1. Look up the order.\n2. Say how many days it takes."
SKILL: dict[str, JsonValue] = {
    "skill_id": 31,
    "skill_name": "process-refunds",
    "description": _DESCRIPTION,
    "version": "1.1.0",
    "agent_version": "agent-v0",
    "playbook_name": _NAME,
    "instructions": _INSTRUCTIONS,
    "allowed_tools": ["orders.find"],
    "blocking_issues": [],
    "user_playbook_ids": [7, 12, 15, 18, 22],
    "skill_status": "approved",
    "created_at": 1777629600,
    "updated_at": 1777716000,
    "provenance": {"learner": f"skills:{_NAME}", "method": "rules", "model": "", "prompt_version": ""},
}
_FOUND: JsonValue = {**SKILL, "score": 0.72, "score_components": {"keyword": 0.61, "vector": 0.83}}
_DOCUMENT = (
    f"---\nname: process-refunds\ndescription: {_DESCRIPTION}\nmetadata:\n  version: 1.1.0\n  status: approved\n"
    f"  playbook: {_NAME}\n  agent-version: agent-v0\n  skill-id: '31'\n---\n\n{_INSTRUCTIONS}\n"
)
_STATUS = Example(
    request={"skill_id": 31, "skill_status": "approved"},
    reply={
        "success": True,
        "message": "skill 31 is approved in place of 24",
        "msg": "skill 31 is approved in place of 24",
        "archived_skill_ids": [24],
    },
)

SKILL_EXAMPLES: Mapping[str, Example] = {
    "/api/get_skills": Example(
        request={"playbook_name": _NAME, "skill_status_filter": "approved"},
        reply={"success": True, "skills": [SKILL], "msg": "1 skill"},
    ),
    "/api/search_skills": Example(
        request={"query": "the customer wants the money back", "top_k": 3},
        reply={"success": True, "skills": [_FOUND]},
    ),
    "/api/add_skill": Example(
        request={
            "skills": [
                {
                    "skill_name": "process-refunds",
                    "description": _DESCRIPTION,
                    "instructions": _INSTRUCTIONS,
                    "agent_version": "agent-v0",
                }
            ]
        },
        reply={"success": True, "message": "stored 1 skill", "added_count": 1, "skill_ids": [31]},
    ),
    "/api/update_skill": Example(
        request={"skill_id": 31, "description": _DESCRIPTION},
        reply={
            "success": True,
            "message": "updated skill 31",
            "msg": "updated skill 31",
            "skill": SKILL | {"version": "1.1.1"},
        },
    ),
    "/api/update_skill_status": _STATUS,
    "/api/run_skill_generation": Example(
        request={"agent_version": "agent-v0", "playbook_name": _NAME},
        reply={
            "success": True,
            "message": "57 user playbooks in 3 clusters: 1 skill written, 1 written anew",
            "skills_generated": 1,
            "skills_updated": 1,
            "operation_id": _OPERATION,
            "operation_status": {
                "operation_id": _OPERATION,
                "service_name": "skill_generation",
                "mode": "rerun",
                "status": "completed",
                "started_at": 1777629600,
                "completed_at": 1777629604,
                "total_users": 1,
                "processed_users": 1,
                "failed_users": 0,
                "request_params": {"agent_version": "agent-v0", "extractor_names": [_NAME]},
                "stats": {"total_interactions_processed": 0, "total_generated": 0},
                "progress_percentage": 100.0,
                "cancel_requested": False,
            },
        },
    ),
    "/api/export_skills": Example(
        request={"format": "markdown", "playbook_name": _NAME},
        reply={
            "success": True,
            "message": "1 skill",
            "msg": "1 skill",
            "markdown": _DOCUMENT,
            "skill_count": 1,
        },
    ),
    "/api/delete_skill": Example(
        request={"skill_id": 31}, reply={"success": True, "message": "deleted skill 31"}
    ),
    "/api/delete_skills_by_ids": Example(
        request={"skill_ids": [31, 32]},
        reply={"success": True, "message": "deleted 2 skills", "deleted_count": 2},
    ),
}
