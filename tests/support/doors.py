"""All routes through which the API shows stored data."""

from typing import Any

import httpx

from support.promises import NAME, VERSION

ASKED = "What is my brother called, which shop do I like, and what to praise in short sentences?"
PARTS = {"POST": "json", "GET": "params"}
BY_USES = {"get_memory_review", "memories/search?user_id=anna"}
"""Routes whose replies count how often memories were found, and so change with each call."""
DOORS = (
    ("POST", "get_interactions", {"user_id": "anna", "top_k": 100}),
    ("GET", "get_all_interactions", {}),
    ("POST", "get_requests", {}),
    ("POST", "get_profiles", {"user_id": "anna"}),
    ("GET", "get_all_profiles", {}),
    ("GET", "get_profile_statistics", {}),
    ("GET", "profile_change_log", {}),
    ("GET", "storage_stats", {"user_id": "anna"}),
    ("POST", "get_user_playbooks", {}),
    ("POST", "get_agent_playbooks", {}),
    ("GET", "playbook_aggregation_change_logs", {"playbook_name": NAME, "agent_version": VERSION}),
    ("POST", "get_memory_review", {"include_all_users": True}),
    ("POST", "get_memory_review_actions", {"include_all_users": True}),
    ("GET", "memory_health", {"include_all_users": True, "days_back": 1}),
    ("GET", "entities", {"user_id": "anna"}),
    ("GET", "relationships", {"user_id": "anna"}),
    ("GET", "memories", {"user_id": "anna"}),
    ("GET", "memories/stats", {"user_id": "anna"}),
    ("POST", "memories/search?user_id=anna", {"query": ASKED}),
    ("POST", "search", {"user_id": "anna", "query": ASKED, "top_k": 50, "threshold": 0.0}),
    ("POST", "search_profiles", {"user_id": "anna", "query": ASKED, "threshold": 0.0}),
    ("POST", "search_interactions", {"user_id": "anna", "query": ASKED}),
    ("POST", "search_interactions", {"user_id": "anna", "request_id": "planted"}),
    ("POST", "search_user_playbooks", {"query": ASKED, "threshold": 0.0}),
    ("POST", "search_agent_playbooks", {"query": ASKED, "threshold": 0.0}),
    ("POST", "context", {"user_id": "anna", "query": ASKED, "threshold": 0.0}),
    ("GET", "chat/conversations", {"user_id": "anna"}),
)
"""Calls that show stored data."""
OF_THE_CALL = {
    *("query", "search_time_ms", "msg", "trace", "message"),
    *(
        "access_count",
        "last_accessed",
        "score",
        "combined_score",
        "recency_score",
        "frequency_score",
        "signals",
        "injection_count",
        "last_injected_at",
        "injected_tokens",
    ),
}
"""Fields about the call, its time, and how often memories were found."""


async def seen(api: httpx.AsyncClient) -> list[tuple[str, object]]:
    """Return what all routes show, without durations and counts of calls."""
    shown: list[tuple[str, object]] = []
    for method, path, asked in DOORS:
        reply = await api.request(method, f"/api/{path}", **{PARTS[method]: asked})
        assert reply.status_code == 200, (path, reply.text)
        shown.append((path, plain(reply.json())))
    return shown


def plain(value: Any) -> Any:
    """Return a reply without the fields that each call changes."""
    match value:
        case dict():
            return {name: plain(one) for name, one in value.items() if name not in OF_THE_CALL}
        case list():
            return [plain(one) for one in value]
        case float():
            return round(
                value, 4
            )  # a vector of a question differs in the last digits by what it was made with
        case _:
            return value
