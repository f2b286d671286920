"""Examples of searches: what is asked, and how an answer explains itself."""

from collections.abc import Mapping

from pydantic import JsonValue

SEARCHES: Mapping[str, JsonValue] = {
    "/api/search": {
        "user_id": "anna",
        "query": "Where did she want to move last week?",
        "kinds": ["profile", "user_playbook", "interaction"],
        "top_k": 5,
        "threshold": 0.3,
        "ranking": "blended",
        "strategies": ["vector", "keyword"],
        "neighbours": 1,
        "reference_time": "2026-05-04T09:00:00Z",
        "metadata": {"or": [{"project": {"eq": "atlas"}}, {"priority": {"gte": 2}}]},
        "conversation_history": [{"role": "User", "content": "Let us talk about Anna."}],
        "enable_reformulation": False,
        "explain": True,
    },
    "/api/search_interactions": {
        "user_id": "anna",
        "query": "moving house",
        "top_k": 10,
        "start_time": "2026-05-01T00:00:00Z",
        "tags": ["travel"],
    },
    "/api/search_profiles": {
        "user_ids": ["anna", "ben"],
        "query": "home town",
        "threshold": 0.4,
        "search_mode": "hybrid",
        "as_of": "2026-05-01T00:00:00Z",
    },
    "/api/search_user_playbooks": {
        "user_id": "anna",
        "query": "compare figures",
        "agent_versions": ["agent-v0", "agent-v1"],
        "status_filter": [None, "pending"],
        "include_expired": False,
    },
    "/api/search_agent_playbooks": {
        "query": "late delivery",
        "playbook_status_filter": "approved",
        "playbook_names": ["agent_corrections"],
        "rerank": False,
    },
}
"""What is sent, by path."""

_EXPLANATION: JsonValue = {
    "query": "Where did she want to move last week?",
    "ranking": "blended",
    "analysis": {
        "original_query": "Where did she want to move last week?",
        "reference_at": "2026-05-04T09:00:00Z",
        "intent": "question",
        "confidence": 0.75,
        "keywords": ["move"],
        "time_reference": {
            "text": "last week",
            "kind": "week",
            "start": "2026-04-27T00:00:00Z",
            "end": "2026-05-03T23:59:59Z",
        },
        "requires_memory": True,
    },
    "strategies": [
        {"name": "vector", "milliseconds": 6.2, "found": 12},
        {"name": "keyword", "milliseconds": 1.4, "found": 3},
        {"name": "rank", "milliseconds": 0.6},
    ],
    "dropped": {"below_threshold": 9},
}
OTHER_FINDS: Mapping[str, JsonValue] = {
    "user_playbooks": [],
    "agent_playbooks": [],
    "skills": [],
    "interactions": [],
    "explanation": _EXPLANATION,
}
"""The rest of the reply to the first of them."""
