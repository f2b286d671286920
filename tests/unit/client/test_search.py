"""What the client's searches send, and what they make of the reply."""

import json
from datetime import UTC, datetime

import httpx
import pytest

from sagacity.client import Sagacity
from sagacity.domain.errors import InvalidInput
from sagacity.domain.query import Ranking, StrategyName
from sagacity.schemas.found import FoundInteractions, SearchPage

EVERYTHING = {
    "threshold": 0.2,
    "search_mode": "hybrid",
    "ranking": Ranking.RRF,
    "strategies": [StrategyName.VECTOR, "graph"],
    "rerank": True,
    "start_time": datetime(2026, 5, 1, tzinfo=UTC),
    "end_time": datetime(2026, 5, 2, tzinfo=UTC),
    "event_start_time": datetime(2026, 4, 1, tzinfo=UTC),
    "event_end_time": datetime(2026, 4, 2, tzinfo=UTC),
    "as_of": datetime(2026, 6, 1, tzinfo=UTC),
    "reference_time": datetime(2026, 6, 2, tzinfo=UTC),
    "tags": ["a"],
    "metadata": {"priority": {"gte": 2}},
    "conversation_history": [{"role": "user", "content": "Hello."}],
    "enable_reformulation": True,
    "explain": True,
}
SENT = EVERYTHING | {
    "ranking": "rrf",
    "strategies": ["vector", "graph"],
    "start_time": "2026-05-01T00:00:00Z",
    "end_time": "2026-05-02T00:00:00Z",
    "event_start_time": "2026-04-01T00:00:00Z",
    "event_end_time": "2026-04-02T00:00:00Z",
    "as_of": "2026-06-01T00:00:00Z",
    "reference_time": "2026-06-02T00:00:00Z",
}
MEMORIES = {"status_filter": ["current", "archived"]}
PLAYBOOKS = MEMORIES | {"agent_versions": ["v1"], "playbook_names": ["n"]}


def called(name: str, *arguments: object, reply: dict | None = None, **options: object):
    """What a call sent, where, and what it gave back."""
    requests: list[httpx.Request] = []

    def serve(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={"success": True} | (reply or {}))

    with Sagacity("http://127.0.0.1:1", transport=httpx.MockTransport(serve)) as client:
        page = getattr(client, name)(*arguments, **options)
    return requests[0].url.path, json.loads(requests[0].content), page


@pytest.mark.parametrize(
    ("name", "arguments", "own"),
    [
        ("search", ["x"], {"user_ids": ["a", "b"], "kinds": ["profile", "interaction"], "neighbours": 2, "top_k": 3}),
        ("search_interactions", ["a", "x"], {"most_recent_k": 7, "neighbours": 1, "top_k": 3}),
        ("search_profiles", ["a", "x"], {"source": "s", "top_k": 3}),
        ("search_user_playbooks", ["x"], {"user_id": "a", "top_k": 3}),
        ("search_agent_playbooks", ["x"], {"playbook_status_filter": ["approved", "pending"], "top_k": 3}),
    ],
)  # fmt: skip
def test_every_option_is_sent_under_its_name(name, arguments, own):
    """Times as ISO 8601, words as words, what is current as null."""
    more = {"search_interactions": {}, "search_profiles": MEMORIES}.get(name, PLAYBOOKS)
    path, body, _ = called(name, *arguments, **own, **more, **EVERYTHING)
    assert path == f"/api/{name}"
    users = {} if name in {"search", "search_user_playbooks", "search_agent_playbooks"} else {"user_id": "a"}
    expected = {"query": "x"} | users | own | more | SENT
    if more:
        expected["status_filter"] = [None, "archived"]
    assert body == expected


def test_a_reply_is_read_with_its_explanation():
    """Also from a newer server, which explains more than this client knows."""
    reply = {
        "interactions": [
            {
                "interaction_id": 1,
                "user_id": "a",
                "request_id": "r",
                "created_at": 0,
                "neighbours": [{"interaction_id": 2, "user_id": "a", "request_id": "r", "created_at": 0}],
            }
        ],
        "reformulated_query": "Where does Clara live?",
        "explanation": {
            "query": "Where does Clara live?",
            "strategies": [{"name": "keyword", "milliseconds": 1.5, "found": 2, "news": 1}],
            "news": {},
        },
    }
    _, _, page = called("search_interactions", "a", "x", reply=reply)
    assert isinstance(page, FoundInteractions)
    assert page.interactions[0].neighbours[0].interaction_id == 2
    assert page.reformulated_query == "Where does Clara live?"
    assert (page.explanation.strategies[0].name, page.explanation.strategies[0].found) == ("keyword", 2)
    _, _, page = called("search", "x", reply={"memories": []})
    assert isinstance(page, SearchPage)
    assert (page.memories, page.interactions, page.explanation) == ((), None, None)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"strategies": ["psychic"]}, "strategies"),
        ({"metadata": {"a": 1}}, "metadata"),
        ({"user_id": "a", "user_ids": ["b"]}, "user_id or user_ids"),
        ({"kinds": ["profile"]}, "user_id"),
        ({"threshold": float("nan")}, "finite"),
        ({"neighbours": 1}, "neighbours"),
    ],
)
def test_what_contradicts_itself_is_refused_before_it_is_sent(options, says):
    with pytest.raises(InvalidInput, match=says):
        called("search", "x", **options)


def test_an_unknown_option_is_an_error_of_the_program():
    with pytest.raises(TypeError, match="'limit'"):
        called("search", "x", limit=5)
