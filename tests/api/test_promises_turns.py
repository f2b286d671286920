"""Promises about what is sent in: every turn is stored once, learned once and to the last, and found again."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from sagacity.domain.errors import Conflict
from sagacity.domain.ids import UserId
from support.api import client_of, profiles_of, publish, running, settings_in, turns
from support.databases import SQLITE
from support.operations import statements
from support.promises import HERE, NAME, ask, choose, log_of, receipt, taught_playbooks, teach
from support.scripted_llm import as_json, scripted_llm
from support.waiting import until

FOODS = "cheese rice tea coffee honey plums bread soup pears beans figs nuts olives oats".split()


async def test_01_a_long_publish_is_learned_to_its_last_turn(api):
    """Of fifteen turns sent at once, the first, the middle ones and the last, which corrects the first, all count."""
    said = [
        "I live in Lyon.",
        *(f"I like {food}." for food in FOODS[:13]),
        "I moved to Nice. I live in Nice now.",
    ]
    await teach(api, *said)
    assert [turn["content"] for turn in await log_of(api)] == said[::-1]
    current = " ".join(await statements(api, "anna")).lower()
    assert [food for food in FOODS[:13] if food not in current] == []
    assert "nice" in current
    assert "lyon" not in current


async def test_02_what_is_acknowledged_is_stored_and_can_be_followed(tmp_path, database_url):
    """When the reply comes, another process finds the turns; what is not valid is refused and leaves nothing."""
    settings = settings_in(tmp_path, database_url=database_url, quiet_seconds=0.2)
    async with running(settings) as one, client_of(one) as here:
        bad = turns("I live in Lyon.") | {"interaction_data_list": [{"content": "fine"}, {"content": 5}]}
        assert (await here.post("/api/publish_interaction", json=bad)).status_code == 422
        request_id = await publish(here, "I live in Lyon.")
        async with running(settings) as other, client_of(other) as there:
            assert [turn["content"] for turn in await log_of(there)] == ["I live in Lyon."]

            async def learned() -> bool:
                return (await receipt(there, request_id))["state"] == "learned"

            await until(learned)
            assert ["Lyon" in one for one in await statements(there, "anna")] == [True]


async def test_03_users_who_publish_together_are_all_learned_each_from_their_own_turns(api):
    """Nobody's lock keeps another user's lesson away, and none is learned from someone else's request."""
    tools = {"ana": "pnpm", "ben": "poetry", "cleo": "bazel", "dan": "gradle"}

    async def correct(user: str, tool: str) -> str:
        said = [
            {"role": "Assistant", "content": "Run npm install to add the client."},
            {"role": "User", "content": f"I just said we use {tool}, not npm."},
        ]
        body = {"user_id": user, "interaction_data_list": said, "force_extraction": True}
        return (await ask(api, "publish_interaction", **body))["request_id"]

    ids = await asyncio.gather(*(correct(user, tool) for user, tool in tools.items()))
    for (user, tool), request_id in zip(tools.items(), ids, strict=True):

        async def learned(request_id=request_id) -> bool:
            return (await receipt(api, request_id))["state"] == "learned"

        await until(learned)
        [playbook] = (await ask(api, "get_user_playbooks", user_id=user))["user_playbooks"]
        assert playbook["content"] == f"Use {tool}, not npm."
        assert playbook["request_id"] == request_id


async def test_04_a_lease_excludes_until_it_lapses_and_then_the_former_holder_can_not_write(api, app):
    """Waiters do not touch it, a silent holder loses it, and what that one would write is refused."""
    storage = app.state.runtime.storage
    async with storage.begin(HERE) as transaction:
        held = await transaction.leases.claim("learn", "a worker", 600, user_id=UserId("anna"))
    waiting = asyncio.create_task(teach(api, "I live in Lyon."))
    for n in range(5):
        async with storage.begin(HERE) as transaction:
            assert await transaction.leases.claim("learn", f"waiter {n}", 600, user_id=UserId("anna")) is None
    assert (await profiles_of(api), waiting.done()) == ([], False)
    async with storage.begin(HERE) as transaction:
        await transaction.leases.check(held)
        kept = await transaction.leases.claim(
            "learn", "a worker", 0.2, user_id=UserId("anna")
        )  # its last sign of life
    assert kept is not None
    assert kept.fencing == held.fencing
    await waiting  # whoever of the waiters came next has learned it
    assert [profile["content"] for profile in await profiles_of(api)] == ["Lives in Lyon."]

    async def write_late() -> None:
        async with storage.begin(HERE) as transaction:
            await transaction.cursors.set_due(UserId("anna"), datetime(2030, 1, 1, tzinfo=UTC))
            await transaction.leases.check(held)

    with pytest.raises(Conflict):
        await write_late()
    async with storage.read(HERE) as snapshot:
        assert (await snapshot.cursors.log_head(UserId("anna"))).due_at != datetime(2030, 1, 1, tzinfo=UTC)


async def test_05_of_many_who_want_one_piece_of_work_exactly_one_gets_it(api, app):
    """Eight at once: one holder, and the others are told that it runs."""
    storage = app.state.runtime.storage

    async def claim(n: int) -> str | None:
        async with storage.begin(HERE) as transaction:
            lease = await transaction.leases.claim("distil", f"w{n}", 600)
        return None if lease is None else lease.owner

    [owner] = filter(None, await asyncio.gather(*(claim(n) for n in range(8))))
    await taught_playbooks(api, ("ana", "Use pnpm for packages."), ("ben", "Use pnpm for all packages."))
    path = "/api/run_playbook_aggregation?wait_for_response=false"
    replies = await asyncio.gather(*(api.post(path, json={"playbook_name": NAME}) for _ in range(8)))
    assert sorted(reply.status_code for reply in replies) == [200] + [409] * 7
    assert owner.startswith("w")


@SQLITE
async def test_11_what_taught_nothing_is_read_once_and_its_outcome_kept(tmp_path, database_url):
    """A window without anything to learn moves the cursor like any other: no model is asked about it again."""
    settings = settings_in(tmp_path, database_url=database_url, quiet_seconds=0.2)
    with scripted_llm() as model:
        model.answer_with(as_json({"profiles": [], "playbooks": []}))
        async with running(settings) as app, client_of(app) as api:
            await choose(api, model)
            first = await teach(api, "The weather report said that it rains in the mountains today.")
            asked = len(model.requests)
            assert asked > 0
            progress = (await receipt(api, first["request_id"]))["learners"]
            assert {(one["state"], one["outcome"]) for one in progress} == {("learned", "nothing")}
            for _ in range(3):
                await app.state.runtime.tasks.run_now(HERE, UserId("anna"), "learn", force=True)
            assert len(model.requests) == asked
            await teach(api, "The second report said that it snows in the valleys tomorrow.")
            assert len(model.requests) == 2 * asked


async def test_16_turns_are_found_by_when_they_came(api):
    """A search between two moments gives the turns between them: none before, none after, with a query or without."""
    now = datetime.now(UTC)
    await publish(api, "A zebra crossed the road.", request_id="r1")
    hour, day = timedelta(hours=1), timedelta(days=1)
    for query in ("zebra", None):
        for start, end, count in (
            (now - hour, now + hour, 1),
            (now - hour, None, 1),
            (None, now + hour, 1),
            (now + hour, None, 0),
            (None, now - hour, 0),
            (now - day, now - hour, 0),
        ):
            span = {"start_time": start and start.isoformat(), "end_time": end and end.isoformat()}
            found = await ask(api, "search_interactions", user_id="anna", query=query, **span)
            assert len(found["interactions"]) == count, (query, start, end)


async def test_19_a_publish_that_is_sent_again_is_stored_and_learned_once(api):
    """Ten tries under one id at the same moment, and one later, get one reply; another content under it is refused."""
    body = turns("I live in Lyon.", request_id="r1", force_extraction=True)
    tries = await asyncio.gather(*(ask(api, "publish_interaction", **body) for _ in range(10)))
    again = await ask(api, "publish_interaction?wait_for_response=true", **body)
    assert {one["request_id"] for one in (*tries, again)} == {"r1"}
    assert [turn["content"] for turn in await log_of(api)] == ["I live in Lyon."]
    assert len(await profiles_of(api)) == 1
    other = await api.post("/api/publish_interaction", json=turns("I live in Nice.", request_id="r1"))
    assert (other.status_code, other.json()["error"]) == (409, "Conflict")
