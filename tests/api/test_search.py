"""Searching: what is served, what is not, and in which order."""

import asyncio

import pytest

from support.api import add_profile, publish

pytestmark = pytest.mark.both_databases


async def add(api, kind: str, *playbooks: dict) -> None:
    name = f"{kind}_playbook"
    reply = await api.post(
        f"/api/add_{name}", json={f"{name}s": [{"agent_version": "v1"} | one for one in playbooks]}
    )
    assert reply.status_code == 200, reply.text


async def search(api, path: str, **body) -> dict:
    reply = await api.post(path, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def contents(found: list[dict]) -> list[str]:
    return [one["content"] for one in found]


async def test_unified_search_serves_only_what_is_safe(api):
    """Row 25: nothing rejected, pending, archived or of another user; without a user no user's own."""
    await add(
        api,
        "agent",
        {"content": "zebra approved", "playbook_status": "approved"},
        {"content": "zebra waiting", "playbook_status": "pending"},
        {"content": "zebra rejected", "playbook_status": "rejected"},
    )
    await add(
        api,
        "user",
        {"content": "zebra of anna", "user_id": "anna"},
        {"content": "zebra to come", "user_id": "anna", "status": "pending"},
        {"content": "zebra of old", "user_id": "anna", "status": "archived"},
        {"content": "zebra of ben", "user_id": "ben"},
    )
    await add_profile(api, "anna keeps a zebra")
    await add_profile(api, "ben keeps a zebra", user_id="ben")
    found = await search(api, "/api/search", query="zebra", user_id="anna", top_k=50)
    assert set(contents(found["agent_playbooks"])) == {"zebra approved", "zebra waiting"}
    assert contents(found["user_playbooks"]) == ["zebra of anna"]
    assert contents(found["profiles"]) == ["anna keeps a zebra"]
    anonymous = await search(api, "/api/search", query="zebra", top_k=50)
    assert (anonymous["profiles"], anonymous["user_playbooks"]) == ([], [])
    assert len(anonymous["agent_playbooks"]) == 2
    assert "reformulated_query" not in found


async def test_an_empty_search_for_nobody_says_so(api):
    """Who forgets the user learns why nothing of theirs is found."""
    await add_profile(api, "Lives in Lyon.")
    page = await search(api, "/api/search", query="where does she live?")
    assert page["msg"] == "no user was named, so only what is known to all was searched"
    assert "msg" not in await search(
        api, "/api/search", query="where does she live?", user_id="anna", threshold=0
    )
    assert "msg" not in await search(api, "/api/search", query="where does she live?", kinds=["skill"])


async def test_results_carry_scores_and_threshold_is_applied(api):
    """Row 22: scores fall from first to last, and what is too far away is left out."""
    await add_profile(api, "Owns a sailing boat.")
    await add_profile(api, "Paints with oil.")
    everything = await search(
        api, "/api/search_profiles", user_id="anna", query="yacht", search_mode="vector", threshold=0.0
    )
    profiles = everything["user_profiles"]
    assert contents(profiles) == ["Owns a sailing boat.", "Paints with oil."]
    assert profiles[0]["score"] > profiles[1]["score"]
    cosines = [profile["score_components"]["vector"] for profile in profiles]
    assert cosines[0] > cosines[1]
    near = await search(
        api,
        "/api/search_profiles",
        user_id="anna",
        query="yacht",
        search_mode="vector",
        threshold=(cosines[0] + cosines[1]) / 2,
    )
    assert contents(near["user_profiles"]) == ["Owns a sailing boat."]
    none = await search(
        api, "/api/search_profiles", user_id="anna", query="yacht", search_mode="vector", threshold=1.0
    )
    assert none["user_profiles"] == []


async def test_an_old_exact_match_is_found_among_many(api):
    """Row 21: the whole of a user's memory is searched, not the newest part."""
    await add_profile(api, "Passport number is X-4711.", last_modified_timestamp=1_600_000_000)
    body = {
        "user_profiles": [
            {
                "user_id": "anna",
                "content": f"Bought thing number {n}.",
                "last_modified_timestamp": 1_700_000_000 + n,
            }
            for n in range(150)
        ]
    }
    assert (await api.post("/api/add_user_profile", json=body)).status_code == 200
    found = await search(api, "/api/search_profiles", user_id="anna", query="passport X-4711", top_k=3)
    assert found["user_profiles"][0]["content"] == "Passport number is X-4711."


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("彼は東京に住んでいます", "東京"),
        ("Живёт в Москве", "москве"),
        ("Wohnt in Köln", "KÖLN"),
        ("يسكن في القاهرة", "القاهرة"),
    ],
)
async def test_queries_of_any_script_find_by_keyword(api, content, query):
    """Row 24: a query without a Latin letter works."""
    await add_profile(api, content)
    found = await search(api, "/api/search_profiles", user_id="anna", query=query, search_mode="fts")
    assert contents(found["user_profiles"]) == [content]


async def test_search_without_a_query_is_newest_first_within_the_filters(api):
    """No query: the last changed come first, and carry no score."""
    await add_profile(api, "old", last_modified_timestamp=1_600_000_000, source="a")
    await add_profile(api, "new", last_modified_timestamp=1_700_000_000, source="b")
    for query in (None, "", "   "):
        found = await search(api, "/api/search_profiles", user_id="anna", query=query)
        assert contents(found["user_profiles"]) == ["new", "old"]
        assert "score" not in found["user_profiles"][0]
    found = await search(api, "/api/search_profiles", user_id="anna", source="a")
    assert contents(found["user_profiles"]) == ["old"]


async def test_profile_filters_hold_with_and_without_a_query(api):
    """Every filter narrows what is found."""
    await add_profile(
        api,
        "zebra one",
        source="s1",
        generated_from_request_id="r1",
        extractor_names=["first", "second"],
        custom_features={"mood": "calm"},
        last_modified_timestamp=1_600_000_000,
    )
    await add_profile(api, "zebra two", last_modified_timestamp=1_700_000_000)
    for wanted in (
        {"source": "s1"},
        {"generated_from_request_id": "r1"},
        {"extractor_name": "second"},
        {"custom_feature": "cal"},
        {"end_time": "2020-12-31T00:00:00"},
    ):
        for query in ("zebra", None):
            found = await search(api, "/api/search_profiles", user_id="anna", query=query, **wanted)
            assert contents(found["user_profiles"]) == ["zebra one"], (wanted, query, found.get("msg"))
    found = await search(
        api, "/api/search_profiles", user_id="anna", query="zebra", start_time="2022-01-01T00:00:00"
    )
    assert contents(found["user_profiles"]) == ["zebra two"]


async def test_playbook_filters_hold_with_and_without_a_query(api):
    """Names, versions, users and statuses narrow what is found; current ones by default."""
    await add(
        api,
        "user",
        {"content": "zebra one", "user_id": "anna", "playbook_name": "n1"},
        {"content": "zebra two", "user_id": "ben", "agent_version": "v2"},
        {"content": "zebra old", "user_id": "anna", "status": "archived"},
    )
    for wanted, expected in (
        ({}, {"zebra one", "zebra two"}),
        ({"user_id": "anna"}, {"zebra one"}),
        ({"playbook_name": "n1"}, {"zebra one"}),
        ({"agent_version": "v2"}, {"zebra two"}),
        ({"status_filter": ["archived"]}, {"zebra old"}),
        ({"end_time": "2020-01-01T00:00:00"}, set()),
    ):
        for query in ("zebra", None):
            found = await search(api, "/api/search_user_playbooks", query=query, **wanted)
            assert set(contents(found["user_playbooks"])) == expected, (wanted, query)


async def test_unified_search_narrows_playbooks_and_not_profiles(api):
    """Version and name are of rules; what is known of a user holds for every version."""
    await add(
        api,
        "agent",
        {"content": "zebra one", "playbook_name": "n1"},
        {"content": "zebra two", "agent_version": "v2"},
    )
    await add_profile(api, "zebra keeper")
    found = await search(
        api, "/api/search", query="zebra", user_id="anna", agent_version="v1", playbook_name="n1"
    )
    assert contents(found["agent_playbooks"]) == ["zebra one"]
    assert contents(found["profiles"]) == ["zebra keeper"]


async def test_search_interactions_by_time_request_and_newest(api):
    """Row 16: time filters work in search; a request and the newest turns can be asked for."""
    await publish(api, "zebra first", request_id="r1")
    await publish(api, "zebra second", request_id="r2")
    path = "/api/search_interactions"
    every = await search(
        api,
        path,
        user_id="anna",
        query="zebra",
        start_time="2020-01-01T00:00:00",
        end_time="2100-01-01T00:00:00",
    )
    assert set(contents(every["interactions"])) == {"zebra first", "zebra second"}
    for span in ({"end_time": "2020-01-01T00:00:00"}, {"start_time": "2100-01-01T00:00:00"}):
        for query in ("zebra", None):
            assert (await search(api, path, user_id="anna", query=query, **span))["interactions"] == []
    for query in ("zebra", None):
        one = await search(api, path, user_id="anna", query=query, request_id="r1")
        assert contents(one["interactions"]) == ["zebra first"]
        newest = await search(api, path, user_id="anna", query=query, most_recent_k=1)
        assert contents(newest["interactions"]) == ["zebra second"]
    assert len((await search(api, path, user_id="anna", query="zebra", top_k=1))["interactions"]) == 1


async def test_the_newest_turns_are_found_however_many_others_match(api):
    """A thousand older ones match as well, and some of them better."""
    for number in range(3):
        turns = [{"content": f"coffee {'coffee ' * (turn % 2)}{number}"} for turn in range(400)]
        body = {"user_id": "anna", "request_id": f"r{number}", "interaction_data_list": turns}
        assert (await api.post("/api/publish_interaction", json=body)).status_code == 200
    for content in ("coffee at last", "tea at last"):
        await publish(api, content)
    path, asked = "/api/search_interactions", {"user_id": "anna", "query": "coffee", "search_mode": "fts"}
    found = await search(api, path, most_recent_k=2, **asked)
    assert contents(found["interactions"]) == ["coffee at last"]
    assert (await search(api, path, most_recent_k=1, **asked))["interactions"] == []
    found = await search(api, path, most_recent_k=30, top_k=50, **asked)
    assert len(found["interactions"]) == 29


async def test_turns_are_found_by_meaning_after_a_moment(api):
    """A turn is found by its words at once, and by meaning when it is indexed."""
    await publish(api, "My sailing boat leaks.", request_id="r1")
    for _ in range(200):
        receipt = (await api.get("/api/receipts/r1")).json()
        if receipt["indexed"]["vector"]["waiting"] == 0:
            break
        await asyncio.sleep(0.05)
    found = await search(api, "/api/search_interactions", user_id="anna", query="yacht", search_mode="vector")
    assert contents(found["interactions"]) == ["My sailing boat leaks."]
    assert found["interactions"][0]["score_components"]["vector"] > 0.3


async def test_search_accepts_history_and_reformulation(api):
    """Both are accepted; the question is answered as it stands."""
    await add_profile(api, "Keeps a zebra.")
    history = [{"role": "user", "content": "Let us talk of animals."}]
    found = await search(
        api,
        "/api/search",
        query="zebra",
        user_id="anna",
        enable_reformulation=True,
        conversation_history=history,
    )
    assert contents(found["profiles"]) == ["Keeps a zebra."]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": "  "},
        {"query": "x", "top_k": 0},
        {"query": "x", "top_k": 10**9},
        {"query": "x", "threshold": 1.5},
        {"query": "x", "search_mode": "psychic"},
        {"query": "x", "user_id": ""},
        {"query": "x" * 30_000},
        {"query": "x", "conversation_history": [{"role": "user", "content": ""}]},
    ],
)
async def test_bad_questions_are_refused(api, body):
    """What is out of bounds is told by name."""
    reply = await api.post("/api/search", json=body)
    assert reply.status_code == 422
    assert reply.json()["message"].split(":")[0] in {
        "query",
        "top_k",
        "threshold",
        "search_mode",
        "user_id",
        "conversation_history.0.content",
    }
