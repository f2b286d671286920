"""Counts of messages and tokens are those of the messages, whatever is sent or deleted, also at once (row C12)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from support.api import client_of, running, settings_in
from support.chatting import sent
from support.promises import choose
from support.scripted_llm import ScriptedLLM, scripted_llm, status

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.both_databases]
CLIENTS = 4
OF_EACH = 2


@pytest.fixture
async def clients(tmp_path: Path, database_url: str) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Clients of two servers over one database; messages wait as long as it takes."""
    settings = settings_in(tmp_path, database_url=database_url, chat_wait_seconds=600)
    async with running(settings) as one, running(settings) as other:
        yield [client_of(app) for app in (one, other) * (CLIENTS // 2)]


@pytest.fixture
async def model(clients: list[httpx.AsyncClient]) -> AsyncIterator[ScriptedLLM]:
    with scripted_llm() as model:
        model.answer_with(lambda request: "word " * (1 + len(request.prompt) % 7))
        await choose(clients[0], model)
        yield model


async def counted(clients: list[httpx.AsyncClient], conversation_id: str) -> int:
    """What every client is told right now, in every reply that counts; it is what the messages come to."""
    path, told = f"/api/chat/conversations/{conversation_id}", set[tuple[int, int]]()
    for http in clients[:2]:
        kept = (await http.get(path, params={"limit": 200})).raise_for_status().json()
        said = (await http.get(f"{path}/messages", params={"limit": 200})).raise_for_status().json()
        page = (
            (await http.get("/api/chat/conversations", params={"page_size": 100})).raise_for_status().json()
        )
        [listed] = [one for one in page["conversations"] if one["id"] == conversation_id]
        changed = (await http.patch(path, json={"title": "Counted"})).raise_for_status().json()
        unchanged = (await http.patch(path, json={})).raise_for_status().json()
        assert kept["messages"] == said
        views = (kept, listed, changed, unchanged)
        told |= {(one["message_count"], one["total_tokens"]) for one in views}
        told.add((len(said), sum(one["tokens"] or 0 for one in said)))
    assert len(told) == 1, told
    return told.pop()[0]


async def begun(http: httpx.AsyncClient) -> str:
    return (await http.post("/api/chat/conversations", json={})).raise_for_status().json()["id"]


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("conversations", [1, pytest.param(3, marks=pytest.mark.full)])
async def test_sends_of_many_clients_at_once_are_all_counted(
    clients: list[httpx.AsyncClient], conversations: int
) -> None:
    """Into one conversation and into several, at two servers."""
    ids = [await begun(clients[0]) for _ in range(conversations)]
    sends = [
        sent(http, f"From {number}, number {again}.", conversation_id=conversation_id)
        for conversation_id in ids
        for number, http in enumerate(clients)
        for again in range(OF_EACH)
    ]
    await asyncio.gather(*sends)
    assert [await counted(clients, one) for one in ids] == [2 * CLIENTS * OF_EACH] * conversations


@pytest.mark.one_database
@pytest.mark.usefixtures("model")
async def test_another_answer_takes_the_place_of_one_in_the_counts(clients: list[httpx.AsyncClient]) -> None:
    """Asked for by several at once, in the middle of what others send."""
    conversation_id = await begun(clients[0])
    await sent(clients[0], "How are you?", conversation_id=conversation_id)
    again = {"conversation_id": conversation_id, "stream": False}
    for reply in await asyncio.gather(*(http.post("/api/chat/retry", json=again) for http in clients)):
        reply.raise_for_status()
    assert await counted(clients, conversation_id) == 2
    await asyncio.gather(
        *(http.post("/api/chat/retry", json=again) for http in clients),
        *(sent(http, "And now?", conversation_id=conversation_id) for http in clients),
    )
    assert await counted(clients, conversation_id) == 2 + 2 * len(clients)


@pytest.mark.one_database
async def test_a_question_without_an_answer_is_one_message(
    clients: list[httpx.AsyncClient], model: ScriptedLLM
) -> None:
    """Where the model fails; and a failed retry changes nothing."""
    conversation_id = await begun(clients[0])
    again = {"conversation_id": conversation_id, "stream": False}
    model.answer_with(lambda _request: status(500))
    await asyncio.gather(*(sent(http, "How are you?", conversation_id=conversation_id) for http in clients))
    assert await counted(clients, conversation_id) == len(clients)
    model.answer_with(lambda _request: "Fine.")
    (await clients[1].post("/api/chat/retry", json=again)).raise_for_status()
    assert await counted(clients, conversation_id) == len(clients) + 1
    model.answer_with(lambda _request: status(500))
    await clients[0].post("/api/chat/retry", json=again)
    assert await counted(clients, conversation_id) == len(clients) + 1


@pytest.mark.one_database
async def test_initial_message_without_an_answer_is_counted_and_told(
    clients: list[httpx.AsyncClient], model: ScriptedLLM
) -> None:
    """The conversation is there with the message, so it is no error; a warning says why nobody answered."""
    begin = {"initial_message": "How are you?"}
    model.answer_with(lambda _request: status(400))
    begun_alone = (await clients[0].post("/api/chat/conversations", json=begin)).raise_for_status().json()
    [warning] = begun_alone["warnings"]
    assert warning.startswith("initial_message: The model gave no answer.")
    assert await counted(clients, begun_alone["id"]) == begun_alone["message_count"] == 1
    model.answer_with("Fine.")
    answered = (await clients[0].post("/api/chat/conversations", json=begin)).raise_for_status().json()
    assert (answered["message_count"], answered["warnings"]) == (2, None)


@pytest.mark.one_database
@pytest.mark.usefixtures("model")
async def test_cancelled_sends_are_counted_if_they_are_there(clients: list[httpx.AsyncClient]) -> None:
    """Whenever their clients leave: a message is stored and counted, or neither."""
    conversation_id = await begun(clients[0])
    calls: list[asyncio.Task[object]] = []
    for number, http in enumerate(clients * 3):
        calls.append(asyncio.create_task(sent(http, f"Number {number}.", conversation_id=conversation_id)))
        await asyncio.sleep(0.01 * number)
        if number % 2:
            calls[-1].cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    stopped = await asyncio.gather(
        *(http.post("/api/chat/stop", json={"conversation_id": conversation_id}) for http in clients)
    )
    assert {one.status_code for one in stopped} <= {200, 404}
    await sent(
        clients[0], "The last one.", conversation_id=conversation_id
    )  # waits for all that are answered
    count = await counted(clients, conversation_id)
    assert 2 * len(clients) * 3 // 2 <= count <= 2 * (len(clients) * 3 + 1)


@pytest.mark.one_database
@pytest.mark.usefixtures("model")
async def test_what_is_deleted_is_counted_no_more(clients: list[httpx.AsyncClient]) -> None:
    """Single turns, whole exchanges, and other conversations, while more is sent."""
    conversation_id, other_id = await begun(clients[0]), await begun(clients[0])
    told = [await sent(clients[0], f"Number {one}.", conversation_id=conversation_id) for one in range(3)]
    await sent(clients[0], "Elsewhere.", conversation_id=other_id)
    found = await clients[0].post("/api/get_interactions", json={"user_id": "local", "top_k": 100})
    [turn] = [one for one in found.json()["interactions"] if one["content"] == "Number 0."]
    one_turn = {"user_id": "local", "interaction_id": turn["interaction_id"]}
    one_exchange = {"request_id": told[1][0].data["exchange_id"]}
    deleted = await asyncio.gather(
        clients[0].request("DELETE", "/api/delete_interaction", json=one_turn),
        clients[1].request("DELETE", "/api/delete_request", json=one_exchange),
        clients[2].delete(f"/api/chat/conversations/{other_id}"),
    )
    for reply in deleted:
        reply.raise_for_status()
    assert await counted(clients, conversation_id) == 6 - 1 - 2
    await asyncio.gather(
        sent(clients[0], "More.", conversation_id=conversation_id),
        clients[1].request(
            "DELETE", "/api/delete_request", json={"request_id": told[2][0].data["exchange_id"]}
        ),
    )
    assert await counted(clients, conversation_id) == 3 - 2 + 2


@pytest.mark.one_database
@pytest.mark.usefixtures("model")
async def test_turns_that_others_publish_are_messages_too(clients: list[httpx.AsyncClient]) -> None:
    """Of which nobody counted the tokens."""
    conversation_id = await begun(clients[0])
    body = {
        "user_id": "local",
        "session_id": conversation_id,
        "interaction_data_list": [{"content": "Hello."}],
    }
    await asyncio.gather(
        *(http.post("/api/publish_interaction", json=body) for http in clients),
        *(sent(http, "And here.", conversation_id=conversation_id) for http in clients),
    )
    assert await counted(clients, conversation_id) == 3 * len(clients)
