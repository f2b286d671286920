"""The server is killed, and clients leave, at moments that nobody chose: in whichever phase an answer is by then."""

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from support.api import listening, settings_in
from support.chatting import Told, ending_of, events_of, said_in, sent, text_of
from support.program import QUIET
from support.promises import choose
from support.scripted_llm import Answer, ScriptedLLM, scripted_llm
from support.server import running_server
from support.waiting import until

pytestmark = pytest.mark.usefixtures("closed_clients")
STORY = "Once upon a time there was a fox who liked plums."
KILLS = 25
TALKS = 6
"""Conversations at a time, so that each is in another phase."""
LONGEST_SECONDS = 0.6
"""About what six messages take together."""


async def _listen(http: httpx.AsyncClient, content: str, seen: list[Told]) -> None:
    """Send a message and note what is told, as long as anything is."""
    with suppress(httpx.HTTPError):
        async for event in events_of(http, "POST", "/api/chat/send", json={"content": content}):
            seen.append(event)


def _question(number: int) -> str:
    return f"Tell me story number {number}."


async def _kept_what_it_told(http: httpx.AsyncClient, number: int, seen: list[Told]) -> None:
    """What a client was told of is there, once; and the conversation goes on."""
    if not any(one.name == "metadata" for one in seen):
        return  # nothing of it was acknowledged
    conversation_id = seen[0].data["conversation_id"]

    async def is_over() -> bool:
        reply = await http.get(f"/api/chat/exchanges/{seen[0].data['exchange_id']}")
        assert reply.status_code == 200, reply.text
        return reply.json()["status"] != "running"

    await until(is_over)
    said = await said_in(http, conversation_id)
    assert said[0] == _question(number)
    assert len(said) <= 2
    assert all(STORY.startswith(one) for one in said[1:])
    if seen[-1].name == "done":
        assert said[1] == text_of(seen) == STORY
    events = await sent(http, "Are you there?", conversation_id=conversation_id)
    assert ending_of(events).name == "done"
    assert await said_in(http, conversation_id) == [*said, "Are you there?", text_of(events)]


def _telling(model: ScriptedLLM) -> None:
    model.answer_with(lambda _request: Answer(text=STORY))


@pytest.mark.full
async def test_server_is_killed_at_any_moment(tmp_path: Path) -> None:
    """While messages are stored, memories searched, answers written and saved (rows R2, 11.7)."""
    chance = random.Random(7)
    heard: dict[int, list[Told]] = {}
    with scripted_llm() as model:
        _telling(model)
        for kill in range(KILLS):
            with running_server(tmp_path, QUIET) as server:
                async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                    if not kill:
                        await choose(http, model)
                    numbers = range(kill * TALKS, (kill + 1) * TALKS)
                    heard |= {number: [] for number in numbers}
                    listening_to = [
                        asyncio.create_task(_listen(http, _question(number), heard[number]))
                        for number in numbers
                    ]
                    await asyncio.sleep(chance.uniform(0, LONGEST_SECONDS))
                    server.kill()
                    await asyncio.gather(*listening_to)
        with running_server(tmp_path, QUIET) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                await asyncio.gather(*(_kept_what_it_told(http, *one) for one in heard.items()))
                page = (await http.get("/api/chat/conversations", params={"page_size": 100})).json()
                titles = [one["title"] for one in page["conversations"]]
                assert len(set(titles)) == len(titles)


async def test_clients_leave_at_any_moment(tmp_path: Path) -> None:
    """Each message that was told to be stored has its whole answer in the end, whoever waits for it."""
    chance = random.Random(11)
    heard: dict[int, list[Told]] = {number: [] for number in range(3 * TALKS)}
    with scripted_llm() as model, listening(settings_in(tmp_path)) as url:
        _telling(model)
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)

            async def leave(number: int) -> None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(chance.uniform(0, LONGEST_SECONDS)):
                        await _listen(http, _question(number), heard[number])

            await asyncio.gather(*map(leave, heard))
            for number, seen in heard.items():
                await _kept_what_it_told(http, number, seen)
                if any(one.name == "metadata" for one in seen):
                    said = await said_in(http, seen[0].data["conversation_id"])
                    assert said[:2] == [_question(number), STORY]
