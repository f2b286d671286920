"""The server is killed, or its database's connections are, in each phase: nothing that was acknowledged is lost."""

import asyncio
import threading
from contextlib import aclosing, suppress
from pathlib import Path

import httpx
import pytest

from support.api import listening, settings_in
from support.chatting import Told, ending_of, events_of, said_in, sent, text_of
from support.local_servers import PostgresServer
from support.program import QUIET
from support.promises import choose
from support.scripted_llm import Answer, ChatRequest, scripted_llm
from support.server import running_server

pytestmark = pytest.mark.usefixtures("closed_clients")
STORY = "Once upon a time there was a fox who liked plums."
SEND = ("POST", "/api/chat/send")


async def _up_to(stream, name: str) -> list[Told]:
    """The events up to the first of a name."""
    seen: list[Told] = []
    async for event in stream:
        seen.append(event)
        if event.name == name:
            return seen
    raise AssertionError(seen)


def _by_question(request: ChatRequest) -> Answer:
    """Silence before the answer, silence within it, or an answer."""
    asked = request.messages[-1]["content"].splitlines()[-1]  # what is remembered stands before it
    if "silent" in asked:
        return Answer(text=STORY, stall_after_pieces=0)
    if "halting" in asked:
        return Answer(text=STORY, stall_after_pieces=4)
    return Answer(text=STORY)


async def test_server_is_killed_in_every_phase_at_once(tmp_path: Path) -> None:
    """Before the answer, within it while a client has more than is on disk, and after it (rows R2, 11.7)."""
    with scripted_llm() as model:
        model.answer_with(_by_question)
        with running_server(tmp_path, QUIET) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                await choose(http, model)
                done = await sent(http, "Tell me a whole story.")
                silent = events_of(http, *SEND, json={"content": "Tell me a silent story."})
                halting = events_of(http, *SEND, json={"content": "Tell me a halting story."})
                lives = {
                    "silent": await _up_to(silent, "memory"),
                    "halting": await _up_to(halting, "message"),
                }
                server.kill()  # at once: what the reader has of the text is not on disk yet
                for stream in (silent, halting):
                    with suppress(httpx.HTTPError):
                        await stream.aclose()
        model.answer_with(lambda _request: "Here I am again.")
        with running_server(tmp_path, QUIET) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                assert await said_in(http, done[0].data["conversation_id"]) == [
                    "Tell me a whole story.",
                    STORY,
                ]
                path = f"/api/chat/exchanges/{done[0].data['exchange_id']}/events"
                again = [one async for one in events_of(http, "GET", path)]
                assert text_of(again) == STORY
                assert ending_of(again).data["message_id"] == done[-1].data["message_id"]

                async def taken_up(word: str) -> None:
                    seen = lives[word]
                    rest = events_of(
                        http, *SEND, json={"content": "not looked at"}, last_event_id=seen[-1].event_id
                    )
                    last = ending_of([one async for one in rest])
                    assert (last.name, last.data["status"]) == ("error", "interrupted")
                    conversation_id = seen[0].data["conversation_id"]
                    said = await said_in(http, conversation_id)
                    assert said[0] == f"Tell me a {word} story."
                    assert all(STORY.startswith(one) for one in said[1:])
                    assert len(said) <= 2
                    events = await sent(http, "Are you there?", conversation_id=conversation_id)
                    assert text_of(events) == "Here I am again."
                    assert await said_in(http, conversation_id) == [
                        *said,
                        "Are you there?",
                        "Here I am again.",
                    ]

                await asyncio.gather(taken_up("silent"), taken_up("halting"))


async def test_server_is_killed_before_a_message_is_whole(tmp_path: Path) -> None:
    """Nothing was acknowledged, and nothing is there."""
    with running_server(tmp_path, QUIET) as server:
        port = int(server.url.rpartition(":")[2])
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /api/chat/send HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
        writer.write(b'Content-Length: 50\r\n\r\n{"content": "hal')
        await writer.drain()
        server.kill()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    with running_server(tmp_path, QUIET) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
            assert (await http.get("/api/chat/conversations")).json()["total"] == 0
            assert ending_of(await sent(http, "A whole one.")).name == "done"


@pytest.mark.full
async def test_stopping_server_finishes_or_stores_what_there_is(tmp_path: Path) -> None:
    """By SIGTERM: an answer that ends soon is whole, another is stored as far as it is; both readers are told."""
    gate = threading.Event()

    def answer(request: ChatRequest) -> Answer:
        found = _by_question(request)
        return Answer(text=STORY, gate=gate, gate_before=2) if found == Answer(text=STORY) else found

    with scripted_llm() as model:
        model.answer_with(answer)
        with running_server(tmp_path, QUIET) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                await choose(http, model)
                halting = events_of(http, *SEND, json={"content": "Tell me a halting story."})
                seen = await _up_to(halting, "message")
                whole = events_of(http, *SEND, json={"content": "Tell me a story."})
                seen_whole = await _up_to(whole, "message")
                stopping = asyncio.create_task(asyncio.to_thread(server.stop))
                gate.set()
                seen_whole += [one async for one in whole]
                seen += [one async for one in halting]
                assert await stopping == 0
        assert (ending_of(seen_whole).name, text_of(seen_whole)) == ("done", STORY)
        assert (ending_of(seen).name, ending_of(seen).data["status"]) == ("error", "interrupted")
        assert text_of(seen) == STORY[:20]
        with running_server(tmp_path, QUIET) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                for events, status in ((seen, "interrupted"), (seen_whole, "done")):
                    path = f"/api/chat/exchanges/{events[0].data['exchange_id']}"
                    reply = (await http.get(path)).json()
                    assert (reply["status"], reply["message"]["content"]) == (status, text_of(events))


@pytest.mark.full
@pytest.mark.own_database
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_connections_of_the_database_are_killed(
    tmp_path: Path, database_url: str, postgres: PostgresServer
) -> None:
    """While an answer streams, and before its end is stored: it is stored once, and the stream says so."""
    name = database_url.rpartition("/")[2].partition("?")[0]
    kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    gate = threading.Event()
    with scripted_llm() as model, listening(settings_in(tmp_path, database_url=database_url)) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            model.answer_with(lambda _request: Answer(text=STORY, gate=gate, gate_before=2))
            async with aclosing(events_of(http, *SEND, json={"content": "Tell me a story."})) as stream:
                seen = await _up_to(stream, "message")
                assert postgres.execute(kill)
                gate.set()
                events = [*seen, *[one async for one in stream]]
            assert ending_of(events).name == "done"
            assert text_of(events) == STORY
            conversation_id = events[0].data["conversation_id"]
            assert await said_in(http, conversation_id) == ["Tell me a story.", STORY]

            assert postgres.execute(kill)
            body = {"content": "And then?", "conversation_id": conversation_id, "stream": False}
            reply = await http.post("/api/chat/send", json=body)
            said = await said_in(http, conversation_id)
            if reply.status_code == 200:
                assert said == ["Tell me a story.", STORY, "And then?", STORY]
            else:
                assert (reply.status_code, said) == (503, ["Tell me a story.", STORY])
