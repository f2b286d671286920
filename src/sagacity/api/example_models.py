"""One example of each call on what models cost and by what they are asked."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.api.example_entities import Example

_CAP: JsonValue = {
    "period": "day",
    "max_tokens": 100000,
    "spent_tokens": 1694,
    "spent_cost_usd": 0.0021,
    "unpriced_count": 0,
    "since": "2026-05-01T00:00:00Z",
    "until": "2026-05-02T00:00:00Z",
    "is_reached": False,
}
_SUMS: Mapping[str, JsonValue] = {
    "call_count": 1,
    "failed_count": 0,
    "prompt_tokens": 1620,
    "completion_tokens": 74,
    "cost_usd": 0.0021,
    "unpriced_count": 0,
    "duration_ms": 1830,
}
_ABOUT: Mapping[str, str] = {
    "conversation": "turns before the question, oldest first, one a line",
    "question": "the question as it was asked",
}

MODEL_EXAMPLES: Mapping[str, Example] = {
    "/api/model_calls": Example(
        reply={
            "success": True,
            "model_calls": [
                {
                    "call_id": 41,
                    "learner": "profile:default_profile_extractor",
                    "user_id": "anna",
                    "model": "anthropic/claude-haiku-4-5",
                    "prompt": "profile_extraction/v2",
                    "attempt": 1,
                    "prompt_tokens": 1620,
                    "completion_tokens": 74,
                    "cost_usd": 0.0021,
                    "duration_ms": 1830,
                    "outcome": "ok",
                    "created_at": "2026-05-01T10:00:02Z",
                }
            ],
            "spending_cap": _CAP,
            "warnings": [],
            "msg": "1 model calls",
        }
    ),
    "/api/model_call_totals": Example(
        reply={
            "success": True,
            "by": "day",
            "totals": [{**_SUMS, "key": "2026-05-01"}],
            "spending_cap": _CAP,
            "warnings": [],
            "msg": "1 sums by day",
        }
    ),
    "/api/prompts": Example(
        reply={
            "success": True,
            "prompts": [
                {
                    "prompt_id": "query_reformulation",
                    "description": "Rewrites a question so that it can be searched for without the conversation.",
                    "versions": [1],
                    "active_version": 1,
                    "is_chosen": False,
                    "variables": [
                        {"name": name, "about": about, "data": True} for name, about in _ABOUT.items()
                    ],
                    "output": "text",
                    "older_names": [],
                }
            ],
            "msg": "1 prompts",
        }
    ),
    "/api/preview_prompt": Example(
        request={"prompt_id": "query_reformulation", "variables": {"question": "and in winter?"}},
        reply={
            "success": True,
            "prompt_id": "query_reformulation",
            "version": 1,
            "system": "You rewrite a question so that a search engine finds its answer …",
            "user": "What was said before:\n\n<<<conversation 5f0c…>>>\n[conversation: turns before …",
            "left_out": ["conversation"],
        },
    ),
    "/api/update_prompt_version": Example(
        request={"prompt_id": "profile_extraction", "version": 1},
        reply={
            "success": True,
            "prompt_id": "profile_extraction",
            "active_version": 1,
            "msg": "prompt profile_extraction is used in version 1",
        },
    ),
}
