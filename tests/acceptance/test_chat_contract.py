"""What the chat promises: one test for each promise that no other test proves; `docs/reference/chat-contract.md`."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from sagacity.api.app import SERVED
from support.api import client_of, listening, make_token, running, settings_in
from support.chatting import ending_of, events_of, said_in, sent, text_of
from support.program import QUIET
from support.promises import choose
from support.scripted_llm import ScriptedLLM, scripted_llm, status
from support.server import running_server

pytestmark = pytest.mark.usefixtures("closed_clients")
TOKENS_OF_A_CONTEXT = 5_000


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as model:
        yield model


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, model: ScriptedLLM) -> Iterator[str]:
    """One server for all tests of this file; each has a user of its own."""
    with listening(settings_in(tmp_path_factory.mktemp("contract"), model_attempts=1)) as url:
        yield url


@pytest.fixture
async def http(url: str, model: ScriptedLLM) -> AsyncIterator[httpx.AsyncClient]:
    model.answer_with(lambda _request: "Fine.")
    model.requests.clear()
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        await choose(http, model)
        yield http


@pytest.fixture
def user() -> str:
    return f"user {uuid4()}"


async def known(http: httpx.AsyncClient, user: str, *facts: str) -> None:
    """Facts that are known of a user."""
    body = {"user_profiles": [{"user_id": user, "content": fact} for fact in facts]}
    reply = await http.post("/api/add_user_profile", json=body)
    assert reply.status_code == 200, reply.text


async def test_recent_messages_are_the_newest_ones(
    http: httpx.AsyncClient, model: ScriptedLLM, user: str
) -> None:
    """As many as go into the budget, in order, without a gap, and never the current one twice (rows 10, C2)."""
    conversation_id = None
    filler = "plum " * 1_000
    for number in range(8):
        events = await sent(
            http,
            f"Message {number}: {filler}",
            user=user,
            conversation_id=conversation_id,
            include_memory=False,
        )
        conversation_id = events[0].data["conversation_id"]
    model.requests.clear()
    await sent(http, "What now?", user=user, conversation_id=conversation_id, include_memory=False)
    [request] = [one for one in model.requests if one.messages[-1]["content"].endswith("What now?")]
    said = [one["content"] for one in request.messages if one["content"].startswith("Message ")]
    numbers = [int(one.removeprefix("Message ").partition(":")[0]) for one in said]
    assert numbers == list(range(numbers[0], 8))
    assert numbers[0] > 0
    assert sum(len(one.split()) for one in said) <= TOKENS_OF_A_CONTEXT
    assert request.prompt.count("What now?") == 1


@pytest.mark.parametrize(
    "question", ["Where does Sarah work?", "Do you know Sarah", "sarah?", "Globex", "And who is she, Sarah?"]
)
async def test_plain_questions_reach_what_is_remembered(
    http: httpx.AsyncClient, user: str, question: str
) -> None:
    """Whether or not they say `my` or `remember` (row C9)."""
    await known(http, user, "Sarah works at Globex.")
    events = await sent(http, question, user=user)
    [memory] = [one for one in events if one.name == "memory"]
    assert "Sarah works at Globex." in [one["content"] for one in memory.data["memories"]]


async def test_memory_found_twice_is_shown_once(http: httpx.AsyncClient, user: str) -> None:
    """With all that found it, and each part of its score (rows 5, 7, C6, C7)."""
    await known(http, user, "Sarah works at Globex.", "Likes plums.")
    events = await sent(http, "Where does Sarah work?", user=user)
    shown = next(one for one in events if one.name == "memory").data["memories"]
    assert len({one["id"] for one in shown}) == len(shown)
    [found] = [one for one in shown if one["content"] == "Sarah works at Globex."]
    assert {"vector", "keyword"} <= set(found["strategies"])
    assert found["components"]["vector"] > 0
    assert found["components"]["keyword"] > 0
    path = f"/api/chat/exchanges/{events[0].data['exchange_id']}/events"
    again = [one async for one in events_of(http, "GET", path, params={"user_id": user})]
    assert next(one for one in again if one.name == "memory").data["memories"] == shown


async def test_counts_are_those_of_the_messages(http: httpx.AsyncClient, user: str) -> None:
    """Of an ordinary conversation (rows C12, C14); of all that changes one at once, `tests/api/test_chat_counts.py`."""
    first = await sent(http, "How are you?", user=user)
    conversation_id = first[0].data["conversation_id"]
    await sent(http, "And now?", user=user, conversation_id=conversation_id)
    params = {"user_id": user}
    kept = (await http.get(f"/api/chat/conversations/{conversation_id}", params=params)).json()
    assert kept["message_count"] == len(kept["messages"]) == 4
    assert kept["total_tokens"] == sum(one["tokens"] for one in kept["messages"]) > 0
    assert kept["last_message_at"] == kept["updated_at"] == kept["messages"][-1]["created_at"]


async def test_failed_answer_counts_as_none(http: httpx.AsyncClient, model: ScriptedLLM, user: str) -> None:
    """A question without an answer is one message (row C12)."""
    model.answer_with(lambda _request: status(500))
    events = await sent(http, "How are you?", user=user)
    assert ending_of(events).name == "error"
    path = f"/api/chat/conversations/{events[0].data['conversation_id']}"
    kept = (await http.get(path, params={"user_id": user})).json()
    assert kept["message_count"] == len(kept["messages"]) == 1


async def test_times_say_their_zone(http: httpx.AsyncClient, user: str) -> None:
    """Every moment of a conversation and its messages (row C21)."""
    events = await sent(http, "How are you?", user=user)
    path = f"/api/chat/conversations/{events[0].data['conversation_id']}"
    kept = (await http.get(path, params={"user_id": user})).json()
    told = [kept[name] for name in ("created_at", "updated_at", "last_message_at")]
    told += [one["created_at"] for one in kept["messages"]]
    assert all(datetime.fromisoformat(one).tzinfo is not None for one in told)


async def test_complete_refuses_half_an_answer(
    http: httpx.AsyncClient, model: ScriptedLLM, user: str
) -> None:
    """Its reply has no place for one; the conversation has what came (rows R2, R3)."""
    model.answer_with(lambda _request: status(500))
    body = {"messages": [{"role": "user", "content": "Tell me a story."}]}
    reply = await http.post("/api/chat/complete", params={"user_id": user}, json=body)
    assert (reply.status_code, reply.json()["error"]) == (502, "ProviderError")
    assert "scripted" not in reply.text.replace("openai/scripted", "")
    page = (await http.get("/api/chat/conversations", params={"user_id": user})).json()
    assert [one["message_count"] for one in page["conversations"]] == [1]


async def test_answer_without_memory_draws_on_none(
    http: httpx.AsyncClient, model: ScriptedLLM, user: str
) -> None:
    """`include_memory` is obeyed, and the stream still has its place for memories (section 1.3)."""
    await known(http, user, "Sarah works at Globex.")
    model.requests.clear()
    events = await sent(http, "Where does Sarah work?", user=user, include_memory=False)
    assert next(one for one in events if one.name == "memory").data["memories"] == []
    [request] = [one for one in model.requests if "Where does Sarah work?" in one.prompt]
    assert "Globex" not in request.prompt


async def test_every_route_wants_a_token_before_a_good_body(tmp_path: Path) -> None:
    """401 with the scheme, for no token and for a wrong one; a body is looked at after that (section 1, row 16)."""
    routes = [
        (method, route.path)
        for router in SERVED
        for route in router.routes
        if route.path.startswith("/api/chat/")
        for method in sorted(route.methods)
    ]
    assert len(routes) >= 14
    async with running(settings_in(tmp_path)) as app:
        token = await make_token(app, "acme")
        for bearer in ("", "Bearer", "Bearer nobody's", f"Basic {token}"):
            headers = {"Content-Type": "application/json"} | ({"Authorization": bearer} if bearer else {})
            async with client_of(app) as api:
                for method, path in routes:
                    named = path.replace("{conversation_id}", str(uuid4())).replace("{exchange_id}", "x")
                    reply = await api.request(method, named, content=b"{", headers=headers)
                    assert reply.status_code == 401, (method, path, bearer, reply.text)
                    assert reply.headers["www-authenticate"] == "Bearer"
        async with client_of(app, token=token) as api:
            for method, path in routes:
                if method not in {"POST", "PATCH"} or "archive" in path:
                    continue
                named = path.replace("{conversation_id}", str(uuid4()))
                for body in (b"{", b"[]", b'{"content": 7, "messages": 7, "title": 7, "conversation_id": 7}'):
                    reply = await api.request(
                        method,
                        named,
                        params={"user_id": "ana"},
                        content=body,
                        headers={"Content-Type": "application/json"},
                    )
                    assert reply.status_code == 422, (method, path, body, reply.text)


async def test_too_many_messages_are_refused_before_the_stream(tmp_path: Path) -> None:
    """By 429 with `Retry-After`, on each of the routes that send; nothing of a refused one is stored (rows 17, R9)."""
    async with running(settings_in(tmp_path, rate_limits=True)) as app, client_of(app) as api:
        for route in ("send", "complete", "retry"):
            replies = [await api.post(f"/api/chat/{route}", json=[]) for _ in range(75)]
            refused = [one for one in replies if one.status_code == 429]
            assert {one.status_code for one in replies} == {422, 429}, route
        assert 1 <= int(refused[0].headers["Retry-After"]) <= 60
        assert refused[0].headers["content-type"] == "application/json"
        assert (await api.get("/api/chat/conversations")).json()["total"] == 0


async def test_odd_ids_are_not_found(http: httpx.AsyncClient, user: str) -> None:
    """Whatever an id looks like, the reply is no crash."""
    for exchange_id in ("x", "%00", "%F0%9F%98%80", "a%00b", "..%2F..", "x" * 65, "%ED%A0%80", "'--"):
        for suffix in ("", "/events"):
            path = f"/api/chat/exchanges/{exchange_id}{suffix}"
            reply = await http.get(path, params={"user_id": user})
            assert reply.status_code in {404, 422}, (path, reply.text)


async def test_log_holds_no_word_of_a_conversation(tmp_path: Path, model: ScriptedLLM) -> None:
    """Not even at its most talkative (rows S6, S11)."""
    model.answer_with(lambda _request: "Kumquat, of course.")
    with running_server(tmp_path, QUIET | {"SAGACITY_LOG_LEVEL": "debug"}) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
            endpoint = {"model": "scripted", "api_key": "k", "api_base": model.base_url}
            config = {"api_key_config": {"custom_endpoint": endpoint}}
            assert (await http.post("/api/set_config", json=config)).status_code == 200
            assert text_of(await sent(http, "My password is rutabaga.")) == "Kumquat, of course."
            model.answer_with(lambda _request: status(500, says="persimmon"))
            assert "persimmon" not in str(await sent(http, "A durian?"))
        logs = server.logs.lower()
    for word in ("kumquat", "rutabaga", "persimmon", "durian"):
        assert word not in logs


async def test_conversation_of_a_user_is_read_whole(http: httpx.AsyncClient, user: str) -> None:
    """In pages without a gap or a repetition, from either end (section 1.3)."""
    conversation_id = None
    for number in range(5):
        events = await sent(http, f"number {number}", user=user, conversation_id=conversation_id)
        conversation_id = events[0].data["conversation_id"]
        assert text_of(events) == "Fine."
    whole = await said_in(http, str(conversation_id), user_id=user)
    path = f"/api/chat/conversations/{conversation_id}/messages"
    for order in ("asc", "desc"):
        pages: list[str] = []
        for offset in range(0, 10, 3):
            params = {"user_id": user, "order": order, "limit": 3, "offset": offset}
            pages += [one["content"] for one in (await http.get(path, params=params)).json()]
        assert pages == (whole if order == "asc" else whole[::-1])
