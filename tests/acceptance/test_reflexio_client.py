"""A client that others wrote and published, in an environment of its own, against a real server process."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import reflexio_client as expected
from support.server import ServerProcess, clean_environment, running_server

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-reflexio" / "bin" / "python"
DRIVER = Path(__file__).with_name("reflexio_driver.py")
NEWEST_DRIVER = Path(__file__).with_name("reflexio_newest.py")
NEWEST = ROOT / ".venv-reflexio" / "newest"
PAGE = ROOT / "docs" / "reference" / "reflexio-client.md"
NOT_FOUND = {"raised": "HTTPError", "status": 404, "error": "NotFound"}
INVALID = {"raised": "HTTPError", "status": 422, "error": "InvalidInput"}
MOVED = ("promoted", "archived", "deleted")
KILOMETRES = "Always answer in kilometres, not in miles."

Told = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    # Two clients start runs one after the other, and by default there may be five in a minute.
    settings = {"SAGACITY_QUIET_SECONDS": "0.5", "SAGACITY_RATE_LIMIT_FACTOR": "10"}
    with running_server(tmp_path_factory.mktemp("reflexio"), settings) as process:
        yield process


def driven(server: ServerProcess, driver: Path, home: Path, **environment: str) -> Told:
    """What a driver says of one pass over a whole client."""
    assert PYTHON.exists(), (
        f"{PYTHON} is not there; `make .venv-reflexio/.ready` makes it, and so does `make test`"
    )
    always = {"PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "127.0.0.1"}
    run = subprocess.run(
        [PYTHON, driver, server.url],
        env=clean_environment(home, always | environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def told(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What is said of version 0.2.12."""
    return driven(server, DRIVER, tmp_path_factory.mktemp("older"))


@pytest.fixture(scope="module")
def newest(server: ServerProcess, told: Told, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What is said of the newest version, after the older one: that one needs a server without data."""
    return driven(server, NEWEST_DRIVER, tmp_path_factory.mktemp("newest"), PYTHONPATH=str(NEWEST))


@pytest.fixture(scope="module")
def calls(told: Told) -> Told:
    return told["calls"]


@pytest.fixture(scope="module")
def defects(told: Told) -> Told:
    return told["defects"]


def test_every_method_is_driven_and_none_fails_unforeseen(told: Told):
    """Each public method of the client has its step, and each step ran to its end."""
    steps = told["calls"] | told["defects"]
    assert {name: step["crashed"] for name, step in steps.items() if "crashed" in step} == {}
    assert sorted(told["calls"]) == sorted(told["methods"])


def test_page_lists_what_is_driven(told: Told):
    """The reference page has one row a method and one a defect, the very ones of the driver."""
    sections = dict(re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))
    rows = {
        title: re.findall(r"^\| `(\w+)` \|(?! –)", text, re.MULTILINE) for title, text in sections.items()
    }
    assert sorted(rows["Methods"]) == sorted(told["methods"])
    assert rows["What the client does wrong"] == list(told["defects"])
    for name in told["defects"]["absent_methods"]:
        assert f"`{name}`" in sections["What the client does wrong"]


def test_publish_waits_for_learning_or_not(calls: Told):
    """Waiting tells what was learned; not waiting says queued, and the same is learned soon after."""
    published = calls["publish_interaction"]
    waited, queued = published["waited"], published["queued"]
    assert (waited["success"], waited["warnings"]) == (True, [])
    assert (waited["profiles_added"], waited["playbooks_added"]) == (3, 1)
    assert (waited["profiles_updated"], waited["playbooks_updated"]) == (0, 0)
    assert (waited["storage_type"], waited["storage_label"]) == ("sqlite", "sagacity.db")
    assert (queued["success"], queued["message"], queued["profiles_added"]) == (True, "queued", None)
    assert len({waited["request_id"], queued["request_id"], None, ""}) == 4
    assert published["learned_later"] == expected.ADAS_PROFILES
    assert published["learned_from_expert"] == ["Invoice 17 is open since May."]


def test_turns_are_read_back_as_published(calls: Told):
    """Newest first, with every field, and only the user's own."""
    read = calls["get_interactions"]
    assert read["ada"] == expected.ADAS_TURNS
    assert read["newest_two"] == expected.ADAS_TURNS[:2]
    assert read["nobody"] == []
    bob = read["bob"]
    assert bob["created_at"] > 1_700_000_000
    del bob["created_at"], bob["interaction_id"], bob["request_id"]
    assert bob == expected.BOBS_TURN
    assert calls["get_all_interactions"] == {
        "users": ["bob"] + ["ada"] * 5,
        "newest": ["Your invoice is open."],
    }


def test_requests_come_by_session_and_page_exactly(calls: Told):
    """Newest first, their turns in order; `has_more` is true only where more is."""
    read = calls["get_requests"]
    assert read["sessions"] == ["s-2", "s-1"]
    assert (read["has_more"], read["first_page_has_more"], read["second_page_has_more"]) == (
        False,
        True,
        False,
    )
    assert read["second_page"] == ["s-1"]
    assert read["first_turns"] == expected.ADAS_TURNS[:0:-1]
    assert read["first"] == {
        "request_id": calls["publish_interaction"]["waited"]["request_id"],
        "user_id": "ada",
        "created_at": 0,
        "source": "chat",
        "agent_version": "v1",
        "session_id": "s-1",
    }


def test_learned_profiles_are_read_with_their_origin(calls: Told):
    """What was learned is current, names its request, and never belongs to another user."""
    read = calls["get_profiles"]
    assert read["ada"] == calls["publish_interaction"]["learned_later"]
    assert (read["current"], read["current_by_enum"], read["archived"], read["bob"]) == (4, 4, [], [])
    lisbon = read["lisbon"]
    assert lisbon["content"] == "Lives in Lisbon."
    assert lisbon["generated_from_request_id"] == read["first_request"]
    assert (lisbon["source"], lisbon["extractor_names"]) == ("chat", ["default_profile_extractor"])
    assert (lisbon["profile_time_to_live"], lisbon["expiration_timestamp"]) == ("infinity", 4102444800)
    assert calls["get_all_profiles"] == {"users": ["ada"], "one": 1, "pending": []}
    assert calls["get_profile_change_log"] == {"users": ["ada"], "added": read["ada"]}


def test_learned_playbook_is_read_with_its_origin(calls: Told):
    """A correction became a rule of that user and version, which names the turn."""
    read = calls["get_user_playbooks"]
    rule = read["ada"]
    assert (read["count"], read["other_version"], read["pending"]) == (1, 0, 0)
    assert (rule["content"], rule["trigger"]) == (KILOMETRES, "When giving measurements")
    assert (rule["user_id"], rule["agent_version"], rule["request_id"]) == (
        "ada",
        "v1",
        read["first_request"],
    )
    assert rule["source_interaction_ids"] == [3]
    assert calls["get_agent_success_evaluation_results"]["agent_success_evaluation_results"] == []


def test_memories_written_directly_are_read_back(calls: Told):
    """Profiles, user and agent playbooks come back as given; an id of another user's is refused."""
    profiles = calls["add_user_profile"]
    assert (profiles["added"]["added_count"], profiles["replaced"]["added_count"]) == (5, 1)
    assert profiles["taken_by_another_user"] == {"raised": "HTTPError", "status": 409, "error": "Conflict"}
    assert profiles["bob"] == expected.BOBS_PROFILES
    kettles = profiles["kettles"]
    assert re.fullmatch(r"cli-[0-9a-f]{12}", kettles["profile_id"])
    assert (kettles["custom_features"], kettles["source"]) == ({"hobby": "kettles"}, "cli-manual")

    playbooks = calls["add_user_playbook"]
    assert (playbooks["added"]["added_count"], playbooks["pending"]) == (3, ["Draft letters in blue ink."])
    assert playbooks["invoices"] == expected.BOBS_PLAYBOOK

    assert calls["add_agent_playbooks"]["added"]["added_count"] == 3
    agents = calls["get_agent_playbooks"]
    assert agents["all"] == [
        "Greet customers by their first name.",
        "Offer a refund before a voucher.",
        "Refunds need the receipt number.",
    ]
    assert agents["approved"] == ["Offer a refund before a voucher."]
    assert (agents["tone"]["playbook_name"], agents["tone"]["playbook_status"]) == ("tone", "pending")


def test_searches_find_the_right_thing(calls: Told):
    """By word, by meaning and by filter, each kind; no other user's, nothing below the threshold."""
    assert calls["search_interactions"] == {
        "by_word": ["I am allergic to peanuts."],
        "by_meaning": ["I work as a marine biologist."],
        "newest": ["I work as a marine biologist."],
        "of_another_request": [],
        "of_another_user": [],
    }
    profiles = calls["search_profiles"]
    assert profiles["by_meaning"][0] == "Is allergic to peanuts."
    assert (profiles["above_threshold_one"], profiles["top_one"]) == ([], 1)
    assert profiles["by_word"] == ["Is allergic to peanuts."]
    assert profiles["by_feature"] == ["Collects enamel kettles."]
    assert profiles["by_source"] == ["Works as a marine biologist."]
    assert profiles["of_request"] == ["Is allergic to peanuts.", "Lives in Lisbon.", "Name is Ada Marsh."]
    playbooks = calls["search_user_playbooks"]
    assert playbooks["by_meaning"] == [KILOMETRES]
    assert sorted(playbooks["by_word"]) == [
        "Invoice 17 is open since May.",
        "State the invoice number first.",
    ]
    assert (playbooks["pending_by_default"], playbooks["other_version"]) == ([], [])
    assert playbooks["pending_asked_for"] == ["Draft letters in blue ink."]
    assert playbooks["by_name"] == ["State the invoice number first."]
    assert calls["search_agent_playbooks"] == {
        "by_word": ["Offer a refund before a voucher."],
        "approved": ["Offer a refund before a voucher."],
        "by_meaning": ["Greet customers by their first name."],
    }


def test_unified_search_serves_only_what_may_be_served(calls: Told):
    """The user's own profiles and playbooks, no rejected rule, and nothing of users when none is named."""
    found = calls["search"]
    assert found["profile"] == ["Is allergic to peanuts."]
    assert found["user_playbook"] == [KILOMETRES]
    assert (
        found["agent_playbook"]
        == found["without_user_agent_playbook"]
        == ["Offer a refund before a voucher."]
    )
    assert (found["rejected"], found["without_user"]) == ([], [[], []])
    assert found["with_history"] == ["State the invoice number first."]


def test_edits_show_in_reads_and_searches(calls: Told):
    """An edit is found by its new words and no more by the old ones; an unknown id is 404."""
    user = calls["update_user_playbook"]
    assert user["reply"]["success"] is True
    assert user["stored"] == [
        True,
        "Say the due date first.",
        "When asked about an invoice",
        "Bob pays late.",
    ]
    assert (user["found_by_new_words"], user["found_by_old_words"]) == (["Say the due date first."], [])
    agent = calls["update_agent_playbook"]
    assert agent["reply"]["success"] is True
    assert agent["stored"] == ["Greet customers formally.", "pending"]
    assert (agent["found_by_new_words"], agent["found_by_old_words"]) == (["Greet customers formally."], [])
    assert (user["unknown"], agent["unknown"]) == (NOT_FOUND, NOT_FOUND)
    status = calls["update_agent_playbook_status"]
    assert (status["reply"]["success"], status["stored"], status["served"]) == (True, "rejected", [])


def test_deleted_is_gone_from_reads_and_searches(calls: Told):
    """Waited for or not, by id, by words or by session; what is not there, or another user's, is 404."""
    profile = calls["delete_profile"]
    assert (profile["waited"]["success"], profile["by_words"]["success"]) == (True, True)
    assert (profile["left"], profile["found"]) == (["Collects enamel kettles.", "Speaks Portuguese."], [])
    assert profile["of_another_user"] == NOT_FOUND
    turn = calls["delete_interaction"]
    assert turn["left"] == [expected.ADAS_TURNS[0], expected.ADAS_TURNS[2], expected.ADAS_TURNS[4]]
    assert (turn["waited"]["success"], turn["found"], turn["again"]) == (True, [], NOT_FOUND)
    request = calls["delete_request"]
    assert (request["ada"], request["carl"]) == ([expected.ADAS_TURNS[2], expected.ADAS_TURNS[4]], [])
    assert (request["waited"]["success"], request["again"]) == (True, NOT_FOUND)
    session = calls["delete_session"]
    assert (session["waited"]["deleted_requests_count"], session["ada"], session["carl"]) == (1, [], [])
    user, agent = calls["delete_user_playbook"], calls["delete_agent_playbook"]
    assert user["left"] == ["Invoice 17 is open since May.", "Round all sums up."]
    assert agent["left"] == ["Offer a refund before a voucher."]
    for one in (user, agent):
        assert (one["waited"]["success"], one["again"]) == (True, NOT_FOUND)
    for name in ("profile", "interaction", "request", "session", "user_playbook", "agent_playbook"):
        assert calls[f"delete_{name}"]["forgotten"] is None


def test_deleting_many_counts_what_was_there(calls: Told):
    """By ids, and all of a kind: the count is of what went, and nothing of it is left."""
    by_ids = {name: calls[f"delete_{name}_by_ids"] for name in ("profiles", "requests")}
    assert [one["reply"]["deleted_count"] for one in by_ids.values()] == [1, 2]
    assert [one["left"] for one in by_ids.values()] == [["Speaks Portuguese."], []]
    user, agent = calls["delete_user_playbooks_by_ids"], calls["delete_agent_playbooks_by_ids"]
    assert (user["reply"]["deleted_count"], user["left"]) == (1, ["Invoice 17 is open since May."])
    assert (agent["reply"]["deleted_count"], agent["left"]) == (1, [])
    turns, profiles = calls["delete_all_interactions"], calls["delete_all_profiles"]
    assert turns["reply"]["deleted_count"] == turns["before"] > 0
    assert (turns["left"], turns["sessions_left"]) == ([], 0)
    assert profiles["before"] == {"current": 5, "pending": 1, "archived": 0}
    assert profiles["reply"]["deleted_count"] == 6
    assert profiles["left"] == {"current": 0, "pending": 0, "archived": 0}
    assert profiles["found"] == []
    users, agents, both = (calls[f"delete_all_{kind}playbooks"] for kind in ("user_", "agent_", ""))
    assert [one["reply"]["deleted_count"] for one in (users, agents, both)] == [3, 2, 3]
    assert (users["of_users"], users["of_agents"]) == ([], ["Be kind."])
    assert (agents["of_users"], agents["of_agents"]) == (["Be brief."], [])
    assert (both["of_users"], both["of_agents"]) == ([], [])


def test_configuration_is_kept_and_secrets_are_not_given_back(calls: Told):
    """What is set is read; a key comes back masked, and writing the mask back changes nothing."""
    assert calls["whoami"]["org_id"] == "self-host-org"
    assert (calls["whoami"]["storage_type"], calls["whoami"]["storage_configured"]) == ("sqlite", True)
    assert (calls["get_my_config"]["success"], calls["get_my_config"]["storage_config"]) == (False, None)
    saved = calls["set_config"]
    assert (saved["as_model"]["success"], saved["as_dict"]["success"]) == (True, True)
    assert saved["invalid"] == INVALID
    stored = calls["get_config"]["stored"]
    assert (stored["batch_size"], stored["batch_interval"]) == (12, 4)
    assert stored["agent_context_prompt"] == "A desk that answers mail."
    assert [tool["tool_name"] for tool in stored["tool_can_use"]] == ["find_invoice"]
    assert [one["evaluation_name"] for one in stored["agent_success_configs"]] == ["solved"]
    assert re.fullmatch(r"\*+", stored["api_key_config"]["openai"]["api_key"])
    assert calls["get_config"]["same_after_writing_it_back"] is True


def test_aggregation_makes_one_playbook_of_what_users_say_alike(calls: Told):
    """One rule for all, which waits for its approval; a second run leaves it as it is."""
    aggregated = calls["run_playbook_aggregation"]
    waited = aggregated["waited"]
    assert waited["success"] is True
    assert waited["message"].startswith("processed 2 user playbooks, found 1 cluster, generated 1 ")
    [[content, status, version]] = aggregated["made"]
    assert (content.startswith("Always answer in French"), status, version) == (True, "pending", "v7")
    assert (aggregated["forgotten"], aggregated["run"]) == (None, "completed")
    assert aggregated["same_afterwards"] is True
    assert aggregated["unknown"] == INVALID


def test_rerun_of_profiles_learns_into_pending(calls: Told):
    """Waiting ends with that very run; all turns that the filters admit are learned again, CURRENT stays."""
    rerun = calls["rerun_profile_generation"]
    assert (rerun["forgotten"], rerun["run"]) == (None, {"source": "mail"})
    assert rerun["of_mail"] == {"erin": [], "finn": ["Lives in Turin."]}
    waited = rerun["waited"]
    assert (waited["success"], waited["msg"]) == (True, "Profile generation completed")
    assert rerun["is_of_this_run"] is True
    assert (rerun["users"], waited["profiles_generated"], rerun["generated"]) == (["erin"], 1, 2)
    assert rerun["pending"] == rerun["current"] == expected.ERINS_PROFILES
    assert (rerun["unknown_user"], rerun["unknown_extractor"]) == (NOT_FOUND, INVALID)


def test_rerun_of_playbooks_learns_into_pending(calls: Told):
    """Waiting ends with that very run, although the client asks for it by an older name; versions are apart."""
    rerun = calls["rerun_playbook_generation"]
    assert (rerun["forgotten"], rerun["generated"]) == (None, 2)
    assert rerun["pending"] == rerun["current"] == expected.FRENCH
    assert (rerun["waited"]["success"], rerun["waited"]["msg"]) == (True, "Playbook generation completed")
    assert rerun["is_of_this_run"] is True
    assert (rerun["generated_again"], rerun["pending_afterwards"]) == (2, expected.FRENCH)
    assert (rerun["unknown"], rerun["unknown_version"], rerun["of_another_version"]) == (INVALID,) * 3


def test_upgrades_take_what_is_pending_into_use(calls: Told):
    """PENDING is CURRENT and CURRENT is ARCHIVED, of whom and what is named; older routes take it back."""
    profiles = calls["upgrade_profiles"]
    assert profiles["reply"] == expected.UPGRADED
    assert (profiles["promoted_are_current"], profiles["former_are_archived"]) == (True, True)
    assert (profiles["pending"], profiles["others"]["profiles_promoted"]) == ([], 1)
    assert profiles["others"]["profiles_deleted"] == 0
    assert profiles["finn"] == [["Lives in Turin."], ["Lives in Turin."], []]
    assert profiles["nothing_pending"]["success"] is False
    assert (profiles["back"]["profiles_restored"], profiles["back"]["profiles_demoted"]) == (2, 2)
    assert profiles["restored"] is True

    playbooks = calls["upgrade_user_playbooks"]
    assert playbooks["other_version"]["success"] is False
    counts = {name: playbooks["reply"][f"user_playbooks_{name}"] for name in MOVED}
    assert (playbooks["reply"]["success"], counts) == (True, {"promoted": 2, "archived": 2, "deleted": 0})
    assert (playbooks["promoted_are_current"], playbooks["former_are_archived"]) == (True, True)
    assert (playbooks["back"]["raw_feedbacks_restored"], playbooks["back"]["raw_feedbacks_demoted"]) == (2, 2)
    assert playbooks["restored"] is True


def test_manual_generation_learns_into_current(calls: Told):
    """What was deleted is learned again from the newest turns; nothing is pending. A refusal is not told."""
    profiles, playbooks = calls["manual_profile_generation"], calls["manual_playbook_generation"]
    assert (profiles["current"], playbooks["current"]) == (expected.ERINS_PROFILES, expected.FRENCH[:1])
    assert (profiles["generated"], playbooks["generated"]) == (2, 1)
    for one in (profiles, playbooks):
        assert (one["mode"], one["pending"], one["forgotten"]) == ("manual", [], None)
    assert profiles["refused"] is None


def test_defects_of_the_client_are_as_described(defects: Told):
    """What the page says the client does wrong is what it does."""
    assert set(defects["datetime_filters"].values()) == {"TypeError"}
    assert len(defects["datetime_filters"]) == 9
    assert defects["profile_cache"] == {"cached": ["Owns a kiln."], "fresh": []}
    assert defects["agent_playbook_cache"] == {"cached": ["Be kind."], "fresh": []}
    assert defects["lost_failures"] == {"returned": None}
    assert defects["current_status"] == {"sent": ["None"]}
    assert defects["repeated_publish"] == {"stored": ["Once.", "Once."], "takes_request_id": False}
    assert defects["request_paging"] == {"offset": "TypeError"}
    assert defects["config_as_dict"] == {"raised": "ValidationError"}
    assert defects["config_with_address"] == {"raised": "TypeError"}
    polled = "/api/get_operation_status?service_name="
    assert defects["playbook_rerun_polling"] == {
        "asked": [f"{polled}feedback_generation"],
        "said": "Playbook generation completed",
        "playbooks_generated": 3,
    }
    assert defects["profile_rerun_polling"] == {
        "asked": [f"{polled}profile_generation"],
        "said": "Profile generation completed",
        "profiles_generated": 3,
    }
    assert defects["default_address"] == {"is_loopback": False}
    assert len(defects["absent_methods"]) == 8


def test_newest_version_does_what_the_page_says(newest: Told):
    """Each of its methods is driven; those with "no" are refused with 404, and no other is."""
    calls, text = newest["calls"], PAGE.read_text()
    assert {name: call["crashed"] for name, call in calls.items() if "crashed" in call} == {}
    assert sorted(calls) == sorted(newest["methods"])
    said = dict(re.findall(r"^\| `(\w+)` \| .* \| (yes|no|answers)\b[^|]* \|$", text, re.MULTILINE))
    assert said.keys() == calls.keys()
    refused = {name for name, call in calls.items() if "status" in call}
    assert refused == {name for name, word in said.items() if word == "no"}
    assert {calls[name]["status"] for name in refused} == {404}
    works = sum(word == "yes" for word in said.values())
    assert f"of the {len(calls)} of 0.2.16, {works};" in text


def test_newest_version_gets_what_it_asks_for(newest: Told):
    """Its own words are read, its times filter, and it is told nothing of what it did not choose."""
    calls = {name: call.get("reply") for name, call in newest["calls"].items()}
    assert calls["publish_interaction"]["warnings"] == calls["publish_interaction_async"]["warnings"] == []
    assert calls["get_learning_status"] == "done"
    assert len(calls["get_interactions"]["interactions"]) == 3
    assert [one["content"] for one in calls["get_all_profiles"]["user_profiles"]] == ["Lives in Bergen."]
    stats = calls["storage_stats"]
    assert (stats["profile_count"], stats["playbook_count"]) == (2, 1)
    ranked = calls["rerank_user_profiles"]["user_profiles"]
    assert {one["profile_id"] for one in ranked} == {"o-1", "o-2"}
    for name in ("search", "search_async"):
        assert [one["content"] for one in calls[name]["profiles"]] == ["Is allergic to peanuts."]
        assert calls[name]["user_playbooks"] == []
    for kind in ("profile", "playbook"):
        waited = calls[f"rerun_{kind}_generation"]
        assert waited["msg"] == f"{kind.capitalize()} generation completed"
    cleared = calls["clear_user_data"]
    assert (cleared["success"], cleared["deleted_counts"]["users"]) == (True, 1)


def test_newest_version_keeps_the_configuration_that_it_reads(newest: Told):
    """Also what it has no word for; what it changes is changed, and what has no effect is named."""
    saved = newest["calls"]["set_config"]["reply"]
    assert saved["same"] is True
    assert saved["told"].startswith("configuration saved; without effect: retrieval_floor (")
    changed = saved["changed"]
    assert [one["extraction_definition_prompt"] for one in changed["profile_extractor_configs"]] == [
        "Only facts.",
        "Tastes.",
    ]
    assert changed["profile_extractor_configs"][0]["metadata_definition_prompt"] == "Since when."
    del changed["profile_extractor_configs"], changed["profile_extractor_config"]
    assert changed == {
        "batch_size": 20,
        "user_playbook_extraction_enabled": False,
        "user_playbook_extractor_config": None,
        "agent_success_configs": None,
        "agent_success_config": None,
    }
    after = newest["calls"]["update_config"]["reply"]["after"]
    assert (after["batch_size"], after["batch_interval"], after["holdout_share"]) == (20, 6, 0.1)
    assert after["user_playbook_extraction_enabled"] is True
    [rules] = after["user_playbook_extractor_configs"]
    assert (rules["extractor_name"], rules["extraction_definition_prompt"]) == ("rules", "Rules again.")
    assert rules["skill_generator_config"]["cooldown_hours"] == 3
