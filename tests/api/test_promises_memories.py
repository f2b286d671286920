"""Promises about what was learned: no run, upgrade, edit or deletion takes away more than it was told to."""

import httpx

from support.aggregation import NOTHING, in_own_words, rules_in
from support.api import add_profile, delete, profiles_of
from support.databases import SQLITE
from support.operations import statements
from support.promises import (
    BY_HAND,
    NAME,
    RERUN,
    VERSION,
    aggregate,
    ask,
    choose,
    shared,
    taught_playbooks,
    teach,
)
from support.scripted_llm import scripted_llm

PNPM = ("Use pnpm for packages.", "Use pnpm for all packages.")
UNITS = ("Write metric units.", "Always write metric units.")
MORNING = ("Keep mornings without meetings.", "Keep mornings without any meetings.")


def of_users(*contents: str) -> list[tuple[str, str]]:
    return [(f"user-{number}", content) for number, content in enumerate(contents)]


async def user_playbooks(api: httpx.AsyncClient, **wanted) -> list[dict]:
    return (await ask(api, "get_user_playbooks", **wanted))["user_playbooks"]


@SQLITE
async def test_06_aggregating_again_erases_nothing_that_waits_for_approval(api):
    """A model that has nothing to add the second time takes no pending playbook away."""
    with scripted_llm() as model:
        model.answer_with(in_own_words)
        await choose(api, model, **BY_HAND)
        await taught_playbooks(api, *of_users(*PNPM, *UNITS))
        await aggregate(api)
        before = await shared(api)
        assert [one["playbook_status"] for one in before] == ["pending", "pending"]
        model.answer_with(NOTHING)
        again = await aggregate(api)
        assert (again["playbooks_generated"], len(model.requests)) == (0, 4)
        assert await shared(api) == before


async def test_07_a_rerun_leaves_everything_current_as_it_is(api):
    """What it learns stands pending beside the very rows that were current before, profiles and playbooks alike."""
    await teach(api, "I live in Lyon.", "I am vegetarian. Please always answer in French.")
    await add_profile(api, "Plays the cello.", profile_id="by-hand")
    before = await profiles_of(api), await user_playbooks(api)
    assert len(before[0]) > 1
    assert len(before[1]) == 1
    await ask(api, "rerun_profile_generation" + RERUN)
    await ask(api, "rerun_playbook_generation" + RERUN)
    assert (await profiles_of(api), await user_playbooks(api, status_filter=[None])) == before
    learned = sorted(one["content"] for one in before[0] if one["profile_id"] != "by-hand")
    assert await statements(api, "anna", "pending") == learned
    pending = await user_playbooks(api, status_filter=["pending"])
    assert [one["content"] for one in pending] == [one["content"] for one in before[1]]


@SQLITE
async def test_08_each_playbook_stays_with_its_cluster(api):
    """A cluster that gives nothing shifts no other's; what the log calls changed is one playbook, before and after."""
    with scripted_llm() as model:
        model.answer_with(lambda it: NOTHING if "metric" in rules_in(it)[0] else in_own_words(it))
        await choose(api, model, **BY_HAND)
        await taught_playbooks(api, *of_users(*PNPM, *UNITS, *MORNING))
        done = await aggregate(api)
        assert (done["clusters"], done["playbooks_generated"]) == (3, 2)
        before = {one["content"].split()[1]: one for one in await shared(api)}
        assert sorted(before) == ["mornings", "pnpm"]
        await taught_playbooks(api, ("zoe", "Keep mornings without long meetings."))
        await aggregate(api)
        after = {one["content"].split()[1]: one for one in await shared(api)}
        assert {word: one["agent_playbook_id"] for word, one in after.items()} == {
            word: one["agent_playbook_id"] for word, one in before.items()
        }
        assert after["mornings"]["content"].endswith("(3)")
        assert after["pnpm"]["content"] == before["pnpm"]["content"]
        params = {"playbook_name": NAME, "agent_version": VERSION}
        logs = (await api.get("/api/playbook_aggregation_change_logs", params=params)).json()["change_logs"]
        pairs = {
            pair["before"]["content"]: pair["after"]["content"] for pair in logs[0]["updated_agent_playbooks"]
        }
        assert pairs[before["mornings"]["content"]] == after["mornings"]["content"]
        assert all(old.split()[1] == new.split()[1] for old, new in pairs.items())


async def test_09_all_current_playbooks_are_clustered_however_many_there_are(api):
    """Behind a hundred and twenty newer ones, of which some are not current, an old cluster keeps its playbook."""
    await choose(api, **BY_HAND)
    await taught_playbooks(api, *of_users(*UNITS))
    await aggregate(api)
    [units] = await shared(api)
    await taught_playbooks(api, *((f"u{n}", f"Use pnpm for packages of team {n % 6}.") for n in range(120)))
    for status in ("pending", "archived"):
        await taught_playbooks(api, *of_users(*MORNING), status=status)
    done = await aggregate(api)
    assert (done["playbooks_processed"], done["clusters"]) == (122, 2)
    now = {one["agent_playbook_id"]: one for one in await shared(api)}
    assert now[units["agent_playbook_id"]]["content"] == units["content"]
    assert sorted(one["member_count"] for one in now.values()) == [2, 120]


@SQLITE
async def test_10_a_rerun_reads_all_that_was_ever_said(api):
    """Sixty turns of many publishes: the oldest and the newest both stand pending, and all are counted."""
    await teach(api, "I live in Lyon.")
    for start in range(0, 58, 29):
        await teach(api, *(f"The locker in hall {n} is green." for n in range(start, start + 29)))
    await teach(api, "My dog is called Rex.")
    done = await ask(api, "rerun_profile_generation" + RERUN)
    assert done["operation_status"]["stats"]["total_interactions_processed"] == 60
    pending = await statements(api, "anna", "pending")
    assert [word for word in ("Lyon", "Rex") if any(word in one for one in pending)] == ["Lyon", "Rex"]


async def test_13_an_upgrade_moves_the_named_users_and_ids_only(api):
    """Whoever was not named keeps what is current, pending and archived; of the named ids, those and no others move."""
    for user in ("anna", "ben"):
        for status in (None, "pending"):
            for n in (1, 2):
                uid = f"{user}-{status}-{n}"
                await add_profile(api, uid, user_id=user, status=status, profile_id=uid)
    done = await ask(api, "upgrade_all_profiles", user_id="anna")
    assert (done["profiles_promoted"], done["profiles_archived"]) == (2, 2)
    assert await statements(api, "anna") == ["anna-pending-1", "anna-pending-2"]
    assert await statements(api, "anna", "archived") == ["anna-None-1", "anna-None-2"]
    assert await statements(api, "ben") == ["ben-None-1", "ben-None-2"]
    assert await statements(api, "ben", "pending") == ["ben-pending-1", "ben-pending-2"]
    done = await ask(api, "upgrade_all_profiles", profile_ids=["ben-pending-2"])
    assert (done["profiles_promoted"], done["profiles_archived"]) == (1, 0)
    assert await statements(api, "ben") == ["ben-None-1", "ben-None-2", "ben-pending-2"]
    assert await statements(api, "ben", "pending") == ["ben-pending-1"]
    assert await statements(api, "anna") == ["anna-pending-1", "anna-pending-2"]


async def test_14_a_deletion_checks_whose_it_is_and_says_what_it_did(api):
    """Another's name deletes nothing, neither listed nor found; a text deletes what holds it, or is refused."""
    await add_profile(api, "Keeps a walrus.", profile_id="p1")
    await add_profile(api, "Drinks green tea.", profile_id="p2")
    wrong = [{"user_id": "ben", "profile_id": "p1"}, {"user_id": "ben", "search_query": "walrus"}]
    for body in (*wrong, {"user_id": "anna", "search_query": "green walrus"}):
        assert (await delete(api, "/api/delete_profile", body)).status_code == 404
    assert len(await profiles_of(api)) == 2

    async def found(query: str) -> list[str]:
        body = {"user_id": "anna", "query": query, "search_mode": "fts"}
        return [one["profile_id"] for one in (await ask(api, "search_profiles", **body))["user_profiles"]]

    assert await found("walrus") == ["p1"]
    body = {"user_id": "anna", "search_query": "walrus"}
    assert (await delete(api, "/api/delete_profile", body)).status_code == 200
    assert (await found("walrus"), await found("tea")) == ([], ["p2"])


async def test_15_an_edit_is_found_by_its_new_text_and_no_more_by_the_old(api):
    """By words and by meaning, for profiles and for playbooks."""
    await add_profile(api, "Keeps a walrus.", profile_id="p1")
    await taught_playbooks(api, ("anna", "Mention the walrus."))
    [playbook] = await user_playbooks(api)
    edits = {
        "update_user_profile": {"user_id": "anna", "profile_id": "p1", "content": "Plays the violin."},
        "update_user_playbook": {
            "user_playbook_id": playbook["user_playbook_id"],
            "content": "Recommend the violin.",
        },
    }
    for path, body in edits.items():
        assert (await api.put(f"/api/{path}", json=body)).status_code == 200
    for mode, old, new in (("fts", "walrus", "violin"), ("vector", "a walrus", "the violin")):
        for path, kind in (("search_profiles", "user_profiles"), ("search_user_playbooks", "user_playbooks")):
            wanted = {"user_id": "anna", "search_mode": mode, "threshold": 0.4}
            hits = (await ask(api, path, query=new, **wanted))[kind]
            assert ["violin" in hit["content"] for hit in hits] == [True], (path, mode)
            assert (await ask(api, path, query=old, **wanted))[kind] == [], (path, mode)
