"""Profiles: written, edited, read, deleted."""

import asyncio

import pytest

from support.api import add_profile, delete, profiles_of

WEEK = 7 * 86_400


async def test_add_gives_the_profile_back_as_it_was_written(api):
    """The reply's fields are the contract's; what is not known is left out."""
    await add_profile(
        api,
        "Lives in Lisbon.",
        profile_id="p1",
        last_modified_timestamp=1_700_000_000,
        generated_from_request_id="r1",
        custom_features={"city": "Lisbon", "nothing": None},
        source="import",
        extractor_names=["mine"],
    )
    (profile,) = await profiles_of(api)
    assert profile | {"provenance": None} == {
        "profile_id": "p1",
        "user_id": "anna",
        "content": "Lives in Lisbon.",
        "last_modified_timestamp": 1_700_000_000,
        "generated_from_request_id": "r1",
        "profile_time_to_live": "infinity",
        "expiration_timestamp": 4_102_444_800,
        "custom_features": {"city": "Lisbon", "nothing": None},
        "source": "import",
        "extractor_names": ["mine"],
        "source_interaction_ids": [],
        "origin": "operator",
        "trust": "high",
        "provenance": None,
    }
    assert profile["provenance"]["method"] == "direct"


async def test_add_replaces_a_profile_of_the_same_user(api):
    """A known id of the same user is replaced, in what is read and in what is found."""
    await add_profile(api, "Keeps a walrus.", profile_id="p1")
    await add_profile(api, "Keeps a zebra.", profile_id="p1")
    assert [profile["content"] for profile in await profiles_of(api)] == ["Keeps a zebra."]
    old = await api.post(
        "/api/search_profiles", json={"user_id": "anna", "query": "walrus", "search_mode": "fts"}
    )
    new = await api.post(
        "/api/search_profiles", json={"user_id": "anna", "query": "zebra", "search_mode": "fts"}
    )
    assert (len(old.json()["user_profiles"]), len(new.json()["user_profiles"])) == (0, 1)


async def test_add_under_another_users_id_is_refused(api):
    """Row 33: no client overwrites another user's profile, and a refused call stores nothing."""
    await add_profile(api, "Anna's.", profile_id="p1")
    body = {
        "user_profiles": [
            {"user_id": "ben", "content": "Ben's own."},
            {"user_id": "ben", "content": "Ben's.", "profile_id": "p1"},
        ]
    }
    assert (await api.post("/api/add_user_profile", json=body)).status_code == 409
    assert [profile["content"] for profile in await profiles_of(api)] == ["Anna's."]
    assert await profiles_of(api, "ben") == []


async def test_update_finds_by_the_new_text_at_once(api):
    """Row 15: an edit moves the keyword index and the vector."""
    await add_profile(api, "Keeps a walrus.", profile_id="p1")
    reply = await api.put(
        "/api/update_user_profile",
        json={
            "user_id": "anna",
            "profile_id": "p1",
            "content": "Plays the violin.",
            "custom_features": {"a": 1},
        },
    )
    assert reply.json()["success"] is True
    for mode, text in (("fts", "violin"), ("vector", "musical instrument")):
        found = await api.post(
            "/api/search_profiles",
            json={"user_id": "anna", "query": text, "search_mode": mode, "threshold": 0.2},
        )
        (profile,) = found.json()["user_profiles"]
        assert (profile["content"], profile["custom_features"]) == ("Plays the violin.", {"a": 1})


@pytest.mark.parametrize("content", ["", "   ", "\n\t"])
async def test_profile_that_says_nothing_is_refused(api, content: str):
    """Neither stored nor put in place of what one says."""
    added = {"user_profiles": [{"user_id": "anna", "content": content}]}
    assert (await api.post("/api/add_user_profile", json=added)).status_code == 422
    await add_profile(api, "Keeps a walrus.", profile_id="p1")
    changed = {"user_id": "anna", "profile_id": "p1", "content": content}
    assert (await api.put("/api/update_user_profile", json=changed)).status_code == 422
    assert [profile["content"] for profile in await profiles_of(api)] == ["Keeps a walrus."]


async def test_update_that_gives_nothing_changes_nothing(api):
    """A profile is as new as it was."""
    await add_profile(api, "Keeps a walrus.", profile_id="p1", last_modified_timestamp=1_700_000_001)
    [before] = await profiles_of(api)
    reply = await api.put("/api/update_user_profile", json={"user_id": "anna", "profile_id": "p1"})
    assert reply.status_code == 200
    assert await profiles_of(api) == [before]


async def test_update_of_what_is_not_there_is_404_without_internals(api):
    """Row 34: a wrong id, another user's id and an archived profile are 404, with no traceback."""
    await add_profile(api, "Old.", profile_id="p1", status="archived")
    await add_profile(api, "Ben's.", profile_id="p2", user_id="ben")
    for uid in ("p1", "p2", "none"):
        reply = await api.put(
            "/api/update_user_profile", json={"user_id": "anna", "profile_id": uid, "content": "x"}
        )
        assert reply.status_code == 404
        assert reply.json()["error"] == "NotFound"
        assert "Traceback" not in reply.text
    assert (await profiles_of(api, "ben"))[0]["content"] == "Ben's."


async def test_status_filters(api):
    """Null stands for current on the wire; without a filter only current ones are given."""
    await add_profile(api, "now", last_modified_timestamp=1_700_000_003)
    await add_profile(api, "soon", status="pending", last_modified_timestamp=1_700_000_002)
    await add_profile(api, "once", status="archived", last_modified_timestamp=1_700_000_001)
    for wanted, contents in (
        (None, ["now"]),
        ([None], ["now"]),
        (["pending"], ["soon"]),
        ([None, "archived"], ["now", "once"]),
    ):
        found = await profiles_of(api, status_filter=wanted)
        assert [profile["content"] for profile in found] == contents, wanted
    assert "status" not in (await profiles_of(api))[0]
    assert (await profiles_of(api, status_filter=["pending"]))[0]["status"] == "pending"
    for wanted in ("current", "pending", "archived", "nonsense"):
        page = (await api.get("/api/get_all_profiles", params={"status_filter": wanted})).json()
        expected = {"pending": "soon", "archived": "once"}.get(wanted, "now")
        assert [profile["content"] for profile in page["user_profiles"]] == [expected]
    refused = await api.post("/api/get_profiles", json={"user_id": "anna", "status_filter": ["current"]})
    assert refused.status_code == 422


async def test_expired_profiles_are_never_given(api, app):
    """What has expired is in no list, no search and no count."""
    now = int(app.state.runtime.clock.now().timestamp())
    await add_profile(api, "holds a while", profile_time_to_live="one_day", last_modified_timestamp=now)
    await add_profile(api, "held once", profile_time_to_live="one_day", last_modified_timestamp=now - WEEK)
    await add_profile(api, "held till", expiration_timestamp=now - 5)
    assert [profile["content"] for profile in await profiles_of(api)] == ["holds a while"]
    everything = (await api.get("/api/get_all_profiles")).json()["user_profiles"]
    assert [profile["content"] for profile in everything] == ["holds a while"]
    assert everything[0]["expiration_timestamp"] == now + 86_400
    found = (await api.post("/api/search_profiles", json={"user_id": "anna", "query": "held"})).json()
    assert [profile["content"] for profile in found["user_profiles"]] == ["holds a while"]
    counts = (await api.get("/api/get_profile_statistics")).json()
    assert (counts["current_count"], counts["expiring_soon_count"]) == (1, 1)


async def test_statistics_count_by_status(api):
    """Counts are of all users, by status."""
    for status in (None, None, "pending", "archived"):
        await add_profile(api, "x", status=status)
    counts = (await api.get("/api/get_profile_statistics")).json()
    assert counts == {
        "success": True,
        "current_count": 2,
        "pending_count": 1,
        "archived_count": 1,
        "expiring_soon_count": 0,
    }


async def test_delete_profile_checks_whose_it_is(api):
    """Row 14: another user's name deletes nothing, neither from the list nor from search."""
    await add_profile(api, "Keeps a walrus.", profile_id="p1")
    wrong = await delete(api, "/api/delete_profile", {"user_id": "ben", "profile_id": "p1"})
    assert wrong.status_code == 404
    found = await api.post("/api/search_profiles", json={"user_id": "anna", "query": "walrus"})
    assert len(found.json()["user_profiles"]) == 1
    right = await delete(api, "/api/delete_profile", {"user_id": "anna", "profile_id": "p1"})
    assert right.json() == {"success": True, "message": "deleted 1 profile"}
    assert await profiles_of(api) == []


async def test_delete_profile_by_text_deletes_what_holds_every_word(api):
    """Row 14: a search_query deletes what matches it; what matches nothing is told, not called a success."""
    await add_profile(api, "Likes green tea.")
    await add_profile(api, "Likes black coffee.")
    await add_profile(api, "Likes green tea.", user_id="ben")
    nothing = await delete(api, "/api/delete_profile", {"user_id": "anna", "search_query": "green coffee"})
    assert nothing.status_code == 404
    wordless = await delete(api, "/api/delete_profile", {"user_id": "anna", "search_query": "!?"})
    assert wordless.status_code == 422
    gone = await delete(api, "/api/delete_profile", {"user_id": "anna", "search_query": "tea GREEN"})
    assert gone.status_code == 200
    assert [profile["content"] for profile in await profiles_of(api)] == ["Likes black coffee."]
    assert len(await profiles_of(api, "ben")) == 1
    neither = await delete(api, "/api/delete_profile", {"user_id": "anna"})
    assert neither.status_code == 422


async def test_deletions_of_many_count_what_was_there(api):
    """Row 46: the count is of what was removed."""
    await add_profile(api, "a", profile_id="p1")
    await add_profile(api, "b", profile_id="p2", user_id="ben")
    await add_profile(api, "c", profile_id="p3")
    many = await delete(api, "/api/delete_profiles_by_ids", {"profile_ids": ["p1", "none", "p1"]})
    assert many.json()["deleted_count"] == 1
    assert (await delete(api, "/api/delete_all_profiles")).json()["deleted_count"] == 2


async def test_change_log_tells_what_learning_added(api):
    """A run's log names the profiles that it added, with null fields kept."""
    await api.post(
        "/api/publish_interaction",
        params={"wait_for_response": "true"},
        json={
            "user_id": "anna",
            "request_id": "r1",
            "force_extraction": True,
            "interaction_data_list": [{"content": "I live in Lisbon."}],
        },
    )
    (log,) = (await api.get("/api/profile_change_log")).json()["profile_change_logs"]
    assert (log["user_id"], log["request_id"]) == ("anna", "r1")
    assert [profile["content"] for profile in log["added_profiles"]] == ["Lives in Lisbon."]
    assert log["added_profiles"][0]["status"] is None
    assert (log["removed_profiles"], log["mentioned_profiles"]) == ([], [])


async def test_concurrent_replacements_leave_one_profile(api):
    """Many writers of one id leave one row, whole."""
    await asyncio.gather(*(add_profile(api, f"version {n}", profile_id="p1") for n in range(8)))
    (profile,) = await profiles_of(api)
    assert profile["content"] in {f"version {n}" for n in range(8)}
