"""Aggregation over HTTP: run, refused, by itself; and what an approval does."""

import asyncio

import pytest

from sagacity.dispatch.lease import acquire_lease
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.promises import BY_HAND, choose
from support.waiting import until

NAME, VERSION = "default_playbook_extractor", "agent-v0"
BODY = {"playbook_name": NAME}


async def _taught(api, *said: tuple[str, str]) -> None:
    playbooks = [
        {"user_id": user, "playbook_name": NAME, "agent_version": VERSION, "content": content}
        for user, content in said
    ]
    reply = await api.post("/api/add_user_playbook", json={"user_playbooks": playbooks})
    assert reply.json()["added_count"] == len(said)


async def _run(api, path: str = "/api/run_playbook_aggregation") -> dict:
    reply = await api.post(path, json=BODY)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def _shared(api, **body) -> list[dict]:
    return (await api.post("/api/get_agent_playbooks", json=body)).json()["agent_playbooks"]


async def _logs(api) -> list[dict]:
    params = {"playbook_name": NAME, "agent_version": VERSION}
    return (await api.get("/api/playbook_aggregation_change_logs", params=params)).json()["change_logs"]


async def _decide(api, playbook: dict, verdict: str) -> dict:
    body = {"agent_playbook_id": playbook["agent_playbook_id"], "playbook_status": verdict}
    reply = await api.put("/api/update_agent_playbook_status", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_a_run_answers_with_what_came_of_it(api):
    """Counts, the operation that it was, and a playbook that waits and says who stands behind it."""
    await choose(api, **BY_HAND)
    await _taught(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))
    done = await _run(api)
    assert (done["success"], done["playbooks_processed"], done["clusters"]) == (True, 2, 1)
    assert (done["playbooks_generated"], done["operation_status"]["status"]) == (1, "completed")
    assert done["operation_status"]["stats"]["total_generated"] == 1
    assert "processed 2 user playbooks, found 1 cluster, generated 1 agent playbook" in done["message"]
    [made] = await _shared(api)
    assert (made["playbook_status"], made["member_count"], made["user_count"]) == ("pending", 2, 2)
    [log] = await _logs(api)
    assert log["run_mode"] == "full_archive"
    assert [one["agent_playbook_id"] for one in log["added_agent_playbooks"]] == [made["agent_playbook_id"]]


async def test_the_older_name_answers_with_older_fields(api):
    """Clients of the older route find their counts under the names they know."""
    await choose(api, **BY_HAND)
    await _taught(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))
    reply = await api.post("/api/run_feedback_aggregation", json={"feedback_name": NAME})
    assert (reply.json()["feedbacks_generated"], reply.json()["raw_feedbacks_processed"]) == (1, 2)


async def test_an_unknown_name_is_refused_and_those_known_are_named(api):
    """A slip of the pen is told apart from nothing to do."""
    reply = await api.post("/api/run_playbook_aggregation", json={"playbook_name": "other"})
    assert (reply.status_code, NAME in reply.json()["detail"]) == (422, True)
    assert (await api.post("/api/run_playbook_aggregation", json={})).status_code == 422


async def test_where_aggregation_is_off_the_run_says_so(api):
    """Nothing is written, and the reply says why."""
    extractor = {"extractor_name": NAME, "extraction_definition_prompt": "x", "aggregation_config": None}
    config = {"user_playbook_extractor_configs": [extractor]}
    assert (await api.post("/api/set_config", json=config)).status_code == 200
    await _taught(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))
    done = await _run(api)
    assert (done["message"].startswith("Skipped: "), await _shared(api)) == (True, [])


async def test_what_is_there_already_is_aggregated_when_that_is_turned_on(api):
    """Nobody teaches anything more: the new configuration itself is what wakes it."""
    extractor = {"extractor_name": NAME, "extraction_definition_prompt": "x", "aggregation_config": None}
    config = {"user_playbook_extractor_configs": [extractor]}
    assert (await api.post("/api/set_config", json=config)).status_code == 200
    await _taught(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))
    extractor["aggregation_config"] = {"reaggregation_trigger_count": 2}
    assert (await api.post("/api/set_config", json=config)).status_code == 200

    async def is_aggregated() -> bool:
        return len(await _shared(api)) == 1

    await until(is_aggregated)


async def test_playbooks_written_over_the_api_are_aggregated_by_themselves(api):
    """As those that were learned; and an edit of one reaches what was made of them."""
    await _taught(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))

    async def aggregated() -> list[str]:
        return [one["content"] for one in await _shared(api) if one["playbook_status"] == "pending"]

    await until(aggregated)
    for one in (await api.post("/api/get_user_playbooks", json={})).json()["user_playbooks"]:
        edited = {"user_playbook_id": one["user_playbook_id"], "content": "Use pnpm nine for packages."}
        assert (await api.put("/api/update_user_playbook", json=edited)).status_code == 200

    async def is_new() -> bool:
        return await aggregated() == ["Use pnpm nine for packages."]

    await until(is_new)


async def test_a_call_that_waits_for_nothing_answers_with_the_operation(api, app):
    """It can be followed like any other; a second one while it runs is refused with 409."""
    storage, tenant = app.state.runtime.storage, Tenant(org_id=LOCAL_ORG)
    path = "/api/run_playbook_aggregation?wait_for_response=false"
    async with acquire_lease(storage, tenant, "distil", "a busy worker", seconds=60):
        reply = (await api.post(path, json=BODY)).json()
        assert "playbook_aggregation goes on; follow it with GET " in reply["message"]
        assert (await api.post(path, json=BODY)).status_code == 409

    async def ended() -> bool:
        params = {"operation_id": reply["operation_id"]}
        found = (await api.get("/api/get_operation_status", params=params)).json()
        return found["operation_status"]["status"] == "completed"

    await until(ended)


async def test_an_approved_successor_takes_the_place_of_what_it_names(api):
    """One call, one transaction: the former is archived with its successor named, and serves no more."""
    await _taught(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))
    await _run(api)
    [former] = await _shared(api)
    assert "archived_agent_playbook_ids" in await _decide(api, former, "approved")
    edited = {"agent_playbook_id": former["agent_playbook_id"], "content": "Packages come by pnpm."}
    await api.put("/api/update_agent_playbook", json=edited)
    await _taught(api, ("cleo", "Use pnpm for new packages."))
    await _run(api)
    [proposed] = await _shared(api, playbook_status_filter="pending")
    assert proposed["replaces"] == former["agent_playbook_id"]
    done = await _decide(api, proposed, "approved")
    assert done["archived_agent_playbook_ids"] == [former["agent_playbook_id"]]
    assert [one["agent_playbook_id"] for one in await _shared(api)] == [proposed["agent_playbook_id"]]
    [gone] = await _shared(api, status_filter=["archived"])
    assert (gone["agent_playbook_id"], gone["content"]) == (
        former["agent_playbook_id"],
        "Packages come by pnpm.",
    )


async def test_a_rejected_successor_leaves_what_it_named(api):
    """A no to the new words is no verdict on the old ones."""
    await _taught(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))
    await _run(api)
    [former] = await _shared(api)
    await _decide(api, former, "approved")
    edited = {"agent_playbook_id": former["agent_playbook_id"], "content": "Packages come by pnpm."}
    await api.put("/api/update_agent_playbook", json=edited)
    await _taught(api, ("cleo", "Use pnpm for new packages."))
    await _run(api)
    [proposed] = await _shared(api, playbook_status_filter="pending")
    await _decide(api, proposed, "rejected")
    assert [one["content"] for one in await _shared(api, playbook_status_filter="approved")] == [
        "Packages come by pnpm."
    ]
    await _run(api)
    assert await _shared(api, playbook_status_filter="pending") == []


@pytest.mark.parametrize("user_count", [4])
async def test_users_who_publish_together_all_get_their_playbooks_and_one_for_all(api, user_count: int):
    """No lock of the organisation drops work; what all were taught becomes one playbook by itself."""

    async def publish(user: int) -> None:
        turns = [
            {"role": "Assistant", "content": "Run npm install to add the client."},
            {"role": "User", "content": "I just said we use pnpm, not npm."},
        ]
        body = {"user_id": f"user-{user}", "interaction_data_list": turns, "force_extraction": True}
        reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body)
        assert reply.json()["playbooks_added"] == 1, reply.text

    await asyncio.gather(*(publish(user) for user in range(user_count)))

    async def aggregated() -> bool:
        return bool(await _shared(api))

    await until(aggregated)
    done = await _run(api)
    assert done["playbooks_processed"] == user_count
    [made] = await _shared(api)
    assert (made["user_count"], made["playbook_status"]) == (user_count, "pending")
    assert "pnpm" in made["content"]
