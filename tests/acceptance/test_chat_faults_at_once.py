"""Two tabs, a retry while an answer runs, a stop while none does, a conversation deleted under its answer."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest

from support.api import listening, settings_in
from support.chatting import Told, ending_of, events_of, said_in, sent, text_of
from support.promises import choose
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, scripted_llm
from support.waiting import until

pytestmark = pytest.mark.usefixtures("closed_clients")
STORY = "Once upon a time there was a fox."


@pytest.fixture
def model():
    with scripted_llm() as model:
        yield model


@pytest.fixture
async def servers(tmp_path: Path, model: ScriptedLLM) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Two processes' worth of servers over one database; messages wait as long as it takes."""
    settings = settings_in(tmp_path)
    with listening(settings) as url, listening(settings) as other_url:
        async with (
            httpx.AsyncClient(base_url=url, timeout=60) as http,
            httpx.AsyncClient(base_url=other_url, timeout=60) as other,
        ):
            await choose(http, model)
            yield [http, other]


class Held:
    """An answer of which the first five letters have come, and no more before `go_on`."""

    def __init__(self, model: ScriptedLLM, text: str = STORY) -> None:
        self._gate = threading.Event()
        answer = Answer(text=text, gate=self._gate, gate_before=1)
        model.answer_with(lambda _request: answer)

    def go_on(self) -> None:
        self._gate.set()


async def _begun(stream: AsyncIterator[Told]) -> list[Told]:
    """The events up to the first piece of text."""
    seen: list[Told] = []
    async for event in stream:
        seen.append(event)
        if event.name == "message":
            return seen
    raise AssertionError(seen)


def _sending(http: httpx.AsyncClient, content: str, **fields) -> AsyncIterator[Told]:
    return events_of(http, "POST", "/api/chat/send", json={"content": content, **fields})


async def test_ten_at_once_are_answered_one_after_the_other(
    servers: list[httpx.AsyncClient], model: ScriptedLLM
) -> None:
    """From two processes into one conversation (row R11); each answer stands behind its question."""
    made = (await servers[0].post("/api/chat/conversations", json={"title": "Tabs"})).json()

    def answer(request: ChatRequest) -> str:
        return "Answer to " + request.messages[-1]["content"].splitlines()[-1]

    model.answer_with(answer)
    streams = await asyncio.gather(
        *(sent(servers[number % 2], f"question {number}", conversation_id=made["id"]) for number in range(10))
    )
    for number, events in enumerate(streams):
        assert ending_of(events).name == "done"
        assert text_of(events) == f"Answer to question {number}"
    said = await said_in(servers[0], made["id"])
    assert sorted(said[::2]) == sorted(f"question {number}" for number in range(10))
    assert [f"Answer to {one}" for one in said[::2]] == said[1::2]


async def test_retry_waits_for_the_running_answer(
    servers: list[httpx.AsyncClient], model: ScriptedLLM
) -> None:
    """And then takes its place; both streams end once."""
    http, other = servers
    held = Held(model)
    async with aclosing(_sending(http, "Tell me a story.")) as stream:
        seen = await _begun(stream)
        body = {"conversation_id": seen[0].data["conversation_id"], "stream": False}
        retrying = asyncio.create_task(other.post("/api/chat/retry", json=body))
        model.answer_with(lambda _request: "Another one.")
        held.go_on()
        events = [*seen, *[one async for one in stream]]
    assert ending_of(events).name == "done"
    assert text_of(events) == STORY
    assert (await retrying).json()["message"]["content"] == "Another one."
    assert await said_in(http, body["conversation_id"]) == ["Tell me a story.", "Another one."]


async def test_lost_retry_is_taken_up_and_not_answered_again(
    servers: list[httpx.AsyncClient], model: ScriptedLLM
) -> None:
    """The same call with the last event's id gives the rest of the same answer."""
    http, other = servers
    model.answer_with(lambda request: f"Answer {len(model.requests)}.")
    first = await sent(http, "How are you?")
    body = {"conversation_id": first[0].data["conversation_id"]}
    events = [one async for one in events_of(http, "POST", "/api/chat/retry", json=body)]
    asked = len(model.requests)
    for server in servers:
        again = events_of(server, "POST", "/api/chat/retry", json=body, last_event_id=events[2].event_id)
        rest = [one async for one in again]
        assert ending_of(rest).data["message_id"] == ending_of(events).data["message_id"]
        assert text_of(rest) == text_of(events)
    assert len(model.requests) == asked
    assert other is servers[1]


async def test_stop_without_an_answer_is_not_found(
    servers: list[httpx.AsyncClient], model: ScriptedLLM
) -> None:
    """While nothing is answered, and after it was stopped; nothing is changed by it."""
    http = servers[0]
    model.answer_with(lambda _request: "Fine.")
    events = await sent(http, "How are you?")
    body = {"conversation_id": events[0].data["conversation_id"]}
    for _ in range(2):
        assert (await http.post("/api/chat/stop", json=body)).status_code == 404
    assert await said_in(http, body["conversation_id"]) == ["How are you?", "Fine."]


async def test_stop_ends_the_models_call(servers: list[httpx.AsyncClient], model: ScriptedLLM) -> None:
    """From another process, too: the part is stored, and the provider is not read any more (row R2)."""
    http, other = servers
    held = Held(model, text="word " * 200_000)
    async with aclosing(_sending(http, "Tell me a story.")) as stream:
        seen = await _begun(stream)
        body = {"conversation_id": seen[0].data["conversation_id"]}
        assert (await other.post("/api/chat/stop", json=body)).status_code == 200
        events = [*seen, *[one async for one in stream]]
    assert ending_of(events).data["status"] == "stopped"
    held.go_on()
    assert await asyncio.to_thread(model.cut_off.wait, 60)
    assert await said_in(http, body["conversation_id"]) == ["Tell me a story.", text_of(events)]
    assert text_of(events) == "word "


@pytest.mark.parametrize("reader", [0, 1], ids=["same process", "other process"])
async def test_conversation_deleted_under_its_answer(
    servers: list[httpx.AsyncClient], model: ScriptedLLM, reader: int
) -> None:
    """Whoever reads is told so once, nothing of it is left, and the model is not read any more."""
    http = servers[0]
    held = Held(model, text="word " * 200_000)
    async with aclosing(_sending(http, "Tell me a story.")) as stream:
        seen = await _begun(stream)
        exchange_id, conversation_id = (seen[0].data[name] for name in ("exchange_id", "conversation_id"))
        path = f"/api/chat/exchanges/{exchange_id}/events"
        async with aclosing(events_of(servers[reader], "GET", path)) as following:
            events = await _begun(following)
            gone = await servers[1].delete(f"/api/chat/conversations/{conversation_id}")
            assert gone.status_code == 204
            events += [one async for one in following]
        events_of_sender = [*seen, *[one async for one in stream]]
    for told in (events, events_of_sender):
        last = ending_of(told)
        assert (last.name, last.data["error_kind"], last.data["message_id"]) == ("error", "NotFound", None)
    held.go_on()
    assert await asyncio.to_thread(model.cut_off.wait, 60)
    assert (await http.get(f"/api/chat/conversations/{conversation_id}")).status_code == 404
    assert (await http.get(f"/api/chat/exchanges/{exchange_id}")).status_code == 404
    turns = (await http.post("/api/get_interactions", json={"user_id": "local"})).json()["interactions"]
    assert turns == []


async def test_busy_conversation_refuses_where_nothing_may_wait(tmp_path: Path, model: ScriptedLLM) -> None:
    """By 409 before anything is stored; the running answer is not touched."""
    with listening(settings_in(tmp_path, chat_wait_seconds=0)) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            held = Held(model)
            async with aclosing(_sending(http, "Tell me a story.")) as stream:
                seen = await _begun(stream)
                conversation_id = seen[0].data["conversation_id"]
                second = {"content": "And then?", "conversation_id": conversation_id}
                refused = await http.post("/api/chat/send", json=second)
                again = await http.post("/api/chat/retry", json={"conversation_id": conversation_id})
                held.go_on()
                events = [*seen, *[one async for one in stream]]
            assert (refused.status_code, again.status_code) == (409, 409)
            assert "stop it first" in refused.json()["message"]
            assert ending_of(events).name == "done"
            assert await said_in(http, conversation_id) == ["Tell me a story.", STORY]


@pytest.mark.parametrize("is_whole", [False, True], ids=["half a message", "a message"])
async def test_client_that_leaves_before_the_first_event(tmp_path: Path, *, is_whole: bool) -> None:
    """Half a message is none; one of which the server began to tell is stored and answered, whoever waits for it."""
    with listening(settings_in(tmp_path)) as url:
        body = b'{"content": "Remember the blue door."}'
        head = (
            "POST /api/chat/send HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(head.encode() + (body if is_whole else body[:-5]))
        await writer.drain()
        if is_whole:
            assert await reader.readexactly(12) == b"HTTP/1.1 200"
        writer.close()
        await writer.wait_closed()
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            assert ending_of(await sent(http, "Another message.")).name == "done"

            async def counts() -> dict[str, int]:
                page = (await http.get("/api/chat/conversations")).json()["conversations"]
                return {one["title"]: one["message_count"] for one in page}

            async def complete() -> bool:
                wanted = {"Remember the blue door.": 2} if is_whole else {}
                return await counts() == {"Another message.": 2} | wanted

            await until(complete)


async def test_client_that_leaves_within_the_answer(tmp_path: Path, model: ScriptedLLM) -> None:
    """The rest comes without it, and is stored as one answer (row R2)."""
    with listening(settings_in(tmp_path)) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            held = Held(model)
            async with aclosing(_sending(http, "Tell me a story.")) as stream:
                seen = await _begun(stream)
            held.go_on()
            conversation_id = seen[0].data["conversation_id"]

            async def whole() -> bool:
                return await said_in(http, conversation_id) == ["Tell me a story.", STORY]

            await until(whole)
            path = f"/api/chat/exchanges/{seen[0].data['exchange_id']}/events"
            rest = [one async for one in events_of(http, "GET", path, last_event_id=seen[-1].event_id)]
            assert text_of([*seen, *rest]) == STORY
            assert ending_of(rest).name == "done"
