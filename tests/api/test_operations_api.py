"""Long runs that someone started: how they stand, the list of them, cancelling."""

import re
from datetime import timedelta

from sagacity.domain.operation import ItemStatus
from support.api import client_of, make_token, publish
from support.databases import SQLITE
from support.operations import LOCAL_TENANT, ended, held_back, standing

STATUS = "/api/get_operation_status"


async def start(api, path: str = "/api/rerun_profile_generation", **body) -> str:
    reply = await api.post(path, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()["operation_id"]


async def cancel(api, **body) -> dict:
    reply = await api.post("/api/cancel_operation", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


@SQLITE
async def test_what_never_ran_is_said_so(api):
    """No run of a service is no error: `success` is false. A run that is not there is a 404."""
    for query in ({}, {"service_name": "playbook_generation"}, {"service_name": "feedback_generation"}):
        reply = await api.get(STATUS, params=query)
        assert (reply.status_code, reply.json()["success"]) == (200, False)
        assert "has never run" in reply.json()["msg"]
        assert "operation_status" not in reply.json()
    unknown = await api.get(STATUS, params={"operation_id": "nowhere"})
    assert (unknown.status_code, unknown.json()["error"]) == (404, "NotFound")
    assert (await api.post("/api/cancel_operation", json={"operation_id": "nowhere"})).status_code == 404


@SQLITE
async def test_wrong_questions_are_refused(api):
    """Unknown services and states, impossible limits and ids are a 422."""
    for path, query in (
        (STATUS, {"service_name": "tea"}),
        (STATUS, {"operation_id": ""}),
        (STATUS, {"operation_id": "a\x00"}),
        (STATUS, {"operation_id": "x" * 600}),
        ("/api/operations", {"service_name": "tea"}),
        ("/api/operations", {"status": "lost"}),
        ("/api/operations", {"limit": 0}),
        ("/api/operations", {"limit": 10**30}),
    ):
        assert (await api.get(path, params=query)).status_code == 422, query
    for body in ({"service_name": "tea"}, {"operation_id": " "}, {"operation_id": "a\x00"}):
        assert (await api.post("/api/cancel_operation", json=body)).status_code == 422, body


async def test_a_run_tells_how_far_it_is_and_what_failed(api, app):
    """Counts over users, their names, turns and memories, errors by user, and who is being worked on."""
    for user_id in ("anna", "ben", "cleo", "dan"):
        await publish(api, "I live in Lyon.", user_id=user_id)
    async with held_back(app, "anna", "ben", "cleo", "dan"):
        operation_id = await start(api, source="support")
        async with app.state.runtime.storage.begin(LOCAL_TENANT) as transaction:
            items = await transaction.operations.items(operation_id, limit=10)
            anna, ben, cleo, _ = items
            await transaction.operations.advance(anna, turns=12, generated=3)
            await transaction.operations.settle(anna, ItemStatus.DONE)
            await transaction.operations.settle(ben, ItemStatus.FAILED, error="the model refused")
            await transaction.operations.advance(cleo, turns=5, generated=1)
        status = await standing(api, operation_id)
        assert {name: status[name] for name in ("service_name", "mode", "status", "request_params")} == {
            "service_name": "profile_generation",
            "mode": "rerun",
            "status": "in_progress",
            "request_params": {"source": "support"},
        }
        assert (status["total_users"], status["processed_users"], status["failed_users"]) == (4, 1, 1)
        assert (status["progress_percentage"], status["current_user_id"]) == (50.0, "cleo")
        assert status["processed_user_ids"] == ["anna"]
        assert status["failed_user_ids"] == [{"user_id": "ben", "error": "the model refused"}]
        assert status["stats"] == {"total_interactions_processed": 17, "total_generated": 4}
        assert "completed_at" not in status
        newest = (await api.get(STATUS)).json()
        assert newest["operation_status"] == status
        assert "1 of 4 users, 17 turns read, 4 generated, 1 user failed" in newest["msg"]
        assert "error_message" not in status
        async with app.state.runtime.storage.begin(LOCAL_TENANT) as transaction:
            later = app.state.runtime.clock.now() + timedelta(minutes=1)
            await transaction.operations.postpone(cleo, attempts=1, next_try_at=later, error="model away")
        assert (await standing(api, operation_id))["error_message"] == "model away"
        await cancel(api, operation_id=operation_id)


async def test_runs_are_listed_newest_first(api):
    """By service and state, so many at the most, without the names of users."""
    await publish(api, "I live in Lyon.")
    ids = []
    for path in ("/api/rerun_profile_generation", "/api/rerun_playbook_generation") * 2:
        ids.append(await start(api, path))
        await ended(api, ids[-1])

    async def listed(**query) -> list[str]:
        return [
            one["operation_id"]
            for one in (await api.get("/api/operations", params=query)).json()["operations"]
        ]

    everything = (await api.get("/api/operations")).json()
    assert everything["msg"] == "4 operations"
    assert (await api.get("/api/operations", params={"limit": 1})).json()["msg"] == "1 operation"
    assert await listed() == ids[::-1]
    assert await listed(limit=1) == ids[:2:-1]
    assert await listed(service_name="profile_generation") == [ids[2], ids[0]]
    assert await listed(service_name="feedback_generation") == [ids[3], ids[1]]
    assert await listed(status="completed", limit=10_000) == ids[::-1]
    assert await listed(status="in_progress") == []
    newest = (await api.get(STATUS, params={"service_name": "playbook_generation"})).json()
    assert newest["operation_status"]["operation_id"] == ids[3]


async def test_a_cancelled_run_stops_and_its_service_is_free(api, app):
    """Users not begun are left out at once; with none left the run has ended, and the next one may start."""
    for user_id in ("anna", "ben"):
        await publish(api, "I live in Lyon.", user_id=user_id)
    async with held_back(app, "anna", "ben"):
        operation_id = await start(api)
        answer = await cancel(api, service_name="profile_generation")
        assert answer["cancelled_services"] == ["profile_generation"]
        assert answer["operation_ids"] == [operation_id]
        status = await standing(api, operation_id)
        assert (status["status"], status["cancel_requested"]) == ("cancelled", True)
        assert (status["processed_user_ids"], status["failed_user_ids"]) == ([], [])
        await cancel(api, operation_id=await start(api))
    assert (await ended(api, await start(api)))["status"] == "completed"


@SQLITE
async def test_a_run_that_was_begun_stops_between_two_windows(api, app):
    """Told to stop it is in progress until whoever works on it hears of it; what was written stays."""
    await publish(api, "I live in Lyon.")
    async with held_back(app, "anna"):
        operation_id = await start(api)
        async with app.state.runtime.storage.begin(LOCAL_TENANT) as transaction:
            [item] = await transaction.operations.items(operation_id, limit=10)
            await transaction.operations.advance(item, turns=1, generated=1)
        await cancel(api, operation_id=operation_id)
        status = await standing(api, operation_id)
        assert (status["status"], status["cancel_requested"]) == ("in_progress", True)
    status = await ended(api, operation_id)
    assert (status["status"], status["stats"]["total_generated"]) == ("cancelled", 1)


@SQLITE
async def test_cancelling_without_a_name_stops_all_and_nothing_is_said_so(api, app):
    """Both services at once; a second time there is nothing to cancel, and an ended run stays as it is."""
    await publish(api, "I live in Lyon.")
    async with held_back(app, "anna"):
        ids = [await start(api), await start(api, "/api/rerun_playbook_generation")]
        answer = await cancel(api)
        assert sorted(answer["cancelled_services"]) == ["playbook_generation", "profile_generation"]
        assert sorted(answer["operation_ids"]) == sorted(ids)
    for body in ({}, {"operation_id": ids[0]}, {"service_name": "feedback_generation"}):
        answer = await cancel(api, **body)
        assert (answer["success"], answer["cancelled_services"]) == (True, [])
        if body:
            assert re.search(
                r"is not running any more: it was cancelled at \d{4}-\d\d-\d\d \d\d:", answer["msg"]
            )
        else:
            assert "nothing is running" in answer["msg"]
    completed = await start(api)
    await ended(api, completed)
    told = (await cancel(api, operation_id=completed))["msg"]
    assert told.startswith(f"profile_generation {completed} is not running any more: it was completed at 20")


@SQLITE
async def test_another_organisations_runs_are_unknown(app):
    """Neither seen nor cancelled nor in the way."""
    mine, theirs = await make_token(app, "alpha"), await make_token(app, "beta")
    async with client_of(app, token=mine) as api, client_of(app, token=theirs) as other:
        await publish(other, "I live in Lyon.")
        operation_id = await start(other)
        assert (await api.get(STATUS, params={"operation_id": operation_id})).status_code == 404
        refused = await api.post("/api/cancel_operation", json={"operation_id": operation_id})
        assert refused.status_code == 404
        assert (await cancel(api))["operation_ids"] == []
        assert (await api.get("/api/operations")).json()["operations"] == []
        assert (await api.get(STATUS)).json()["success"] is False
        await start(api)
        assert (await ended(other, operation_id))["status"] == "completed"
