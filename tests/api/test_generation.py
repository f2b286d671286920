"""Learning that someone starts: over whole logs into PENDING, or over their newest windows into CURRENT."""

import pytest

from support.api import client_of, publish, running, settings_in
from support.databases import SQLITE
from support.operations import ended, held_back, standing, statements
from support.waiting import until

pytestmark = pytest.mark.both_databases
RERUNS = ("/api/rerun_profile_generation", "/api/rerun_playbook_generation", "/api/rerun_feedback_generation")
MANUALS = (
    "/api/manual_profile_generation",
    "/api/manual_playbook_generation",
    "/api/manual_feedback_generation",
)

FOODS = "cheese rice tea coffee honey plums bread soup pears beans figs nuts olives".split()


async def taught(api, user_id: str = "anna", *contents: str, **fields) -> None:
    """Publish turns and wait until something was learned from them."""
    said = contents or ("I live in Lyon.", "I am vegetarian. Please always answer in French.")
    body = {
        "user_id": user_id,
        "force_extraction": True,
        "interaction_data_list": [{"content": content} for content in said],
    }
    reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body | fields)
    assert reply.status_code == 200, reply.text


async def playbooks(api, **wanted) -> list[dict]:
    reply = await api.post("/api/get_user_playbooks", json=wanted)
    return reply.json()["user_playbooks"]


async def test_a_rerun_learns_all_turns_into_pending_and_leaves_current_alone(api):
    """Row 10: what was said in 15 turns of the past is all pending afterwards; what is current is as it was."""
    await taught(api, "anna", *(f"I like {food}." for food in FOODS), "I live in Lyon.", "Hello.")
    await taught(api, "ben")
    before = await statements(api, "anna")
    reply = await api.post("/api/rerun_profile_generation?wait_for_response=true", json={})
    assert reply.status_code == 200, reply.text
    answer = reply.json()
    status = answer["operation_status"]
    assert (answer["success"], status["status"], status["mode"]) == (True, "completed", "rerun")
    assert status["operation_id"] == answer["operation_id"]
    assert (status["total_users"], status["processed_users"], status["failed_users"]) == (2, 2, 0)
    assert status["processed_user_ids"] == ["anna", "ben"]
    assert status["stats"]["total_interactions_processed"] == len(FOODS) + 4
    pending = await statements(api, "anna", "pending")
    assert pending == before == await statements(api, "anna")
    assert len(before) > len(FOODS)
    whole = len(pending) + len(await statements(api, "ben", "pending"))
    assert answer["profiles_generated"] == status["stats"]["total_generated"] == whole


@SQLITE
async def test_a_rerun_answers_at_once_with_an_id_to_follow(api):
    """The reply names its own run, which is in progress then, and completes by itself."""
    await taught(api)
    answer = (await api.post("/api/rerun_profile_generation", json={"user_id": "anna"})).json()
    assert "profiles_generated" not in answer
    assert "operation_status" not in answer
    assert answer["operation_id"] in answer["msg"]
    status = await ended(api, answer["operation_id"])
    assert (status["status"], status["progress_percentage"]) == ("completed", 100.0)
    assert status["request_params"] == {"user_id": "anna"}
    assert status["completed_at"] >= status["started_at"] > 1_700_000_000


@SQLITE
async def test_a_rerun_of_one_user_replaces_that_users_pending_only(api):
    """Twice for one user gives the same once more; another user's pending ones stay the very same."""
    await taught(api, "anna")
    await taught(api, "ben")
    await api.post("/api/rerun_profile_generation?wait_for_response=true", json={})
    bens = await api.post("/api/get_profiles", json={"user_id": "ben", "status_filter": ["pending"]})
    annas = await statements(api, "anna", "pending")
    again = await api.post("/api/rerun_profile_generation?wait_for_response=true", json={"user_id": "anna"})
    assert again.json()["profiles_generated"] == len(annas)
    assert again.json()["operation_status"]["total_users"] == 1
    assert await statements(api, "anna", "pending") == annas
    after = await api.post("/api/get_profiles", json={"user_id": "ben", "status_filter": ["pending"]})
    assert after.json() == bens.json()


@SQLITE
async def test_a_rerun_reads_only_what_its_filters_admit(api):
    """A source and a stretch of time narrow what is learned, not what is current."""
    await taught(api, "anna", "I live in Lyon.", source="chat")
    await taught(api, "anna", "My dog is called Rex.", source="mail")
    wait = "/api/rerun_profile_generation?wait_for_response=true"
    mail = (await api.post(wait, json={"source": "mail"})).json()
    assert mail["operation_status"]["stats"]["total_interactions_processed"] == 1
    assert not [one for one in await statements(api, "anna", "pending") if "Lyon" in one]
    span = {"start_time": "2001-01-01T00:00:00", "end_time": "2002-01-01T00:00:00"}
    assert (await api.post(wait, json=span)).json()["profiles_generated"] == 0
    assert await statements(api, "anna", "pending") == []
    assert [one for one in await statements(api, "anna") if "Lyon" in one]


@SQLITE
async def test_a_second_start_is_refused_and_names_the_running_one(api, app):
    """409 for the same service, whatever the mode and the filters; the other service is free."""
    await taught(api, "anna")
    await taught(api, "ben")
    async with held_back(app, "anna"):
        first = (await api.post("/api/rerun_profile_generation", json={"user_id": "anna"})).json()
        for path, body in (
            ("/api/rerun_profile_generation", {"user_id": "ben"}),
            ("/api/manual_profile_generation", {}),
        ):
            refused = await api.post(path, json=body)
            assert (refused.status_code, refused.json()["error"]) == (409, "Conflict"), path
            assert first["operation_id"] in refused.json()["message"]
            assert "cancel" in refused.json()["message"]
        other = await api.post("/api/rerun_playbook_generation", json={"user_id": "ben"})
        assert other.status_code == 200
        assert (await ended(api, other.json()["operation_id"]))["status"] == "completed"
        assert (await standing(api, first["operation_id"]))["status"] == "in_progress"


async def test_a_manual_run_waits_and_learns_into_current(api):
    """The newest window of each user is read again; what it says is there at the end of the call, once."""
    await taught(api, "anna")
    await taught(api, "ben", "I live in Nice.")
    await api.request("DELETE", "/api/delete_all_profiles")
    answer = (await api.post("/api/manual_profile_generation", json={})).json()
    status = answer["operation_status"]
    assert (answer["success"], status["mode"], status["status"]) == (True, "manual", "completed")
    assert status["processed_user_ids"] == ["anna", "ben"]
    annas, bens = await statements(api, "anna"), await statements(api, "ben")
    assert answer["profiles_generated"] == len(annas) + len(bens) >= 3
    assert await statements(api, "anna", "pending") == []
    again = (await api.post("/api/manual_profile_generation", json={"user_id": "anna"})).json()
    assert (again["profiles_generated"], await statements(api, "anna")) == (0, annas)


async def test_a_manual_run_that_takes_too_long_goes_on(tmp_path):
    """When the call's time is over it answers with the run's id, and the run is not touched by that."""
    settings = settings_in(tmp_path, request_timeout_seconds=10)
    async with running(settings) as app, client_of(app) as api:
        await publish(api, "I live in Lyon.")
        async with held_back(app, "anna"):
            reply = await api.post("/api/manual_profile_generation", json={})
            answer = reply.json()
            assert (reply.status_code, answer["success"]) == (200, True)
            assert "goes on" in answer["msg"]
            assert answer["operation_id"] in answer["msg"]
            assert "profiles_generated" not in answer
            assert answer["operation_status"]["status"] == "in_progress"
        assert (await ended(api, answer["operation_id"]))["status"] == "completed"


@SQLITE
async def test_a_manual_run_can_be_left_to_itself(api):
    """Told not to wait it answers at once, like a rerun."""
    await taught(api)
    answer = (await api.post("/api/manual_profile_generation?wait_for_response=false", json={})).json()
    assert "operation_status" not in answer
    assert (await ended(api, answer["operation_id"]))["status"] == "completed"


@SQLITE
@pytest.mark.parametrize("path", ["/api/rerun_playbook_generation", "/api/manual_playbook_generation"])
async def test_a_run_that_would_read_nothing_says_so(api, path):
    """No turn is of the agent version that was meant, or left out: the versions that there are are named."""
    await publish(api, "Please always answer in French.", user_id="ben", agent_version="v2")
    reply = await api.post(path, json={})
    assert reply.status_code == 422
    assert "no turns were published with 'agent-v0'; there are turns of 'v2'" in reply.json()["message"]
    await publish(api, "Please always answer in French.", user_id="anna")
    reply = await api.post(path, json={"user_id": "anna", "agent_version": "v2"})
    assert (
        "no turns of user 'anna' were published with 'v2'; there are turns of 'agent-v0'"
        in reply.json()["message"]
    )


@SQLITE
async def test_playbooks_are_learned_anew_for_one_agent_version(api):
    """`agent-v0` unless another is named; older routes answer with the older field."""
    await taught(api, "anna")
    await taught(api, "anna", "Please always answer with a table.", agent_version="v2")
    wait = "?wait_for_response=true"
    first = (await api.post("/api/rerun_playbook_generation" + wait, json={})).json()
    assert first["playbooks_generated"] == 1
    [pending] = await playbooks(api, status_filter=["pending"])
    assert (pending["agent_version"], "French" in pending["content"]) == ("agent-v0", True)
    older = (await api.post("/api/rerun_feedback_generation" + wait, json={"agent_version": "v2"})).json()
    assert older["feedbacks_generated"] == 1
    assert "playbooks_generated" not in older
    both = await playbooks(api, status_filter=["pending"])
    assert {one["agent_version"] for one in both} == {"agent-v0", "v2"}
    manual = (await api.post("/api/manual_feedback_generation", json={"agent_version": "v2"})).json()
    assert manual["feedbacks_generated"] == 0  # it is current already


def _named(path: str, extractor: str) -> dict:
    """A body that asks for one extractor, as the route has it."""
    return {"extractor_names": [extractor]} if "profile" in path else {"playbook_name": extractor}


@SQLITE
async def test_unknown_users_and_extractors_are_told(api, app):
    """404 for a user of whom nothing was published, 422 with the nearest name for the rest; nothing starts."""
    await taught(api)
    for path in (*RERUNS, *MANUALS):
        unknown = await api.post(path, json={"user_id": "nobody"})
        assert (unknown.status_code, unknown.json()["error"]) == (404, "NotFound"), path
        assert "nobody" in unknown.json()["message"]
        wrong = await api.post(path, json=_named(path, "no_such"))
        assert wrong.status_code == 422, path
        assert "default_" in wrong.json()["message"]
        meant = "default_profile_extractor" if "profile" in path else "default_playbook_extractor"
        slip = await api.post(path, json=_named(path, f"{meant}s"))
        assert (slip.status_code, f"; did you mean {meant}?" in slip.json()["message"]) == (422, True)
    await publish(api, "I live in Lyon.", user_id="ben", agent_version="v2")
    for path in (RERUNS[1], MANUALS[1]):
        slip = await api.post(path, json={"agent_version": "v2.0"})
        says = "agent_version: there is no agent version 'v2.0'; did you mean v2?"
        assert (slip.status_code, slip.json()["message"]) == (422, says), path
    assert (await api.get("/api/operations")).json()["operations"] == []


@SQLITE
@pytest.mark.parametrize(("kind", "switch"), [("profile", "profile"), ("playbook", "user_playbook")])
async def test_learning_that_is_switched_off_is_refused_and_keeps_what_is_pending(api, kind, switch):
    """422 names the switch, also where an extractor is named; nothing starts, and no PENDING is thrown away."""
    await taught(api)
    rerun = f"/api/rerun_{kind}_generation?wait_for_response=true"
    made = (await api.post(rerun, json={})).json()[f"{kind}s_generated"]
    await api.post("/api/set_config", json={f"{switch}_extraction_enabled": False})
    name = f"default_{kind}_extractor"
    for path in (rerun, f"/api/manual_{kind}_generation"):
        for body in ({}, _named(path, name)):
            refused = await api.post(path, json=body)
            assert refused.status_code == 422, path
            assert f"{switch}_extraction_enabled is false" in refused.json()["message"]
    assert len((await api.get("/api/operations")).json()["operations"]) == 1
    pending = await api.post(f"/api/get_{switch}s", json={"user_id": "anna", "status_filter": ["pending"]})
    assert len(pending.json()[f"{switch}s" if kind == "playbook" else "user_profiles"]) == made > 0


@SQLITE
async def test_wrong_bodies_are_refused(api):
    """What makes no sense is a 422 that names the field, and nothing starts."""
    for field, body in (
        ("end_time", {"start_time": "2026-05-02T00:00:00", "end_time": "2026-05-02T00:00:00"}),
        ("end_time", {"start_time": "2026-05-02T00:00:00", "end_time": "2026-05-01T00:00:00Z"}),
        ("start_time", {"start_time": "yesterday"}),
        ("user_id", {"user_id": ""}),
        ("NUL", {"user_id": "a\x00"}),
        ("user_id", {"user_id": "x" * 10_000}),
        ("user_id", {"user_id": 5}),
    ):
        for path in RERUNS:
            refused = await api.post(path, json=body)
            assert refused.status_code == 422, (path, refused.text)
            assert field in refused.json()["message"]
    assert (await api.get("/api/operations")).json()["operations"] == []


@SQLITE
async def test_where_nobody_ever_said_anything_there_is_nothing_to_do(api):
    """Without any user a run is over when it starts."""
    answer = (await api.post("/api/rerun_profile_generation", json={})).json()
    assert (answer["success"], answer["profiles_generated"]) == (True, 0)
    assert (await standing(api, answer["operation_id"]))["status"] == "completed"


@SQLITE
async def test_one_slow_user_delays_no_other(api, app):
    """While one user's part cannot be done, all others' parts are."""
    for user_id in ("anna", "ben", "cleo"):
        await publish(api, "I live in Lyon.", user_id=user_id)
    async with held_back(app, "anna"):
        answer = (await api.post("/api/rerun_profile_generation", json={})).json()

        async def others_are_done() -> bool:
            found = await standing(api, answer["operation_id"])
            return found["processed_user_ids"] == ["ben", "cleo"]

        await until(others_are_done)
        status = await standing(api, answer["operation_id"])
        assert (status["status"], status["progress_percentage"]) == ("in_progress", 66.7)


async def test_starting_is_limited_a_minute(tmp_path):
    """The sixth start within a minute is told to wait; older names share the allowance."""
    async with running(settings_in(tmp_path, rate_limits=True)) as app, client_of(app) as api:
        for path in ("/api/rerun_playbook_generation",) * 3 + ("/api/rerun_feedback_generation",) * 2:
            assert (await api.post(path, json={})).status_code == 200
        refused = await api.post("/api/rerun_playbook_generation", json={})
        assert (refused.status_code, refused.json()["error"]) == (429, "RateLimited")
        assert (await api.post("/api/rerun_profile_generation", json={})).status_code == 200
