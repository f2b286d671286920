"""Streams of the chat over a real connection: taken up anywhere, stopped, left alone, and cut off with the server."""

import asyncio
import re
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path

import httpx
import pytest

from sagacity.chat.live import KEEP_SECONDS
from sagacity.chat.respond import GRACE_SECONDS
from sagacity.client import AsyncSagacity
from support.api import add_profile, listening, settings_in
from support.chatting import Told, events_of, sent, text_of
from support.program import QUIET
from support.promises import choose
from support.scripted_llm import Answer, ChatRequest, scripted_llm
from support.server import running_server
from support.waiting import until

pytestmark = pytest.mark.usefixtures("closed_clients")
STORY = "Once upon a time there was a fox who liked plums."
SEND = ("POST", "/api/chat/send")


@pytest.fixture
def settings(tmp_path: Path):
    return settings_in(tmp_path)


async def _conversation(http: httpx.AsyncClient, conversation_id: str) -> dict:
    return (await http.get(f"/api/chat/conversations/{conversation_id}")).json()


async def test_stream_is_taken_up_after_every_event(settings) -> None:
    """By the same call or by the exchange's address: together it is the whole answer, and nothing is sent twice."""
    with scripted_llm() as model, listening(settings) as url:
        model.answer_with(lambda _request: STORY)
        async with httpx.AsyncClient(base_url=url, timeout=30) as http:
            await choose(http, model)
            whole = await sent(http, "Tell me a story.")
            assert whole[0].name == "start"
            assert [one.name for one in whole][-1] == "done"
            assert text_of(whole) == STORY
            exchange_id = whole[0].data["exchange_id"]
            for place, event in enumerate(whole):
                seen = whole[: place + 1]
                for method, path, given in (
                    (*SEND, {"json": {"content": "is not looked at"}}),
                    ("GET", f"/api/chat/exchanges/{exchange_id}/events", {}),
                ):
                    if method == "GET" and event is whole[-1]:
                        seen_all = {"Last-Event-ID": event.event_id}
                        assert (await http.get(path, headers=seen_all)).status_code == 204
                        continue
                    stream = events_of(http, method, path, last_event_id=event.event_id, **given)
                    rest = [one async for one in stream]
                    assert text_of(seen) + text_of(rest) == STORY
                    names = [one.name for one in (*seen, *rest) if one.name != "message"]
                    assert names == ["start", "metadata", "memory", "done"]
                    ended = next(one for one in (*seen, *rest) if one.name == "done")
                    assert ended.data["message_id"] == whole[-1].data["message_id"]
            page = (await http.get("/api/chat/conversations")).json()
            assert (page["total"], page["conversations"][0]["message_count"]) == (1, 2)


async def test_stream_is_taken_up_at_another_process(settings) -> None:
    """While it is written, too: what one process writes, the other reads from the database."""
    with scripted_llm() as model, listening(settings) as url, listening(settings) as other_url:
        model.answer_with(lambda _request: Answer(text=STORY, stall_after_pieces=4))
        async with (
            httpx.AsyncClient(base_url=url, timeout=30) as http,
            httpx.AsyncClient(base_url=other_url, timeout=30) as other,
        ):
            await choose(http, model)
            async with aclosing(_send(http)) as first:
                seen = [await anext(first) for _ in range(4)]
                exchange_id, conversation_id = (
                    seen[0].data[name] for name in ("exchange_id", "conversation_id")
                )
                path = f"/api/chat/exchanges/{exchange_id}/events"
                after = seen[3].event_id
                async with aclosing(events_of(other, "GET", path, last_event_id=after)) as rest:
                    stopping = asyncio.create_task(_until_text(other, exchange_id, STORY[:20]))
                    await stopping
                    stop = await other.post("/api/chat/stop", json={"conversation_id": conversation_id})
                    assert stop.status_code == 200, stop.text
                    taken_up = [one async for one in rest]
            assert taken_up[-1].name == "done"
            assert taken_up[-1].data["status"] == "stopped"
            assert text_of([*seen, *taken_up]) == STORY[:20]
            kept = await _conversation(http, conversation_id)
            assert kept["messages"][1]["content"] == STORY[:20]
            assert kept["messages"][1]["metadata"]["status"] == "stopped"


async def test_another_process_knows_what_an_answer_draws_on(settings) -> None:
    """While it is written: the event comes once it is known, and never without its memories."""
    with scripted_llm() as model, listening(settings) as url, listening(settings) as other_url:
        model.answer_with(_citing)
        async with (
            httpx.AsyncClient(base_url=url, timeout=30) as http,
            httpx.AsyncClient(base_url=other_url, timeout=30) as other,
        ):
            await choose(http, model)
            await add_profile(http, "Avoids peanuts.", user_id="local")
            async with aclosing(events_of(http, *SEND, json={"content": "May I eat peanuts?"})) as stream:
                first = [await anext(stream) for _ in range(3)]
                assert [one["content"] for one in first[2].data["memories"]] == ["Avoids peanuts."]
                exchange_id = first[0].data["exchange_id"]
                path = f"/api/chat/exchanges/{exchange_id}/events"
                for seen in first[:2]:
                    async with aclosing(events_of(other, "GET", path, last_event_id=seen.event_id)) as rest:
                        memory = [one async for one in _until_event(rest, "message") if one.name == "memory"]
                    assert [one.data for one in memory] == [first[2].data]
                await _until_text(other, exchange_id, "No, you avoid peanuts.")
                reply = (await other.get(f"/api/chat/exchanges/{exchange_id}")).json()
                assert (reply["status"], len(reply["memories"])) == ("running", 1)
                assert [one["offset"] for one in reply["citations"]] == [len("No, you avoid peanuts")]


async def test_left_answer_is_finished(settings) -> None:
    """A client that leaves finds the whole answer when it comes back."""
    with scripted_llm() as model, listening(settings) as url:
        model.answer_with(lambda _request: Answer(text=STORY, delay_seconds=0.5))
        async with httpx.AsyncClient(base_url=url, timeout=30) as http:
            await choose(http, model)
            async with aclosing(_send(http)) as stream:
                start = await anext(stream)
            conversation_id = start.data["conversation_id"]

            async def finished() -> bool:
                return len((await _conversation(http, conversation_id))["messages"]) == 2

            await until(finished)
            kept = await _conversation(http, conversation_id)
            assert kept["messages"][1]["content"] == STORY
            assert kept["messages"][1]["metadata"]["status"] == "done"


async def test_left_answer_is_stopped_where_the_settings_say_so(tmp_path: Path) -> None:
    """Not while somebody else reads it, and not before the client had time to come back."""
    settings = settings_in(tmp_path, chat_on_disconnect="cancel")
    with scripted_llm() as model, listening(settings) as url:
        model.answer_with(lambda _request: Answer(text=STORY, stall_after_pieces=4))
        async with httpx.AsyncClient(base_url=url, timeout=30) as http:
            await choose(http, model)
            async with aclosing(_send(http)) as stream:
                start = await anext(stream)
                exchange_id = start.data["exchange_id"]
                await _until_text(http, exchange_id, STORY[:20])

            async def status() -> str:
                return (await http.get(f"/api/chat/exchanges/{exchange_id}")).json()["status"]

            assert await status() == "running"

            async def abandoned() -> bool:
                return await status() == "abandoned"

            await until(abandoned)
            kept = await _conversation(http, start.data["conversation_id"])
            assert kept["messages"][1]["content"] == STORY[:20]


async def test_answer_that_is_read_at_another_process_is_not_left(tmp_path: Path) -> None:
    """It goes on while somebody reads it there, and is stopped when nobody does."""
    settings = settings_in(tmp_path, chat_on_disconnect="cancel")
    gate = threading.Event()
    with scripted_llm() as model, listening(settings) as url, listening(settings) as other_url:
        model.answer_with(lambda _request: Answer(text=STORY, gate=gate, gate_before=4, stall_after_pieces=8))
        async with (
            httpx.AsyncClient(base_url=url, timeout=30) as http,
            httpx.AsyncClient(base_url=other_url, timeout=30) as other,
        ):
            await choose(http, model)
            async with aclosing(_send(http)) as stream:
                start = await anext(stream)
            path = f"/api/chat/exchanges/{start.data['exchange_id']}/events"
            async with aclosing(events_of(other, "GET", path)) as reading:
                told = await anext(reading)
                await asyncio.sleep(GRACE_SECONDS + 2 * KEEP_SECONDS)
                gate.set()
                seen = ""
                while seen != STORY[:40]:
                    told = await anext(reading)
                    assert told.name in {"metadata", "memory", "message"}
                    seen += told.data["content"] if told.name == "message" else ""

            async def abandoned() -> bool:
                reply = await other.get(f"/api/chat/exchanges/{start.data['exchange_id']}")
                return reply.json()["status"] == "abandoned"

            await until(abandoned)


async def test_stopped_server_keeps_what_there_is(settings) -> None:
    """And says so: the part is stored, and the message can be answered again."""
    with scripted_llm() as model:
        model.answer_with(lambda _request: Answer(text=STORY, stall_after_pieces=4))
        with listening(settings) as url:
            async with httpx.AsyncClient(base_url=url, timeout=30) as http:
                await choose(http, model)
                stream = _send(http)
                seen = [await anext(stream) for _ in range(4)]
                conversation_id = seen[0].data["conversation_id"]
                await _until_text(http, seen[0].data["exchange_id"], STORY[:20])
                await stream.aclose()
        with listening(settings) as url:
            async with httpx.AsyncClient(base_url=url, timeout=30) as http:
                kept = await _conversation(http, conversation_id)
                assert kept["messages"][1]["content"] == STORY[:20]
                assert kept["messages"][1]["metadata"]["status"] == "interrupted"
                model.answer_with(lambda _request: STORY)
                body = {"conversation_id": conversation_id, "stream": False}
                again = (await http.post("/api/chat/retry", json=body)).json()
                assert again["message"]["content"] == STORY


@pytest.mark.full
async def test_killed_server_loses_nothing_it_said_to_have(tmp_path: Path) -> None:
    """The message is there, with what was on disk of its answer; the conversation goes on."""
    with scripted_llm() as model:
        model.answer_with(_citing)
        with running_server(tmp_path, QUIET) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                await choose(http, model)
                await add_profile(http, "Avoids peanuts.", user_id="local")
                stream = events_of(http, *SEND, json={"content": "May I eat peanuts?"})
                seen = [await anext(stream) for _ in range(4)]
                exchange_id, conversation_id = (
                    seen[0].data[name] for name in ("exchange_id", "conversation_id")
                )
                await asyncio.sleep(3 * KEEP_SECONDS)
                server.kill()
                with suppress(httpx.HTTPError):
                    await stream.aclose()
        model.answer_with(lambda _request: "And then?")
        with running_server(tmp_path, QUIET) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                path = f"/api/chat/exchanges/{exchange_id}/events"
                for place in (0, 1):
                    stream = events_of(http, "GET", path, last_event_id=seen[place].event_id)
                    rest = [one async for one in stream]
                    assert (rest[-1].name, rest[-1].data["status"]) == ("error", "interrupted")
                    assert text_of(rest) == "No, you avoid peanuts."
                    assert [one.data for one in rest if one.name == "memory"] == [seen[2].data]
                    assert len(rest[-1].data["citations"]) == 1
                await sent(http, "Go on.", conversation_id=conversation_id)
                kept = await _conversation(http, conversation_id)
                said = [one["content"] for one in kept["messages"]]
                assert said == ["May I eat peanuts?", "No, you avoid peanuts.", "Go on.", "And then?"]


async def test_client_reads_a_stream(settings) -> None:
    """The SDK's own, in the order in which it comes."""
    with scripted_llm() as model, listening(settings) as url:
        model.answer_with(lambda _request: STORY)
        async with httpx.AsyncClient(base_url=url, timeout=30) as http:
            await choose(http, model)
        async with AsyncSagacity(url) as sagacity:
            events = [one async for one in sagacity.send_message("Tell me a story.")]
            assert "".join(str(one.data["content"]) for one in events if one.event == "message") == STORY
            conversation_id = str(events[0].data["conversation_id"])
            messages = await sagacity.list_messages(conversation_id)
            assert [one.content for one in messages] == ["Tell me a story.", STORY]
            again = [one async for one in sagacity.retry_answer(conversation_id)]
            assert again[-1].event == "done"
            await sagacity.delete_conversation(conversation_id)
            assert (await sagacity.list_conversations()).total == 0


def _send(http: httpx.AsyncClient) -> AsyncGenerator[Told]:
    return events_of(http, *SEND, json={"content": "Tell me a story."})


def _citing(request: ChatRequest) -> Answer:
    """Cite the last profile that the prompt shows, and then fall silent."""
    source = re.findall(r"\[p:\d+\]", request.prompt)[-1]
    pieces = ("No, you ", "avoid peanuts ", source, ".", " Never eat", " any.")
    return Answer(pieces=pieces, stall_after_pieces=4)


async def _until_event(stream: AsyncGenerator[Told], name: str) -> AsyncGenerator[Told]:
    """What a stream tells up to the first event of that name."""
    async for event in stream:
        yield event
        if event.name == name:
            return


async def _until_text(http: httpx.AsyncClient, exchange_id: str, text: str) -> None:
    """Wait until a stream from the beginning has told *text*."""
    told = ""
    async with aclosing(events_of(http, "GET", f"/api/chat/exchanges/{exchange_id}/events")) as stream:
        async for event in stream:
            told += event.data["content"] if event.name == "message" else ""
            if told == text:
                return
