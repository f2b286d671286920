"""A user's memories found: by which strategy, with which score, and what using them does to it."""

import json
from datetime import datetime, timedelta

import httpx
import pytest
from fastapi import FastAPI

from support.api import add_profile, client_of, make_token
from support.chatting import sent
from support.parts import StoppedClock
from support.user_memories import EACH_TYPE, PATH, added, found

pytestmark = pytest.mark.both_databases
ANA = {"user_id": "ana"}
WEIGHTS = {"keyword": 0.35, "vector": 0.25, "reliability": 0.20, "recency": 0.15, "frequency": 0.05}


@pytest.fixture
def api_clock() -> StoppedClock:
    """So that memories age when a test says so."""
    return StoppedClock()


def recomputed(result: dict) -> float:
    return sum(weight * result[f"{name}_score"] for name, weight in WEIGHTS.items())


async def used(app: FastAPI) -> None:
    """Write down what was used, as happens every few seconds."""
    await app.state.runtime.parts.accesses.flush()


async def test_score_is_what_the_formula_makes_of_its_parts(
    app: FastAPI, api: httpx.AsyncClient, api_clock: StoppedClock
):
    """For words, meaning, reliability, age and use, each of which differs."""
    await added(api, "Anna paints boats in the harbour.", reliability=0)
    api_clock.advance(30 * 86_400)
    await added(api, "The harbour freezes in winter.", reliability=1)
    await added(api, "Knows how to sail.", reliability=0.25)
    await found(api, "sailing")
    await used(app)
    results = (await found(api, "harbour boats"))["results"]
    assert len(results) == 3
    for one in results:
        assert one["score"] == pytest.approx(recomputed(one), abs=1e-9)
        assert one["reliability_score"] == one["memory"]["reliability"]
        assert one["frequency_score"] > 0
        assert (one["keyword_score"] > 0) == ("keyword" in one["match_type"])
        assert (one["vector_score"] > 0) == ("vector" in one["match_type"])
    assert [one["score"] for one in results] == sorted((one["score"] for one in results), reverse=True)
    by_content = {one["memory"]["content"]: one for one in results}
    painter = by_content["Anna paints boats in the harbour."]
    assert painter["recency_score"] == pytest.approx(0.5)
    assert by_content["Knows how to sail."]["recency_score"] == pytest.approx(1)
    assert by_content["Knows how to sail."]["match_type"] == "vector"
    assert painter["match_type"] == "keyword,vector"


async def test_only_the_strategies_that_are_asked_for_find(api: httpx.AsyncClient):
    await added(api, "Drives an automobile.")
    await added(api, "Owns a car.")
    both = (await found(api, "car"))["results"]
    assert len(both) == 2
    by_words = (await found(api, "car", include_vector_search=False))["results"]
    assert [(one["memory"]["content"], one["match_type"]) for one in by_words] == [("Owns a car.", "keyword")]
    assert by_words[0]["vector_score"] == 0
    by_meaning = (await found(api, "car", include_keyword_search=False))["results"]
    assert {(one["match_type"], one["keyword_score"]) for one in by_meaning} == {("vector", 0)}
    neither = {"query": "car", "include_vector_search": False, "include_keyword_search": False}
    assert (await api.post(f"{PATH}/search", params=ANA, json=neither)).status_code == 422


async def test_use_raises_the_frequency(app: FastAPI, api: httpx.AsyncClient):
    """Being found is a use; it is written off the response path, and counts in the next search."""
    made = await added(api, "Likes zebras.")
    scores = []
    for _ in range(3):
        [one] = (await found(api, "zebras"))["results"]
        scores.append((one["frequency_score"], one["memory"]["access_count"]))
        await used(app)
    assert [count for _, count in scores] == [0, 1, 2]
    assert scores[0][0] == 0 < scores[1][0] < scores[2][0]
    one = (await api.get(f"{PATH}/{made['id']}", params=ANA)).json()
    assert (one["access_count"], one["updated_at"]) == (3, made["updated_at"])
    assert one["last_accessed"] is not None


async def test_what_an_answer_cites_is_used(app: FastAPI, api: httpx.AsyncClient):
    """Of whatever type, and by whatever name the answer knows it."""
    profile = await added(api, "Is allergic to peanuts.")
    procedure = await added(api, **EACH_TYPE[3])
    events = await sent(api, "What am I allergic to?", user="ana")
    await sent(api, "How do I release the program?", user="ana")
    assert profile["id"] in {one["id"] for one in events[-1].data["citations"]}
    await used(app)
    counts = {}
    for one in (profile, procedure):
        counts[one["id"]] = (await api.get(f"{PATH}/{one['id']}", params=ANA)).json()["access_count"]
    assert counts[profile["id"]] >= 1
    assert counts[procedure["id"]] >= 1


async def test_type_score_and_dates_filter_before_the_limit(api: httpx.AsyncClient, api_clock: StoppedClock):
    """A limit of one is filled with what the filters admit; the total says how many there are."""
    start = api_clock.now()
    for number in range(5):
        await added(api, f"Saw zebra number {number}.", memory_type="episodic")
        api_clock.advance(86_400)
    fact = await added(
        api, "A zebra has stripes, and no zebra is like another zebra.", memory_type="semantic"
    )
    episodes = await found(api, "zebra", memory_types=["episodic"], limit=1)
    assert (episodes["total"], len(episodes["results"])) == (5, 1)
    assert episodes["results"][0]["memory"]["memory_type"] == "episodic"
    both = await found(api, "zebra", memory_types=["semantic", "episodic", "semantic"], limit=100)
    assert both["total"] == len(both["results"]) == 6

    day = {"date_from": _iso(start + timedelta(days=2)), "date_to": _iso(start + timedelta(days=3))}
    some = await found(api, "zebra", limit=1, **day)
    assert (some["total"], some["results"][0]["memory"]["content"]) == (2, "Saw zebra number 3.")
    assert (await found(api, "zebra", date_to=_iso(start - timedelta(days=1))))["total"] == 0

    least = sorted(one["score"] for one in both["results"])[3]
    best = await found(api, "zebra", min_score=least, limit=1)
    assert (best["total"], best["results"][0]["memory"]["id"]) == (3, fact["id"])
    assert (await found(api, "zebra", min_score=1))["total"] == 0
    assert best["query"] == "zebra"
    assert best["search_time_ms"] > 0


async def test_caution_is_no_result_by_itself(api: httpx.AsyncClient):
    """Every result has a score that its parts make up; what warns is not added to them."""
    await added(api, "Is allergic to peanuts.")
    reply = await found(api, "What may she eat?", include_vector_search=False)
    assert (reply["results"], reply["total"]) == ([], 0)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": " "},
        {"query": "x" * 1_001},
        {"query": "a\u0000"},
        {"query": "\ud800"},
        {"query": 7},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 101},
        {"query": "x", "min_score": 1.1},
        {"query": "x", "min_score": -0.1},
        {"query": "x", "memory_types": ["core"]},
        {"query": "x", "memory_types": "profile"},
        {"query": "x", "date_from": "soon"},
        {"query": "x", "date_from": "2026-01-02T00:00:00Z", "date_to": "2026-01-01T00:00:00Z"},
        {"query": "x", "memory_type": "profile"},
    ],
)
async def test_bad_search_is_refused(api: httpx.AsyncClient, body: dict):
    content = json.dumps(body)
    headers = {"Content-Type": "application/json"}
    reply = await api.post(f"{PATH}/search", params=ANA, content=content, headers=headers)
    assert reply.status_code == 422, reply.text


async def test_search_reaches_what_other_routes_wrote_and_no_other_user(app: FastAPI, api: httpx.AsyncClient):
    await add_profile(api, "Likes zebras.", user_id="ana")
    await add_profile(api, "Loves zebras.", user_id="ben")
    assert [one["memory"]["user_id"] for one in (await found(api, "zebras"))["results"]] == ["ana"]
    async with client_of(app, token=await make_token(app, "other")) as other:
        assert (await found(other, "zebras"))["total"] == 0


def _iso(moment: datetime) -> str:
    return moment.isoformat()


async def test_nothing_is_remembered_in_the_chats_of_who_switched_it_off(api: httpx.AsyncClient):
    """Until it is switched on again; the memories are there all the while, and others' chats know theirs."""
    for user in ("ana", "ben"):
        await added(api, "Is allergic to peanuts.", user=user)

    async def remembered(user: str) -> int:
        events = await sent(api, "What am I allergic to?", user=user)
        [memory] = [one.data["memories"] for one in events if one.name == "memory"] or [[]]
        return len([one for one in memory if one["kind"] == "profile"])

    for enabled in (True, False, True):
        body = {"memory_enabled": enabled}
        reply = await api.patch("/api/profile/memory-settings", params=ANA, json=body)
        assert reply.status_code == 200
        assert (await remembered("ana"), await remembered("ben")) == (int(enabled), 1)
        assert (await found(api, "allergic"))["total"] == 1
