"""What is pending against what is current: compared, taken into use, taken back."""

import asyncio

import pytest

from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.version import VersionFilter
from sagacity.memories.version_diff import pages
from support.api import add_profile, client_of, make_token, profiles_of, publish
from support.databases import SQLITE
from support.operations import LOCAL_TENANT, held_back, statements
from support.waiting import until

pytestmark = pytest.mark.both_databases
UP, DOWN = "/api/upgrade_all_profiles", "/api/downgrade_all_profiles"
PLAYBOOKS_UP, PLAYBOOKS_DOWN = "/api/upgrade_all_user_playbooks", "/api/downgrade_all_user_playbooks"


async def three_versions(api, user_id: str) -> None:
    """One profile of each version, under ids of the user's."""
    for status in ("archived", None, "pending"):
        await add_profile(
            api,
            f"{status or 'current'} of {user_id}",
            user_id=user_id,
            status=status,
            profile_id=f"{user_id}-{status or 'current'}",
        )


async def versions_of(api, user_id: str) -> dict[str, list[str]]:
    return {
        status or "current": [one.partition(" ")[0] for one in await statements(api, user_id, status)]
        for status in ("archived", None, "pending")
    }


async def add_playbook(api, content: str, **fields) -> int:
    body = {"user_id": "anna", "agent_version": "v1", "playbook_name": "n", "content": content}
    reply = await api.post("/api/add_user_playbook", json={"user_playbooks": [body | fields]})
    assert reply.status_code == 200, reply.text
    listed = await api.post("/api/get_user_playbooks", json={})
    return max(one["user_playbook_id"] for one in listed.json()["user_playbooks"])


async def playbooks(api, status: str | None = None) -> list[str]:
    listed = await api.post("/api/get_user_playbooks", json={"status_filter": [status]})
    return sorted(one["content"] for one in listed.json()["user_playbooks"])


async def post(api, path: str, **body) -> dict:
    reply = await api.post(path, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_an_upgrade_moves_each_version_one_on_and_a_downgrade_back(api):
    """Old archived ones go, current ones are archived, pending ones current; a downgrade swaps, twice is as before."""
    await three_versions(api, "anna")
    upgraded = await post(api, UP)
    counts = {"profiles_archived": 1, "profiles_promoted": 1, "profiles_deleted": 1}
    assert upgraded | counts | {"success": True} == upgraded
    assert await versions_of(api, "anna") == {"archived": ["current"], "current": ["pending"], "pending": []}
    downgraded = await post(api, DOWN)
    assert downgraded | {"success": True, "profiles_demoted": 1, "profiles_restored": 1} == downgraded
    assert await versions_of(api, "anna") == {"archived": ["pending"], "current": ["current"], "pending": []}
    await post(api, DOWN)
    assert await versions_of(api, "anna") == {"archived": ["current"], "current": ["pending"], "pending": []}
    found = await api.post("/api/search_profiles", json={"user_id": "anna", "query": "pending of anna"})
    assert [one["content"] for one in found.json()["user_profiles"]] == ["pending of anna"]


@SQLITE
async def test_an_upgrade_of_one_user_leaves_the_others_alone(api):
    """Row 13: the user is honoured; another one's three versions stay where they are."""
    for user_id in ("anna", "ben"):
        await three_versions(api, user_id)
    await post(api, UP, user_id="anna")
    untouched = {"archived": ["archived"], "current": ["current"], "pending": ["pending"]}
    assert await versions_of(api, "ben") == untouched
    await post(api, DOWN, user_id="anna")
    assert await versions_of(api, "ben") == untouched
    assert (await versions_of(api, "anna"))["current"] == ["current"]


@SQLITE
async def test_who_has_nothing_pending_keeps_everything_if_that_is_asked_for(api):
    """`only_affected_users`: without it the others' current ones are archived too, as the filter says."""
    await three_versions(api, "anna")
    await add_profile(api, "current of ben", user_id="ben")
    await post(api, UP, only_affected_users=True)
    assert (await versions_of(api, "ben"))["current"] == ["current"]
    await add_profile(api, "Plays the cello.", status="pending")
    diff = await post(api, "/api/get_profile_diff")
    assert {one["user_id"] for one in diff["lost"]} == {"anna", "ben"}
    affected = await post(api, "/api/get_profile_diff", only_affected_users=True)
    assert {one["user_id"] for one in affected["lost"]} == {"anna"}
    await post(api, UP)
    assert await versions_of(api, "ben") == {"archived": ["current"], "current": [], "pending": []}


@SQLITE
async def test_profiles_can_be_named_one_by_one(api):
    """Row 13: with ids only those move, and nothing makes room that was not named."""
    await three_versions(api, "anna")
    await add_profile(api, "other pending of anna", status="pending", profile_id="other")
    moved = await post(api, UP, profile_ids=["anna-pending"])
    assert (moved["profiles_promoted"], moved["profiles_archived"], moved["profiles_deleted"]) == (1, 0, 0)
    assert await versions_of(api, "anna") == {
        "archived": ["archived"],
        "current": ["current", "pending"],
        "pending": ["other"],
    }


@SQLITE
async def test_nothing_to_swap_is_said_and_changes_nothing(api):
    """`success` is false, the counts are 0, and the message says what to do first."""
    await add_profile(api, "current of anna")
    upgraded = await post(api, UP)
    assert (upgraded["success"], upgraded["profiles_promoted"], upgraded["profiles_archived"]) == (
        False,
        0,
        0,
    )
    assert "/api/rerun_profile_generation" in upgraded["message"]
    downgraded = await post(api, DOWN)
    assert (downgraded["success"], downgraded["profiles_restored"]) == (False, 0)
    assert await statements(api, "anna") == ["current of anna"]
    for path in (PLAYBOOKS_UP, PLAYBOOKS_DOWN, "/api/upgrade_all_raw_feedbacks"):
        assert (await post(api, path))["success"] is False


@SQLITE
async def test_what_a_person_put_away_or_a_newer_one_replaced_is_no_version(api):
    """A downgrade brings back what an upgrade archived, and not what was superseded before."""
    for content in ("I live in Lyon.", "I moved to Nice. I live in Nice now."):
        body = {"user_id": "anna", "force_extraction": True, "interaction_data_list": [{"content": content}]}
        await api.post("/api/publish_interaction?wait_for_response=true", json=body)
    current = await statements(api, "anna")
    assert [one for one in current if "Nice" in one]
    assert (await post(api, DOWN))["success"] is False
    await post(api, "/api/rerun_profile_generation?wait_for_response=true")
    await post(api, UP)
    await post(api, DOWN)
    assert await statements(api, "anna") == current


@SQLITE
async def test_unknown_ids_and_other_users_ids_are_404_and_move_nothing(api):
    """One wrong id and nothing happens; so does an id of another user than the one named."""
    for user_id in ("anna", "ben"):
        await three_versions(api, user_id)
    number = await add_playbook(api, "x", status="pending")
    for path, body, says in (
        (UP, {"profile_ids": ["anna-pending", "nowhere"]}, "nowhere"),
        (UP, {"user_id": "anna", "profile_ids": ["ben-pending"]}, "ben-pending"),
        (DOWN, {"profile_ids": ["nowhere"]}, "nowhere"),
        (PLAYBOOKS_UP, {"user_playbook_ids": [number, 2**62]}, str(2**62)),
        (PLAYBOOKS_UP, {"user_id": "ben", "user_playbook_ids": [number]}, str(number)),
        (PLAYBOOKS_DOWN, {"user_playbook_ids": [2**62]}, str(2**62)),
    ):
        refused = await api.post(path, json=body)
        assert refused.status_code == 404, (path, refused.text)
        assert says in refused.json()["message"]
    assert (await versions_of(api, "anna"))["pending"] == ["pending"]
    assert await playbooks(api, "pending") == ["x"]


async def test_a_mistyped_name_is_told_apart_from_nothing_to_do(api):
    """422 with the nearest name, before anything moves; what only memories go by, or only turns, is known too."""
    await three_versions(api, "anna")
    await add_playbook(api, "x", status="pending", playbook_name="by hand", agent_version="v1")
    await publish(api, "I live in Lyon.", user_id="ben", agent_version="spring")
    profiles = (UP, DOWN, "/api/get_profile_diff")
    playbook_routes = (PLAYBOOKS_UP, PLAYBOOKS_DOWN, "/api/get_user_playbook_diff")
    for paths, body, says in (
        (profiles, {"extractor_names": ["default_profile"]}, "did you mean default_profile_extractor?"),
        (playbook_routes, {"playbook_name": "zzz"}, "'zzz'; there are default_playbook_extractor"),
        (
            playbook_routes,
            {"agent_version": "sprin"},
            "there is no agent version 'sprin'; did you mean spring?",
        ),
    ):
        for path in paths:
            refused = await api.post(path, json=body)
            assert (refused.status_code, refused.json()["error"]) == (422, "InvalidInput"), (path, body)
            assert says in refused.json()["message"]
            assert next(iter(body)) in refused.json()["message"]
    assert await playbooks(api, "pending") == ["x"]
    assert (await versions_of(api, "anna"))["pending"] == ["pending"]
    for body in ({"agent_version": "spring"}, {"agent_version": "agent-v0"}):
        assert (await post(api, PLAYBOOKS_UP, **body))["success"] is False
    named = await post(api, PLAYBOOKS_UP, playbook_name="by hand", agent_version="v1")
    assert named["user_playbooks_promoted"] == 1


@SQLITE
async def test_wrong_bodies_are_refused(api):
    """An empty list of ids asks for nothing, and is not taken for all; limits have an end."""
    await three_versions(api, "anna")
    for path, body in (
        (UP, {"profile_ids": []}),
        (UP, {"user_id": " "}),
        (UP, {"profile_ids": ["x"] * 10_001}),
        (PLAYBOOKS_UP, {"user_playbook_ids": []}),
        (PLAYBOOKS_UP, {"user_playbook_ids": [0]}),
        (PLAYBOOKS_UP, {"user_playbook_ids": [2**70]}),
        (PLAYBOOKS_UP, {"archive_current": "perhaps"}),
        ("/api/get_profile_diff", {"limit": 0}),
        ("/api/get_profile_diff", {"limit": 10**9}),
        ("/api/get_user_playbook_diff", {"limit": -1}),
        ("/api/get_user_playbook_diff", {"agent_version": "a\x00"}),
    ):
        assert (await api.post(path, json=body)).status_code == 422, (path, body)
    assert (await versions_of(api, "anna"))["pending"] == ["pending"]


async def test_playbooks_are_swapped_by_version_and_name(api):
    """Filters hold for every step; older routes answer with the older fields."""
    for version in ("v1", "v2"):
        await add_playbook(api, f"current of {version}", agent_version=version)
        await add_playbook(api, f"pending of {version}", agent_version=version, status="pending")
    await add_playbook(api, "pending of m", playbook_name="m", status="pending")
    upgraded = await post(api, PLAYBOOKS_UP, agent_version="v1", playbook_name="n")
    counts = (upgraded["user_playbooks_promoted"], upgraded["user_playbooks_archived"])
    assert counts == (1, 1)
    assert await playbooks(api) == ["current of v2", "pending of v1"]
    older = await post(api, "/api/upgrade_all_raw_feedbacks", agent_version="v1", feedback_name="m")
    assert older["raw_feedbacks_promoted"] == 1
    assert older["raw_feedbacks_archived"] == older["raw_feedbacks_deleted"] == 0
    assert await playbooks(api) == ["current of v2", "pending of m", "pending of v1"]
    back = await post(api, "/api/downgrade_all_raw_feedbacks", agent_version="v1", feedback_name="n")
    assert (back["raw_feedbacks_restored"], back["raw_feedbacks_demoted"]) == (1, 1)
    assert await playbooks(api) == ["current of v1", "current of v2", "pending of m"]


@SQLITE
async def test_pending_playbooks_can_join_the_current_ones(api):
    """`archive_current=false` promotes and puts nothing away; those archived before stay."""
    await add_playbook(api, "old", status="archived")
    await add_playbook(api, "current")
    number = await add_playbook(api, "pending", status="pending")
    joined = await post(api, PLAYBOOKS_UP, archive_current=False, user_playbook_ids=[number])
    assert (joined["user_playbooks_promoted"], joined["user_playbooks_archived"]) == (1, 0)
    assert joined["user_playbooks_deleted"] == 0
    assert (await playbooks(api), await playbooks(api, "archived")) == (["current", "pending"], ["old"])


@SQLITE
async def test_no_swap_while_the_users_memories_are_generated(api, app):
    """409 that names the run; users whose part is done, or who have none, are free, and so is the other kind."""
    for user_id in ("anna", "ben"):
        await publish(api, "I live in Lyon.", user_id=user_id)
        await three_versions(api, user_id)
    number = await add_playbook(api, "pending", status="pending")
    async with held_back(app, "anna"):
        started = await post(api, "/api/rerun_profile_generation", user_id="anna")
        await add_profile(api, "pending of anna", status="pending", profile_id="anna-again")
        for path in (UP, DOWN):
            for body in ({}, {"user_id": "anna"}, {"profile_ids": ["anna-again"]}):
                refused = await api.post(path, json=body)
                assert (refused.status_code, refused.json()["error"]) == (409, "Conflict"), (path, body)
                assert started["operation_id"] in refused.json()["message"]
        assert (await post(api, UP, user_id="ben"))["success"] is True
        assert (await post(api, PLAYBOOKS_UP, user_playbook_ids=[number]))["success"] is True
        await post(api, "/api/cancel_operation", operation_id=started["operation_id"])
    assert (await post(api, UP, profile_ids=["anna-again"]))["profiles_promoted"] == 1


async def test_a_diff_shows_what_an_upgrade_would_change(api):
    """Added, lost, changed with how alike they are, unchanged counted; afterwards the upgrade does just that."""
    for status, contents in (
        (None, ("Has a dog.", "Lives in the city of Lyon.", "Collects stamps.")),
        ("pending", ("has a dog", "Lives in the city of Lyon in France.", "Plays the cello.")),
    ):
        for content in contents:
            await add_profile(api, content, status=status)
    diff = await post(api, "/api/get_profile_diff", user_id="anna")
    assert [one["content"] for one in diff["added"]] == ["Plays the cello."]
    assert [one["content"] for one in diff["lost"]] == ["Collects stamps."]
    [changed] = diff["changed"]
    assert changed["before"]["content"] == "Lives in the city of Lyon."
    assert (changed["after"]["content"], changed["after"]["status"]) == (
        "Lives in the city of Lyon in France.",
        "pending",
    )
    assert 0.75 <= changed["similarity"] < 1
    counts = [diff[f"{name}_count"] for name in ("added", "lost", "covered", "changed", "unchanged")]
    assert counts == [1, 1, 0, 1, 1]
    await post(api, UP)
    assert (await post(api, "/api/get_profile_diff"))["lost_count"] == 3


@SQLITE
async def test_a_diff_says_what_covers_what_is_lost(api):
    """A sentence that unites two is paired with one of them, and covers the other; both stay in their lists."""
    for content in ("Has a brother named Tom.", "Has a dog named Max."):
        await add_profile(api, content)
    await add_profile(api, "Has a brother named Tom who lives in Oslo and has two cats.", status="pending")
    diff = await post(api, "/api/get_profile_diff", user_id="anna", limit=1)
    lost = [one["content"] for one in diff["lost"]]
    covered = [(one["before"]["content"], one["after"]["content"]) for one in diff.get("covered", [])]
    assert diff["changed_count"] + diff["lost_count"] == 2
    assert all(before in lost for before, _ in covered)
    assert ("covered by another" in diff["msg"]) == bool(diff["covered_count"])


@SQLITE
async def test_a_diff_shows_so_many_and_counts_all(api):
    """The limit holds for each sort; expired ones would not be served, so they are no difference."""
    for number in range(5):
        await add_profile(api, f"quite another thing {number}", status="pending")
    await add_profile(api, "over", status="pending", expiration_timestamp=1_000_000_000)
    diff = await post(api, "/api/get_profile_diff", limit=2)
    assert (len(diff["added"]), diff["added_count"]) == (2, 5)
    nobody = await post(api, "/api/get_profile_diff", user_id="nobody")
    assert (nobody["added_count"], nobody["lost_count"]) == (0, 0)


@SQLITE
async def test_a_diff_with_nothing_pending_says_so_as_an_upgrade_does(api):
    """Also for users that nobody knows."""
    await add_profile(api, "Plays the cello.")
    for wanted in ({}, {"user_id": "nobody"}, {"extractor_names": ["default_profile_extractor"]}):
        diff = await post(api, "/api/get_profile_diff", **wanted)
        assert (diff["success"], diff["msg"]) == (False, (await post(api, UP, **wanted))["message"]), wanted
        assert "no profile is pending here; make some first" in diff["msg"]
    diff = await post(api, "/api/get_user_playbook_diff", agent_version="agent-v0")
    assert (diff["success"], "no user playbook is pending here" in diff["msg"]) == (False, True)


@SQLITE
async def test_a_diff_of_playbooks_pairs_within_version_and_name(api):
    """The same words for another agent version are added there and lost here."""
    await add_playbook(api, "Answer in French.")
    await add_playbook(api, "answer in French", status="pending")
    await add_playbook(api, "Answer in French.", agent_version="v2", status="pending")
    diff = await post(api, "/api/get_user_playbook_diff")
    assert (diff["unchanged_count"], diff["added_count"], diff["lost_count"]) == (1, 1, 0)
    assert diff["added"][0]["agent_version"] == "v2"
    narrow = await post(api, "/api/get_user_playbook_diff", agent_version="v1", playbook_name="n")
    assert (narrow["unchanged_count"], narrow["added_count"]) == (1, 0)


@SQLITE
async def test_a_diff_reads_page_by_page_and_never_cuts_a_user(api, app):
    """Whatever a page holds, each user's memories come in one piece, and all of them come."""
    for user_id, count in (("anna", 1), ("ben", 5), ("cleo", 2), ("dan", 1)):
        for number in range(count):
            await add_profile(
                api, f"thing {number}", user_id=user_id, status="pending" if number % 2 else None
            )
    wanted = VersionFilter(kind=MemoryKind.PROFILE)
    for row_count in (1, 2, 3, 9, 100):
        async with app.state.runtime.storage.read(LOCAL_TENANT) as snapshot:
            found = [page async for page in pages(snapshot, wanted, row_count=row_count)]
        read = [[memory.user_id for memory in page] for page in found]
        assert [user for page in read for user in page] == ["anna", *["ben"] * 5, *["cleo"] * 2, "dan"]
        homes = [user for page in read for user in dict.fromkeys(page)]
        assert len(homes) == len(set(homes)), row_count
    some = VersionFilter(kind=MemoryKind.PROFILE, user_ids=(UserId("cleo"),))
    async with app.state.runtime.storage.read(LOCAL_TENANT) as snapshot:
        assert sum([len(page) async for page in pages(snapshot, some, row_count=2)]) == 2


@SQLITE
async def test_another_organisations_ids_are_unknown(app):
    """What one organisation names of another's is a 404, its swaps move none of the other's, its diff shows none."""
    mine, theirs = await make_token(app, "alpha"), await make_token(app, "beta")
    async with client_of(app, token=mine) as api, client_of(app, token=theirs) as other:
        await three_versions(other, "anna")
        number = await add_playbook(other, "x", status="pending")
        assert (await api.post(UP, json={"profile_ids": ["anna-pending"]})).status_code == 404
        assert (await api.post(PLAYBOOKS_UP, json={"user_playbook_ids": [number]})).status_code == 404
        assert (await post(api, UP))["success"] is False
        assert (await post(api, "/api/get_profile_diff", user_id="anna"))["added_count"] == 0
        await three_versions(api, "ben")
        await post(api, UP)
        await post(api, DOWN)
        untouched = {"archived": ["archived"], "current": ["current"], "pending": ["pending"]}
        assert await versions_of(other, "anna") == untouched


@SQLITE
async def test_turns_that_came_after_a_rerun_are_learned_after_its_upgrade(api):
    """What was said between a rerun and its upgrade is not lost to the version that is current then."""
    body = {"user_id": "anna", "force_extraction": True}
    wait = "/api/publish_interaction?wait_for_response=true"
    await api.post(wait, json=body | {"interaction_data_list": [{"content": "I live in Lyon."}]})
    await post(api, "/api/rerun_profile_generation?wait_for_response=true")
    await api.post(wait, json=body | {"interaction_data_list": [{"content": "I am vegetarian."}]})
    assert (await post(api, UP))["success"] is True

    async def knows_both() -> bool:
        known = " ".join(one["content"] for one in await profiles_of(api))
        return "Lyon" in known and "egetarian" in known

    await until(knows_both)


async def test_an_upgrade_that_is_asked_for_twice_at_once_happens_once(api):
    """A button that was pressed twice: one reply says what moved, the other that nothing was pending any more."""
    users = [f"user-{number}" for number in range(8)]
    for user_id in users:
        await three_versions(api, user_id)
    replies = await asyncio.gather(*(post(api, UP) for _ in range(2)))
    assert sorted(one["profiles_promoted"] for one in replies) == [0, 8]
    assert sorted(one["success"] for one in replies) == [False, True]
    for user_id in users:
        assert await versions_of(api, user_id) == {
            "archived": ["current"],
            "current": ["pending"],
            "pending": [],
        }
