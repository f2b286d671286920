"""Generation, versions and operations as their clients know them: fields, defaults and nulls, in both vocabularies."""

from sagacity.api.vocabulary import AGGREGATION_NAMES, GENERATION_NAMES, NO_NAMES, OLDER_ROUTES, VERSION_NAMES
from support.api import delete
from support.databases import SQLITE
from support.operations import ended

PLAYBOOKS = "default_playbook_extractor"
TURNS = ("I live in Lyon.", "No, please always answer in French, not in English.")
SPAN = ("start_time", "end_time")
RUN = {"success", "msg", "operation_id"}
SWAP_FIELDS = ("user_id", "profile_ids", "only_affected_users")
ROWS = {
    "rerun_profile_generation": (("user_id", *SPAN, "source", "extractor_names"), RUN),
    "manual_profile_generation": (
        ("user_id", "source", "extractor_names"),
        RUN | {"profiles_generated", "operation_status"},
    ),
    "rerun_playbook_generation": (("agent_version", *SPAN, "playbook_name", "source"), RUN),
    "manual_playbook_generation": (
        ("agent_version", "source", "playbook_name"),
        RUN | {"playbooks_generated", "operation_status"},
    ),
    "upgrade_all_profiles": (
        SWAP_FIELDS,
        {"success", "message", "profiles_archived", "profiles_promoted", "profiles_deleted"},
    ),
    "downgrade_all_profiles": (
        SWAP_FIELDS,
        {"success", "message", "profiles_demoted", "profiles_restored"},
    ),
    "upgrade_all_user_playbooks": (
        ("agent_version", "playbook_name", "archive_current"),
        {"success", "message"} | {f"user_playbooks_{moved}" for moved in ("deleted", "archived", "promoted")},
    ),
    "downgrade_all_user_playbooks": (
        ("agent_version", "playbook_name"),
        {"success", "message", "user_playbooks_demoted", "user_playbooks_restored"},
    ),
    "cancel_operation": (("service_name",), {"success", "msg", "cancelled_services", "operation_ids"}),
}
"""By route: what a client may send, all of it optional, and what it is answered."""
OLDER = {
    older.strip("/"): (current.strip("/"), names)
    for older, (current, names) in OLDER_ROUTES.items()
    if names in (GENERATION_NAMES, AGGREGATION_NAMES, VERSION_NAMES)
}

AGGREGATIONS = {"run_playbook_aggregation": NO_NAMES, "run_feedback_aggregation": AGGREGATION_NAMES}
VERSIONS = ({}, {"agent_version": ""})


async def _taught(api, *users: str, version: str = "") -> None:
    for user_id in users:
        body = {
            "user_id": user_id,
            "agent_version": version,
            "skip_aggregation": True,
            "force_extraction": True,
            "interaction_data_list": [{"content": content} for content in TURNS],
        }
        reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body)
        assert reply.status_code == 200, reply.text


async def _post(api, route: str, **body) -> dict:
    reply = await api.post(f"/api/{route}", json=body)
    assert reply.status_code == 200, (route, reply.text)
    return reply.json()


async def _ended(api, answer: dict) -> dict:
    return await ended(api, answer["operation_id"])


def _under(names, fields) -> set[str]:
    return {names.get(field, field) for field in fields}


def _nulls(value: object) -> list[object]:
    """The nulls in a reply, at any depth."""
    if isinstance(value, dict):
        return [found for one in value.values() for found in _nulls(one)]
    if isinstance(value, list):
        return [found for one in value for found in _nulls(one)]
    return [value] if value is None else []


def test_every_older_name_of_these_routes_is_known():
    """The five that older clients call, each with the older words for its fields."""
    assert sorted(OLDER) == [
        "downgrade_all_raw_feedbacks",
        "manual_feedback_generation",
        "rerun_feedback_generation",
        "run_feedback_aggregation",
        "upgrade_all_raw_feedbacks",
    ]


@SQLITE
async def test_nulls_ask_for_nothing_and_come_back_never(api):
    """A client that sends null for each field asks for all, and is answered with these fields and no null."""
    await _taught(api, "anna")
    for route in (*ROWS, *sorted(set(OLDER) - {"run_feedback_aggregation"})):
        current, names = OLDER.get(route, (route, NO_NAMES))
        sent, answered = ROWS[current]
        answer = await _post(api, route, **dict.fromkeys(_under(names, sent)))
        assert set(answer) == _under(names, answered), route
        assert _nulls(answer) == [], route
        if "operation_id" in answer:
            status = await _ended(api, answer)
            assert (status["status"], status["total_users"]) == ("completed", 1), route


@SQLITE
async def test_aggregation_answers_in_its_route_s_words(api):
    """Success and a message with the counts, and the counts as fields; the name has to be given."""
    await _taught(api, "anna", "ben")
    counts = {"playbooks_processed", "playbooks_generated", "playbooks_updated", "playbooks_archived"}
    others = {"success", "message", "msg", "clusters", "clusters_failed", "operation_id", "operation_status"}
    for route, names in AGGREGATIONS.items():
        field = "feedback_name" if names else "playbook_name"
        answer = await _post(api, route, **{field: PLAYBOOKS, "agent_version": None})
        assert set(answer) == _under(names, counts) | others
        assert _nulls(answer) == []
        assert (answer["success"], answer[names.get("playbooks_processed", "playbooks_processed")]) == (
            True,
            2,
        )
        assert answer["message"].startswith("processed 2 user playbooks, found 1 cluster, generated ")
        for body in ({}, {field: None}, {field: "  "}):
            assert (await api.post(f"/api/{route}", json=body)).status_code == 422, (route, body)
    assert len((await _post(api, "get_feedbacks"))["feedbacks"]) == 1


@SQLITE
async def test_the_agent_version_is_agent_v0_unless_it_is_named(api):
    """Not given or empty it is the same; what was learned with another version is not looked at."""
    await _taught(api, "anna", version="agent-v0")
    await _taught(api, "ben", version="v2")
    for route, counted in (
        ("rerun_playbook_generation", "playbooks_generated"),
        ("run_feedback_aggregation", "raw_feedbacks_processed"),
    ):
        name = "feedback_name" if "feedback" in route else "playbook_name"
        for version in VERSIONS:
            answer = await _post(api, f"{route}?wait_for_response=true", **{name: PLAYBOOKS} | version)
            assert answer[counted] == 1, (route, version)
    for version in VERSIONS:
        await delete(api, "/api/delete_all_user_playbooks")
        await _post(api, "manual_feedback_generation", **version)
        listed = await _post(api, "get_user_playbooks")
        assert [one["agent_version"] for one in listed["user_playbooks"]] == ["agent-v0"], version


@SQLITE
async def test_an_older_client_reruns_upgrades_and_takes_back(api):
    """The whole way in older words: fields sent, fields answered, the service's name."""
    await _taught(api, "anna", "ben")
    rerun = await _post(
        api, "rerun_feedback_generation", feedback_name=PLAYBOOKS, agent_version="agent-v0", source=None
    )
    params = {"service_name": "feedback_generation"}
    followed = (await api.get("/api/get_operation_status", params=params)).json()
    assert followed["operation_status"]["operation_id"] == rerun["operation_id"]
    assert (await _ended(api, rerun))["stats"]["total_generated"] == 2
    pending = (await _post(api, "get_raw_feedbacks", status_filter=["pending"]))["raw_feedbacks"]
    assert [one["feedback_name"] for one in pending] == [PLAYBOOKS] * 2
    ids = [one["raw_feedback_id"] for one in pending]
    one = await _post(api, "upgrade_all_raw_feedbacks", raw_feedback_ids=ids[:1])
    assert (one["raw_feedbacks_promoted"], one["raw_feedbacks_archived"]) == (1, 0)
    rest = await _post(api, "upgrade_all_raw_feedbacks", feedback_name=PLAYBOOKS)
    assert (rest["raw_feedbacks_promoted"], rest["raw_feedbacks_archived"]) == (1, 3)
    back = await _post(api, "downgrade_all_raw_feedbacks", feedback_name=PLAYBOOKS, agent_version="agent-v0")
    assert (back["raw_feedbacks_restored"], back["raw_feedbacks_demoted"]) == (3, 1)
    other = await _post(api, "downgrade_all_raw_feedbacks", feedback_name=PLAYBOOKS, user_id="nobody")
    assert other["success"] is False


@SQLITE
async def test_a_status_has_the_fields_that_clients_read(api):
    """All of the record, its lists also when they are empty; what is null is left out."""
    await _taught(api, "anna")
    await _ended(api, await _post(api, "rerun_profile_generation", user_id="anna"))
    reply = (await api.get("/api/get_operation_status")).json()
    status = reply["operation_status"]
    assert set(reply) == {"success", "msg", "operation_status"}
    told = {
        "service_name": "profile_generation",
        "status": "completed",
        "total_users": 1,
        "processed_users": 1,
        "failed_users": 0,
        "processed_user_ids": ["anna"],
        "failed_user_ids": [],
        "request_params": {"user_id": "anna"},
        "stats": {"total_interactions_processed": 2, "total_generated": 1},
        "progress_percentage": 100.0,
    }
    assert {name: status[name] for name in told} == told
    assert status["completed_at"] >= status["started_at"]
    assert _nulls(reply) == []
    cancelled = await _post(api, "cancel_operation", service_name="feedback_generation")
    assert (cancelled["success"], cancelled["cancelled_services"]) == (True, [])


@SQLITE
async def test_change_logs_keep_their_nulls(api):
    """The two change logs say null where nothing is; a client reads each field of what they snapshot."""
    await _taught(api, "anna", "ben")
    await _post(api, "run_playbook_aggregation", playbook_name=PLAYBOOKS)
    params = {"playbook_name": PLAYBOOKS, "agent_version": "agent-v0"}
    shared = (await api.get("/api/playbook_aggregation_change_logs", params=params)).json()
    [log] = shared["change_logs"]
    [added] = log["added_agent_playbooks"]
    assert (added["blocking_issue"], added["playbook_status"]) == (None, "pending")
    learned = (await api.get("/api/profile_change_log")).json()["profile_change_logs"]
    assert {one["user_id"] for one in learned} == {"anna", "ben"}
    assert [one["added_profiles"][0]["status"] for one in learned] == [None, None]
