"""The model client against a scripted server: good answers, bad ones, failures, time, and what it tells."""

import asyncio
import importlib
import json
import logging
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from sagacity.domain.errors import MalformedOutput, ProviderError, ProviderRefused, ProviderTimeout
from sagacity.providers.base import ChatMessage, ModelCall, TokenUsage
from sagacity.providers.choice import ModelChoice
from sagacity.providers.litellm_seam import LOGGERS, load_litellm
from sagacity.providers.llm.estimate import prompt_tokens
from sagacity.providers.llm.litellm import MOST_CHARACTERS, LiteLLM
from sagacity.providers.llm.open import open_llm
from sagacity.providers.retry_policy import Failure, Limits, Retry, retrying
from support.local_servers import free_port
from support.scripted_llm import (
    COMPLETION_TOKENS,
    GARBAGE,
    PROMPT_TOKENS,
    Answer,
    Script,
    ScriptedLLM,
    as_json,
    cut_off,
    dropped,
    garbage,
    half_json,
    never,
    not_http,
    scripted_llm,
    slow,
    status,
)

pytestmark = pytest.mark.usefixtures("closed_clients")

KEY, PROMPT = "sk-key-that-nobody-may-see", "a prompt that nobody may see"
MESSAGES = (
    ChatMessage(role="system", content="You extract facts."),
    ChatMessage(role="user", content=PROMPT),
)
ONE_CALL = TokenUsage(prompt_tokens=PROMPT_TOKENS, completion_tokens=COMPLETION_TOKENS)
TWO_CALLS = ONE_CALL + ONE_CALL
NO_TOKENS = TokenUsage()
FACTS = {"facts": ["likes tea"], "note": None}


class Facts(BaseModel):
    """What is asked for."""

    facts: list[str]
    note: str | None = None


class Open(BaseModel):
    """A value that strict decoding cannot describe."""

    features: dict[str, str] = {}


class Client:
    """A client that never really waits between tries, with what it slept and what it reported."""

    def __init__(
        self,
        server: ScriptedLLM,
        *,
        model: str = "openai/scripted",
        timeout_seconds: float = 20,
        attempts: int = 3,
        base_url: str | None = None,
    ) -> None:
        self.slept: list[float] = []
        self.calls: list[ModelCall] = []
        self.llm = LiteLLM(
            ModelChoice(model=model, api_key=SecretStr(KEY), api_base=base_url or server.base_url),
            Limits(timeout_seconds=timeout_seconds, retry=Retry(attempts=attempts)),
            sleep=self._sleep,
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def told(self, call: ModelCall) -> None:
        self.calls.append(call)

    @property
    def outcomes(self) -> list[tuple[int, str, TokenUsage]]:
        return [(call.attempt, call.outcome, call.usage) for call in self.calls]

    async def complete(self) -> str:
        return (await self.llm.complete(MESSAGES, on_call=self.told)).text

    async def facts(self) -> Facts:
        return (await self.llm.structured(MESSAGES, Facts, on_call=self.told))[0]

    async def streamed(self) -> str:
        return "".join([piece async for piece in self.llm.stream(MESSAGES, on_call=self.told)])


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """LiteLLM takes seconds to load, which tests of short limits have no time for."""
    with scripted_llm() as server:
        server.answer_with("warm")
        asyncio.run(Client(server).complete())


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        yield server


@pytest.fixture
def client(server: ScriptedLLM) -> Client:
    return Client(server)


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test here fails when anything but this machine was looked up or connected to, in whatever thread."""
    outside: list[str] = []
    real_connect, real_lookup = socket.socket.connect, socket.getaddrinfo

    def connect(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in {"127.0.0.1", "::1"}:
            outside.append(str(address))
            raise OSError(f"outside: {address}")
        real_connect(self, address)

    def lookup(host: Any, *rest: Any, **named: Any) -> Any:
        if host not in {None, "127.0.0.1", "localhost", b"127.0.0.1"}:
            outside.append(str(host))
            raise OSError(f"outside: {host}")
        return real_lookup(host, *rest, **named)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    yield
    assert outside == []


async def test_complete_gives_text_and_usage(server: ScriptedLLM, client: Client):
    """A whole answer comes with its model and its tokens, and is sent what was asked."""
    server.answer_with("tea it is")
    completion = await client.llm.complete(MESSAGES, max_tokens=50)
    assert (completion.text, completion.model, completion.usage) == ("tea it is", "openai/scripted", ONE_CALL)
    (request,) = server.requests
    assert request.messages == [
        {"role": "system", "content": "You extract facts."},
        {"role": "user", "content": PROMPT},
    ]
    assert (request.model, request.body["max_tokens"], request.body["temperature"]) == ("scripted", 50, 0.2)
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_fixed_temperature_is_sent(server: ScriptedLLM):
    """A family that takes only 1.0 is sent that."""
    server.answer_with("ok")
    await Client(server, model="openai/gemini-3-flash-preview").complete()
    assert server.requests[0].body["temperature"] == 1.0


async def test_key_of_the_environment_is_never_sent(server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch):
    """A choice without a key does not pick up one that is meant for another."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.answer_with("ok")
    await open_llm(ModelChoice(model="openai/scripted", api_base=server.base_url)).complete(MESSAGES)
    assert server.requests[0].headers["authorization"] == "Bearer none"


async def test_structured_asks_by_schema(server: ScriptedLLM, client: Client):
    """The schema goes along, closed and strict where it can be, and the answer is a value."""
    server.answer_with([as_json(FACTS), as_json({"features": {"a": "b"}})])
    assert await client.llm.structured(MESSAGES, Facts) == (Facts(facts=["likes tea"]), ONE_CALL)
    asked = server.requests[0].body["response_format"]["json_schema"]
    assert asked["strict"] is True
    assert asked["schema"]["required"] == ["facts", "note"]
    assert asked["schema"]["additionalProperties"] is False
    assert (await client.llm.structured(MESSAGES, Open))[0] == Open(features={"a": "b"})
    assert server.requests[1].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    "text",
    [
        '{"facts": ["likes tea"]}',
        'Here they are:\n```json\n{"facts": ["likes tea"]}\n```\nAnything else?',
        '```\n{"facts": ["likes tea"]}\n```',
        'Sure! {"facts": ["likes tea"]} I hope that helps.',
        '```json\n{"other": 1}\n```\nor rather\n```json\n{"facts": ["likes tea"]}\n```',
    ],
)
async def test_structured_reads_through_talk(server: ScriptedLLM, client: Client, text: str):
    """JSON is found in a fence and between words, at no further call."""
    server.answer_with([text])
    assert await client.facts() == Facts(facts=["likes tea"])


@pytest.mark.parametrize(
    ("bad", "shown"),
    [
        (garbage(), "no complete JSON"),
        (half_json(FACTS), "no complete JSON"),
        (Answer(text=""), "no complete JSON"),
        (as_json({"facts": "likes tea"}), "facts: Input should be a valid array"),
        (as_json([1, 2]), "answer: Input should be an object"),
    ],
)
async def test_bad_answer_is_mended_once(server: ScriptedLLM, client: Client, bad: Answer, shown: str):
    """The model sees its answer and the error, and its second answer counts; both are paid for."""
    server.answer_with([bad, as_json(FACTS)])
    assert await client.llm.structured(MESSAGES, Facts) == (Facts(facts=["likes tea"]), TWO_CALLS)
    *asked, answer, complaint = server.requests[1].messages
    assert asked == server.requests[0].messages
    assert answer == {"role": "assistant", "content": bad.text or "(empty)"}
    assert shown in complaint["content"]


async def test_second_bad_answer_is_malformed(server: ScriptedLLM, client: Client):
    """Two bad answers end it; what they said is not in the error."""
    server.answer_with([garbage(), half_json(FACTS), as_json(FACTS)])
    with pytest.raises(MalformedOutput) as caught:
        await client.facts()
    assert str(caught.value) == "openai/scripted: neither of two answers reads as Facts"
    assert len(server.requests) == 2
    assert client.outcomes == [(1, "MalformedOutput", ONE_CALL), (2, "MalformedOutput", ONE_CALL)]


MANY = {"facts": [f"likes tea no. {n}" for n in range(40)]}


async def test_of_an_answer_that_was_cut_off_the_rest_is_asked_for(server: ScriptedLLM, client: Client):
    """What is complete stays, and is not paid for twice; a complaint about the form invites the same long answer."""
    server.answer_with([cut_off(MANY, at=300), as_json(FACTS)])
    whole = [*MANY["facts"][:15], "likes tea"]
    assert await client.llm.structured(MESSAGES, Facts) == (Facts(facts=whole), TWO_CALLS)
    request = server.requests[1].messages[-1]["content"]
    assert "Its complete entries (15) are kept; do not repeat them" in request
    assert "no complete JSON" not in request


async def test_an_answer_that_is_put_right_stands_alone(server: ScriptedLLM, client: Client):
    """It is the whole answer once more."""
    server.answer_with([half_json(MANY), as_json(FACTS)])
    assert await client.facts() == Facts(facts=["likes tea"])


async def test_what_two_answers_hold_that_were_cut_off_is_one(server: ScriptedLLM, client: Client):
    server.answer_with([cut_off(MANY, at=100), cut_off({"facts": ["has a cat", "has a dog"]}, at=28)])
    assert await client.facts() == Facts(facts=[*MANY["facts"][:4], "has a cat"])


@pytest.mark.parametrize(
    "second", [cut_off(MANY, at=30), garbage(), status(401)], ids=["cut", "garbage", "refused"]
)
async def test_if_the_second_is_no_better_the_whole_entries_stay(
    server: ScriptedLLM, client: Client, second: Answer
):
    server.answer_with([cut_off(MANY, at=100), second])
    assert await client.facts() == Facts(facts=MANY["facts"][:4])
    assert len(server.requests) == 2


async def test_if_the_second_does_not_come_nothing_is_lost(server: ScriptedLLM, client: Client):
    """Whoever asks tries again later, and may get all."""
    server.answer_with([cut_off(MANY, at=100), status(500), status(500), status(500)])
    with pytest.raises(ProviderError):
        await client.facts()


async def test_a_whole_answer_at_the_limit_is_an_answer(server: ScriptedLLM, client: Client):
    server.answer_with([cut_off(FACTS, at=1_000)])
    assert await client.facts() == Facts(facts=["likes tea"])


async def test_of_an_answer_longer_than_any_model_writes_the_rest_is_not_read(
    server: ScriptedLLM, client: Client
):
    """It counts as cut off where reading ends: to parse megabytes keeps everybody else waiting."""
    facts = [f"likes tea no. {n:0100}" for n in range(10_000)]
    server.answer_with(as_json({"facts": facts}))
    kept = (await client.facts()).facts
    assert (
        len(json.dumps({"facts": kept}))
        <= MOST_CHARACTERS
        < len(json.dumps({"facts": facts[: len(kept) + 1]}))
    )
    assert "cut off" in server.requests[1].messages[-1]["content"]


async def test_mended_answer_is_told_of_with_the_one_before(server: ScriptedLLM, client: Client):
    """Both requests cost tokens, so both are told of; the first was no answer."""
    server.answer_with([garbage(), as_json(FACTS)])
    assert await client.facts() == Facts(facts=["likes tea"])
    assert client.outcomes == [(1, "MalformedOutput", ONE_CALL), (2, "ok", ONE_CALL)]


async def test_server_that_refuses_schemas_is_asked_in_words(server: ScriptedLLM, client: Client):
    """A server without schemas gets it in the system message, and is not asked by schema again."""

    def refuse_schemas(request: Any) -> Answer:
        return status(400) if request.schema else as_json(FACTS)

    server.answer_with(refuse_schemas)
    assert [await client.facts(), await client.facts()] == [Facts(facts=["likes tea"])] * 2
    assert [request.schema is None for request in server.requests] == [False, True, True]
    system = server.requests[2].messages[0]
    assert system["content"].startswith("You extract facts.\n\nAnswer with one JSON object")
    assert '"facts"' in system["content"]


async def test_bad_request_of_another_cause_is_refused(server: ScriptedLLM, client: Client):
    """When words do not help either, it was not the schema, which stays in use."""
    server.answer_with([status(400), status(400), as_json(FACTS)])
    with pytest.raises(ProviderRefused):
        await client.facts()
    await client.facts()
    assert server.requests[2].schema is not None


async def test_stream_yields_pieces_and_counts(server: ScriptedLLM, client: Client):
    """The pieces come in order, and the tokens are reported at the end."""
    server.answer_with("once upon a time")
    pieces = [piece async for piece in client.llm.stream(MESSAGES, on_call=client.told)]
    assert "".join(pieces) == "once upon a time"
    assert len(pieces) > 1
    assert client.outcomes == [(1, "ok", ONE_CALL)]


@pytest.mark.parametrize("call", [Client.complete, Client.streamed])
async def test_thoughts_in_the_answer_are_left_out(server: ScriptedLLM, client: Client, call):
    """Some servers send them there."""
    server.answer_with("<think>Which story?</think>\n\nonce upon a time")
    assert (await call(client)).strip() == "once upon a time"


async def test_a_stream_of_thoughts_alone_is_no_answer(server: ScriptedLLM, client: Client):
    """It is told like any other stream without text."""
    server.answer_with("<think>Which story?")
    with pytest.raises(ProviderError, match="without an answer"):
        await client.streamed()


@pytest.mark.parametrize(("model", "times"), [("openai/scripted", 0), ("openrouter/scripted", 1)])
async def test_stream_is_not_put_together_for_logs(server: ScriptedLLM, model: str, times: int):
    """OpenAI's is read as it comes; LiteLLM puts another one together to count its tokens, and only for that."""
    client = Client(server, model=model)
    litellm: Any = importlib.import_module("litellm")
    built, build = list[int](), litellm.stream_chunk_builder

    def counted(**given: Any) -> Any:
        built.append(len(given["chunks"]))
        return build(**given)

    server.answer_with("once upon a time")
    litellm.stream_chunk_builder = counted
    try:
        assert await client.streamed() == "once upon a time"
        await asyncio.sleep(0.1)  # whatever goes on behind the answer
    finally:
        litellm.stream_chunk_builder = build
    assert len(built) == times
    assert client.outcomes == [(1, "ok", ONE_CALL)]


async def test_stream_left_early_is_still_reported(server: ScriptedLLM, client: Client):
    """A reader that goes away closes the stream and the request is told of."""
    server.answer_with("once upon a time")
    stream: AsyncIterator[str] = client.llm.stream(MESSAGES, on_call=client.told)
    assert await anext(stream) == "once "
    await stream.aclose()  # type: ignore[attr-defined]
    assert [call.outcome for call in client.calls] == ["Cancelled"]


@pytest.mark.parametrize("call", [Client.complete, Client.facts, Client.streamed])
@pytest.mark.parametrize(
    "passing", [status(429), status(500), status(502), status(503), status(529), dropped(), not_http()]
)
async def test_passing_failure_is_tried_again(
    server: ScriptedLLM, client: Client, passing: Answer, call: Callable[[Client], Any]
):
    """A limit, a server's fault or a lost connection is waited out, each pause twice the last."""
    if passing.raw_body is not None and call is Client.streamed:
        passing = dropped()  # a stream that holds nothing is no failure to connect; see below
    server.answer_with([passing, passing, as_json(FACTS)])
    answer = await call(client)
    assert answer == (Facts(facts=["likes tea"]) if isinstance(answer, Facts) else json.dumps(FACTS))
    assert len(server.requests) == 3
    first, second = client.slept
    assert 0.5 <= first <= 1.0 <= second <= 1.5
    assert client.outcomes == [
        (1, "ProviderError", NO_TOKENS),
        (2, "ProviderError", NO_TOKENS),
        (3, "ok", ONE_CALL),
    ]


@pytest.mark.parametrize("call", [Client.complete, Client.facts, Client.streamed])
async def test_server_that_is_not_there_is_said_to_be_so(server: ScriptedLLM, call: Callable[[Client], Any]):
    """And not, as LiteLLM has it, to have answered 500."""
    client = Client(server, base_url=f"http://127.0.0.1:{free_port()}/v1")
    with pytest.raises(ProviderError, match=r"openai/scripted: the server could not be reached") as caught:
        await call(client)
    assert "500" not in str(caught.value)
    assert len(client.outcomes) == 3


@pytest.mark.parametrize("call", [Client.complete, Client.facts, Client.streamed])
async def test_lasting_failure_is_given_up(
    server: ScriptedLLM, client: Client, call: Callable[[Client], Any]
):
    """After the last try the error says who failed and how."""
    server.answer_with(status(500))
    with pytest.raises(ProviderError, match=r"openai/scripted: InternalServerError, HTTP 500") as caught:
        await call(client)
    assert type(caught.value) is ProviderError
    assert len(server.requests) == 3
    assert client.outcomes == [(attempt, "ProviderError", NO_TOKENS) for attempt in (1, 2, 3)]


@pytest.mark.parametrize("call", [Client.complete, Client.facts, Client.streamed])
@pytest.mark.parametrize(
    "refusal",
    [status(401), status(402), status(403), status(404), status(429, error_code="insufficient_quota",
     says="You exceeded your current quota (insufficient_quota)")],
)  # fmt: skip
async def test_refusal_is_not_tried_again(
    server: ScriptedLLM, client: Client, refusal: Answer, call: Callable[[Client], Any]
):
    """Key, quota and model name do not mend themselves."""
    server.answer_with(refusal)
    with pytest.raises(ProviderRefused):
        await call(client)
    assert len(server.requests) == 1
    assert client.slept == []


@pytest.mark.parametrize("call", [Client.complete, Client.facts, Client.streamed])
async def test_refused_parameters_are_a_refusal(
    server: ScriptedLLM, client: Client, call: Callable[[Client], Any]
):
    """A 422, which LiteLLM mends by itself or swallows, is never taken for an answer."""
    server.answer_with(status(422))
    with pytest.raises(ProviderRefused, match="422"):
        await call(client)
    assert client.slept == []


@pytest.mark.parametrize(("asked", "slept"), [(3, 3.0), (0, 0.0), (3600, 20.0)])
async def test_retry_after_is_honoured_up_to_a_cap(
    server: ScriptedLLM, client: Client, asked: float, slept: float
):
    """The provider's wish goes before our own pauses, unless it is to sleep for an hour."""
    server.answer_with([status(429, retry_after=asked), "ok"])
    assert await client.complete() == "ok"
    assert client.slept == [slept]


@pytest.mark.parametrize("asked", ["Wed, 21 Oct 2026 07:28:00 GMT", "nan", "inf", "soon", ""])
async def test_retry_after_without_a_number_is_passed_over(server: ScriptedLLM, client: Client, asked: str):
    """A date or nonsense in `Retry-After` leaves us with our own pause."""
    server.answer_with([Answer(status=429, headers={"Retry-After": asked}), "ok"])
    assert await client.complete() == "ok"
    [pause] = client.slept
    assert 0.5 <= pause <= 1.0


async def test_pauses_double_up_to_the_longest():
    """Pauses grow by two, are spread by the first one, and are bounded; a wish for less than nothing is for none."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    asked = iter([None, None, None, None, -4.0, 7.0, None])

    async def attempt() -> Failure:
        return Failure(error=ProviderError, told="down", retry_after_seconds=next(asked))

    last = await retrying(
        attempt, Retry(attempts=7, first_pause_seconds=1, longest_pause_seconds=6), sleep=sleep
    )
    assert isinstance(last, Failure)
    bounds = [(1, 2), (2, 3), (4, 5), (6, 6), (0, 0), (6, 6)]
    assert all(low <= pause <= high for pause, (low, high) in zip(slept, bounds, strict=True)), slept


async def test_calls_that_fail_together_do_not_come_back_together():
    """Pauses have jitter."""
    slept: set[float] = set()

    async def sleep(seconds: float) -> None:
        slept.add(seconds)

    async def attempt() -> Failure:
        return Failure(error=ProviderError, told="down")

    for _ in range(20):
        await retrying(attempt, Retry(attempts=2), sleep=sleep)
    assert len(slept) == 20


@pytest.mark.parametrize("call", [Client.complete, Client.facts, Client.streamed])
@pytest.mark.parametrize("script", [never(), slow("late", 5)])
async def test_silence_ends_in_a_timeout(server: ScriptedLLM, script: Script, call: Callable[[Client], Any]):
    """Each try has its limit, and there are no more tries than allowed."""
    client = Client(server, timeout_seconds=1.0, attempts=2)
    server.answer_with(script)
    with pytest.raises(ProviderTimeout, match="no answer in time"):
        await call(client)
    assert len(server.requests) == 2
    assert len(client.slept) == 1


async def test_slow_answer_within_the_limit_is_good(server: ScriptedLLM, client: Client):
    """Slow is not late."""
    server.answer_with(slow("there", 0.2))
    assert await client.complete() == "there"


async def test_stream_that_stalls_is_a_timeout(server: ScriptedLLM):
    """What came stays; a silence in the middle is an error, and nothing is begun anew."""
    client = Client(server, timeout_seconds=2)
    server.answer_with(Answer(text="once upon a time", stall_after_pieces=2))
    seen: list[str] = []

    async def read() -> None:
        async for piece in client.llm.stream(MESSAGES):
            seen.append(piece)

    with pytest.raises(ProviderTimeout):
        await read()
    assert "".join(seen) == "once upon "
    assert len(server.requests) == 1


@pytest.mark.parametrize(("text", "told"), [("", ""), ("once upon a time", "once upon a time")])
async def test_filtered_stream_is_refused(server: ScriptedLLM, client: Client, text: str, told: str):
    """What came stays, and the answer does not pass for a whole one; it is not asked for again."""
    server.answer_with(Answer(text=text, finish_reason="content_filter"))
    seen: list[str] = []

    async def read() -> None:
        async for piece in client.llm.stream(MESSAGES):
            seen.append(piece)

    with pytest.raises(ProviderRefused, match="content filter"):
        await read()
    assert "".join(seen) == told
    assert len(server.requests) == 1


NO_CHUNKS = ('{"choices": ', "[]", "7", '{"choices": 7}', '{"error": {"message": "overloaded", "code": 503}}')


@pytest.mark.parametrize("event", NO_CHUNKS)
async def test_stream_that_turns_into_something_else_is_an_error(
    server: ScriptedLLM, client: Client, event: str
):
    """What came stays, and what cannot be read ends the answer."""
    server.answer_with([Answer(text="once upon", last_event=event), "again"])
    seen: list[str] = []

    async def read() -> None:
        async for piece in client.llm.stream(MESSAGES):
            seen.append(piece)

    with pytest.raises(ProviderError):
        await read()
    assert "".join(seen) == "once upon"
    assert len(server.requests) == 1


@pytest.mark.parametrize("broken", [dropped(after_pieces=2), not_http()])
async def test_stream_that_breaks_is_an_error(server: ScriptedLLM, client: Client, broken: Answer):
    """A stream that is cut, or holds nothing, never passes for a whole answer."""
    server.answer_with([broken, "again"])
    with pytest.raises(ProviderError):
        await client.streamed()
    assert len(server.requests) == 1


async def test_call_can_be_cancelled(server: ScriptedLLM, client: Client):
    """Cancelling ends a call that would never end, and the request that was sent is told of."""
    server.answer_with(never())
    task = asyncio.create_task(client.complete())
    while not server.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert client.outcomes == [(1, "Cancelled", TokenUsage(prompt_tokens=prompt_tokens(MESSAGES)))]


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("openai/gpt-4o-mini", PROMPT_TOKENS * 0.15e-6 + COMPLETION_TOKENS * 0.6e-6),
        ("openai/scripted", None),
        ("openai/claude-haiku-4-5", None),
    ],
    ids=["listed", "unknown", "of another provider"],
)
async def test_cost_is_that_of_the_price_list(server: ScriptedLLM, model: str, cost: float | None):
    """What the list that comes with LiteLLM has for the provider's model; nothing is guessed."""
    client = Client(server, model=model)
    server.answer_with("tea it is")
    await client.complete()
    assert client.calls[0].cost_usd == (None if cost is None else pytest.approx(cost))


@pytest.mark.parametrize("call", [Client.complete, Client.facts, Client.streamed])
@pytest.mark.parametrize("code", [400, 401, 429, 500])
async def test_nothing_confidential_is_told(
    server: ScriptedLLM,
    client: Client,
    call: Callable[[Client], Any],
    code: int,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
):
    """Prompt, answer and key are in no log, no output and no error, whatever the provider quotes."""
    caplog.set_level(logging.DEBUG)
    server.answer_with(status(code, says=f"wrong key {KEY} for {PROMPT}"))
    with pytest.raises(ProviderError) as caught:
        await call(client)
    chain: list[BaseException] = [caught.value]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(cause)
    told = "".join(map(repr, chain)) + caplog.text + "".join(capfd.readouterr())
    assert KEY not in told
    assert PROMPT not in told


async def test_malformed_answer_is_not_told(
    server: ScriptedLLM, client: Client, caplog: pytest.LogCaptureFixture
):
    """What a model wrote is no part of the error either."""
    caplog.set_level(logging.DEBUG)
    server.answer_with(garbage())
    with pytest.raises(MalformedOutput) as caught:
        await client.facts()
    assert caught.value.__context__ is None
    assert GARBAGE not in str(caught.value) + caplog.text


async def test_calls_side_by_side_do_not_mix(server: ScriptedLLM, client: Client):
    """Many calls at once each get their own answer."""
    server.answer_with(lambda request: f"echo {request.messages[-1]['content']}")
    prompts = [f"number {n}" for n in range(12)]
    answers = await asyncio.gather(
        *(client.llm.complete((ChatMessage(role="user", content=prompt),)) for prompt in prompts)
    )
    assert [answer.text for answer in answers] == [f"echo {prompt}" for prompt in prompts]


@pytest.mark.parametrize(
    "model",
    [
        "openai/gpt-5-mini",
        "deepseek/deepseek-chat",
        "minimax/MiniMax-M2.5",
        "dashscope/qwen-plus",
        "xai/grok-4.3",
        "moonshot/kimi-k2.5",
        "zai/glm-4.7",
        "openrouter/google/gemini-3-flash-preview",
    ],
)
async def test_each_openai_like_provider_is_called_with_its_key(server: ScriptedLLM, model: str):
    """Each provider gets the bare name of its model, the tenant's key, and gives a value."""
    server.answer_with(as_json(FACTS))
    assert await Client(server, model=model).facts() == Facts(facts=["likes tea"])
    (request,) = server.requests
    assert request.model == model.partition("/")[2]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert "facts" in json.dumps(request.body)


@pytest.mark.parametrize("model", ["anthropic/claude-haiku-4-5", "gemini/gemini-3-flash-preview"])
async def test_other_protocols_look_nowhere_else(server: ScriptedLLM, model: str):
    """Providers of another protocol are called at the given address alone: no list is fetched beside."""
    with pytest.raises(ProviderRefused, match="404"):
        await Client(server, model=model).complete()
    assert server.requests == []


LOAD_AND_CALL = """
import asyncio, sys

outside = []

def watch(event, args):
    if event == "socket.getaddrinfo" or event == "socket.connect" and isinstance(args[1], tuple):
        host = args[0] if event == "socket.getaddrinfo" else args[1][0]
        if host not in (None, "127.0.0.1", b"127.0.0.1"):
            outside.append(str(host))

sys.addaudithook(watch)

from sagacity.providers.base import ChatMessage
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm

llm = open_llm(ModelChoice(model="openai/scripted", api_base=sys.argv[1]))
answer = asyncio.run(llm.complete((ChatMessage(role="user", content="hi"),)))
print(answer.text, outside)
"""


@pytest.mark.full
def test_load_and_first_call_stay_on_this_machine(server: ScriptedLLM):
    """A fresh process imports and calls without one look outside, and prints nothing of its own."""
    server.answer_with("hello")
    ran = subprocess.run(
        [sys.executable, "-c", LOAD_AND_CALL, server.base_url],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("hello []\n", "", 0)


async def test_load_leaves_litellm_silent():
    """No callback is registered and no logger speaks below an error that nobody raises."""
    await asyncio.to_thread(load_litellm)
    litellm: Any = importlib.import_module("litellm")
    assert (litellm.callbacks, litellm.failure_callback, litellm.cache) == ([], [], None)
    assert set(litellm.success_callback) <= {"cache"}  # its code for Gemini adds that name, without a cache
    assert litellm.turn_off_message_logging is True
    said = "an error with Bearer of-a-secret-that-is-told-to-nobody"
    assert litellm._logging.redact_string(said) == said  # to look through errors takes the event loop's time
    for name in LOGGERS:
        assert not logging.getLogger(name).isEnabledFor(logging.CRITICAL)
