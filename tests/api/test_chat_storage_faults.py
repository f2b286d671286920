"""The database fails while an answer is stored: what is told and what is stored agree, and nothing is there twice."""

import asyncio
import sqlite3
import threading
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.chat.left import HOLD_SECONDS
from sagacity.chat.respond import PREPARED_AT_ONCE
from sagacity.chat.slots import Slots
from sagacity.domain.query import StrategyName
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.schema.tables import exchanges
from support.chatting import ending_of, events_of, said_in, sent, text_of
from support.faults import Faulty, HeldEmbedder, SideBySide, Unreadable, When
from support.parts import StoppedClock
from support.promises import choose
from support.scripted_llm import Answer, scripted_llm
from support.waiting import until

pytestmark = pytest.mark.usefixtures("closed_clients")


@pytest.fixture
def api_clock() -> StoppedClock:
    return StoppedClock()


def ends_an_answer(times: int | None = None) -> When:
    """Break transactions that end an answer: all, or the first few."""
    left, ended = times, 0

    async def when(connection: AsyncConnection) -> bool:
        nonlocal left, ended
        count = sa.select(sa.func.count()).select_from(exchanges).where(exchanges.c.status != "running")
        now = (await connection.execute(count)).scalar_one()
        if now <= ended or left == 0:
            return False
        left = None if left is None else left - 1
        return True

    return when


@pytest.mark.both_databases
@pytest.mark.parametrize("after_commit", [False, True], ids=["before", "after"])
async def test_broken_commit_of_an_answer_is_made_good(
    app: FastAPI, api: httpx.AsyncClient, *, after_commit: bool
) -> None:
    """Also where the answer was stored and nobody heard of it: it is there once, and the stream says so."""
    storage = app.state.runtime.storage
    with scripted_llm() as model:
        model.answer_with(lambda _request: "Fine, thank you.")
        await choose(api, model)
        storage.backend = Faulty(storage.backend, ends_an_answer(times=1), after_commit=after_commit)
        events = await sent(api, "How are you?")
    last = ending_of(events)
    assert (last.name, last.data["status"]) == ("done", "done")
    assert await said_in(api, events[0].data["conversation_id"]) == ["How are you?", "Fine, thank you."]
    reply = await api.get(f"/api/chat/exchanges/{events[0].data['exchange_id']}")
    assert reply.json()["message"]["id"] == last.data["message_id"]


@pytest.mark.both_databases
async def test_answer_that_cannot_be_stored_is_told_as_an_error(
    app: FastAPI, api: httpx.AsyncClient, api_clock: StoppedClock
) -> None:
    """The message is kept; once the database is back the conversation goes on, and the message can be answered."""
    storage = app.state.runtime.storage
    working = storage.backend
    with scripted_llm() as model:
        model.answer_with(lambda _request: "Fine, thank you.")
        await choose(api, model)
        storage.backend = Faulty(working, ends_an_answer(), after_commit=False)
        events = await sent(api, "How are you?")
        last = ending_of(events)
        assert (last.name, last.data["error_kind"], last.data["message_id"]) == (
            "error",
            "StorageError",
            None,
        )
        assert text_of(events) == "Fine, thank you."
        conversation_id = events[0].data["conversation_id"]

        storage.backend = working
        api_clock.advance(HOLD_SECONDS + 1)
        reply = await api.get(f"/api/chat/exchanges/{events[0].data['exchange_id']}")
        assert reply.json()["status"] == "interrupted"
        again = await api.post("/api/chat/retry", json={"conversation_id": conversation_id, "stream": False})
        assert again.json()["message"]["content"] == "Fine, thank you."
    assert await said_in(api, conversation_id) == ["How are you?", "Fine, thank you."]


@pytest.mark.both_databases
async def test_answer_that_nobody_looks_at_is_closed(
    app: FastAPI, api: httpx.AsyncClient, api_clock: StoppedClock
) -> None:
    """As if its process had been killed: in the background, once nobody holds it any more, with what there is of it."""
    runtime = app.state.runtime
    working = runtime.storage.backend
    with scripted_llm() as model:
        model.answer_with(lambda _request: "Fine, thank you.")
        await choose(api, model)
        runtime.storage.backend = Faulty(working, ends_an_answer(), after_commit=False)
        events = await sent(api, "How are you?")
        runtime.storage.backend = working

    async def stored() -> str:
        async with runtime.storage.read(Tenant(org_id=LOCAL_ORG)) as snapshot:
            return str((await snapshot.exchanges.find(events[0].data["exchange_id"])).status)

    await runtime.chat.end_left()
    assert await stored() == "running"
    api_clock.advance(HOLD_SECONDS + 1)
    await runtime.chat.end_left()
    assert await stored() == "interrupted"
    await runtime.chat.end_left()
    assert (await said_in(api, events[0].data["conversation_id"]))[0] == "How are you?"


@pytest.mark.parametrize(
    ("unreadable", "told"),
    [
        ("FROM user_settings", "what is remembered could not be searched"),
        ("search_documents.terms", "what is remembered could not be searched by: keyword"),
        ("(SELECT exchanges.answer_turn", "the conversation so far could not be read"),
    ],
)
async def test_what_cannot_be_remembered_is_told(
    app: FastAPI, api: httpx.AsyncClient, unreadable: str, told: str
) -> None:
    """The message is answered with what there is; its reader, the log and the record say what is missing."""
    first = await sent(api, "How are you?")
    conversation_id = first[0].data["conversation_id"]
    assert "note" not in first[2].data
    storage = app.state.runtime.storage
    working = storage.backend
    storage.backend = Unreadable(working, unreadable)
    events = await sent(api, "What may I eat?", conversation_id=conversation_id)
    storage.backend = working
    assert (ending_of(events).name, ending_of(events).data["status"]) == ("done", "done")
    assert events[2].data["note"] == told
    assert "nothing that answers" not in text_of(events)
    if unreadable == "FROM user_settings":
        assert "could not be searched just now" in text_of(events)

    path = f"/api/chat/exchanges/{events[0].data['exchange_id']}/events"
    again = [one async for one in events_of(api, "GET", path, last_event_id=events[1].event_id)]
    assert again[0].data == events[2].data
    await api.post("/api/v1/analytics/flush")
    records = (await api.get("/api/v1/analytics/requests")).json()["analytics"]
    [record] = [one for one in records if one["message_id"] == events[1].data["message_id"]]
    assert (record["status"], record["error_message"]) == ("partial", told)


async def test_who_reads_an_answer_that_is_written_here_waits_for_no_look_at_the_database(
    app: FastAPI, api: httpx.AsyncClient
) -> None:
    """The look would stand behind those of everybody who asks at that moment, and the answer's pieces behind it."""
    storage = app.state.runtime.storage
    working = storage.backend
    storage.backend = Unreadable(working, "SELECT exchanges.org_id")
    events = await sent(api, "How are you?")
    storage.backend = working
    assert (ending_of(events).name, ending_of(events).data["status"]) == ("done", "done")
    path = f"/api/chat/exchanges/{events[0].data['exchange_id']}"
    storage.backend = Unreadable(working, "SELECT exchanges.org_id")
    assert (await api.get(path)).status_code == 503
    storage.backend = working
    assert (await api.get(path)).status_code == 200


async def test_strategies_run_beside_each_other_and_beside_the_storing(
    app: FastAPI, api: httpx.AsyncClient
) -> None:
    """The question's vector is made, the others look, entities are looked up and the message is stored, all at once."""
    runtime = app.state.runtime
    await api.get("/api/get_config")  # so that it is known
    working, embedder = runtime.storage.backend, runtime.searcher._together._embedder
    together = {"embed": 1, "visit": 2, "write": 1}
    held = SideBySide(working, embedder, together, before={"visit": 1})  # the user's settings
    runtime.storage.backend = runtime.searcher._together._embedder = held
    events = await asyncio.wait_for(sent(api, "what may I eat tomorrow?"), 90)
    runtime.storage.backend, runtime.searcher._together._embedder = working, embedder
    assert (ending_of(events).name, ending_of(events).data["status"]) == ("done", "done")
    assert "note" not in events[2].data
    timings = ending_of(events).data["timings"]
    assert {f"{name}_search" for name in StrategyName} <= set(timings)


async def test_messages_are_prepared_a_few_at_a_time(app: FastAPI, api: httpx.AsyncClient) -> None:
    """All are stored at once; more at a time would be late to begin, and keep the pieces of answers waiting."""
    runtime, count = app.state.runtime, PREPARED_AT_ONCE + 3
    runtime.searcher._together._embedder = held = HeldEmbedder(runtime.searcher._together._embedder)
    runtime.searcher._strategy_seconds = 600  # or the vectors are given up, on a busy machine
    runtime.chat._preparing = Slots(PREPARED_AT_ONCE, seconds=600)
    sending = [asyncio.create_task(sent(api, f"what may I eat on day {number}?")) for number in range(count)]

    async def stored() -> bool:
        kept = (await api.get("/api/chat/conversations")).json()["total"]
        return kept == count and len(held.asked) >= PREPARED_AT_ONCE

    await until(stored)
    for _ in range(10):  # whoever else could begin has had the time to
        await api.get("/api/chat/conversations")
    assert len(held.asked) == PREPARED_AT_ONCE
    held.go_on.set()
    assert {ending_of(events).data["status"] for events in await asyncio.gather(*sending)} == {"done"}
    assert len(held.asked) == count


async def test_an_embedder_that_hangs_holds_up_no_other_message(app: FastAPI, api: httpx.AsyncClient) -> None:
    """Messages that wait for it let the next ones begin."""
    runtime, count = app.state.runtime, PREPARED_AT_ONCE + 3
    runtime.searcher._together._embedder = held = HeldEmbedder(runtime.searcher._together._embedder)
    runtime.searcher._strategy_seconds = 600
    sending = [asyncio.create_task(sent(api, f"what may I eat on day {number}?")) for number in range(count)]

    async def all_begun() -> bool:
        return len(held.asked) == count

    await until(all_begun)
    held.go_on.set()
    assert {ending_of(events).data["status"] for events in await asyncio.gather(*sending)} == {"done"}


async def test_answer_that_is_written_here_is_never_taken_for_interrupted(
    api: httpx.AsyncClient, api_clock: StoppedClock
) -> None:
    """Also where its copy in the database is overdue: this process knows better."""
    gate = threading.Event()
    with scripted_llm() as model:
        model.answer_with(lambda _request: Answer(text="Fine, thank you.", gate=gate, gate_before=1))
        await choose(api, model)
        sending = asyncio.create_task(sent(api, "How are you?"))

        async def begun() -> bool:
            return bool(model.requests)

        await until(begun)
        [conversation] = (await api.get("/api/chat/conversations")).json()["conversations"]
        path = f"/api/chat/conversations/{conversation['id']}/messages"
        exchange_id = (await api.get(path)).json()[0]["id"]
        api_clock.advance(HOLD_SECONDS + 1)
        reply = await api.get(f"/api/chat/exchanges/{exchange_id}")
        assert reply.json()["status"] == "running"
        gate.set()
        assert ending_of(await sending).data["status"] == "done"


@pytest.mark.both_databases
async def test_message_that_cannot_be_stored_is_refused(app: FastAPI, api: httpx.AsyncClient) -> None:
    """By a status, before any stream; nothing of it is there."""

    async def always(_connection: AsyncConnection) -> bool:
        return True

    storage = app.state.runtime.storage
    working = storage.backend
    storage.backend = Faulty(working, always, after_commit=False)
    refused = await api.post("/api/chat/send", json={"content": "How are you?"})
    storage.backend = working
    assert (refused.status_code, refused.json()["error"]) == (503, "StorageUnavailable")
    assert (await api.get("/api/chat/conversations")).json()["total"] == 0
    assert ending_of(await sent(api, "How are you?")).name == "done"


def lock_of(app: FastAPI) -> sqlite3.Connection:
    """
    Another program's connection, by which to lock the database.

    To be used in a thread: whoever writes at that moment needs the event loop to come to an end.
    """
    path = app.state.runtime.storage.backend.file
    return sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_messages_are_read_while_another_process_writes(
    api: httpx.AsyncClient, app: FastAPI, tmp_path: Path
) -> None:
    """Only what writes waits for the lock, and is done once it is free."""
    first = await sent(api, "How are you?")
    conversation_id = first[0].data["conversation_id"]
    other = lock_of(app)
    try:
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        assert len(await said_in(api, conversation_id)) == 2
        path = f"/api/chat/exchanges/{first[0].data['exchange_id']}"
        assert (await api.get(path)).json()["status"] == "done"
    finally:
        other.close()
    events = await sent(api, "And now?", conversation_id=conversation_id)
    assert ending_of(events).name == "done"
    assert len(await said_in(api, conversation_id)) == 4


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_message_waits_for_a_locked_database(api: httpx.AsyncClient, app: FastAPI) -> None:
    """It is stored and answered once, when the lock is gone; until then nothing is acknowledged."""
    other = lock_of(app)
    try:
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        waiting = asyncio.create_task(sent(api, "How are you?"))
        await asyncio.sleep(0.5)
        assert not waiting.done()
        assert (await api.get("/api/chat/conversations")).json()["total"] == 0
    finally:
        other.close()
    events = await waiting
    assert ending_of(events).name == "done"
    assert len(await said_in(api, events[0].data["conversation_id"])) == 2
