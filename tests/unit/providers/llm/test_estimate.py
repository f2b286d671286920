"""Tokens of which no provider tells are estimated, so that what was asked and answered always counts."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from sagacity.domain.errors import ProviderError
from sagacity.providers.base import ChatMessage, ModelCall
from sagacity.providers.choice import ModelChoice
from sagacity.providers.litellm_seam import load_litellm
from sagacity.providers.llm.estimate import IMAGE_TOKENS, prompt_tokens, text_tokens
from sagacity.providers.llm.litellm import LiteLLM
from sagacity.providers.llm.open import open_llm
from sagacity.providers.llm.structured import json_schema_format
from support.local_servers import free_port
from support.pictures import DATA_URL
from support.scripted_llm import Answer, ScriptedLLM, as_json, dropped, never, scripted_llm, status

pytestmark = pytest.mark.usefixtures("closed_clients")

MESSAGES = (
    ChatMessage(role="system", content="You extract facts."),
    ChatMessage(role="user", content="I moved to Lyon. " * 20),
)
ASKED = prompt_tokens(MESSAGES)
ANSWER = "tea it is, and cake on Sundays"


class Facts(BaseModel):
    """What is asked for."""

    facts: list[str]


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """LiteLLM takes seconds to load, which tests of short limits have no time for."""
    load_litellm()


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        yield server


class Told(list[ModelCall]):
    """Requests as they are told of."""

    async def __call__(self, call: ModelCall) -> None:
        self.append(call)

    @property
    def counted(self) -> list[tuple[str, int, int]]:
        return [(call.outcome, call.usage.prompt_tokens, call.usage.completion_tokens) for call in self]


@pytest.fixture
def told() -> Told:
    return Told()


def opened(server: ScriptedLLM, *, seconds: float = 60, base_url: str | None = None) -> LiteLLM:
    choice = ModelChoice(
        model="openai/gpt-4o-mini", api_key=SecretStr("k"), api_base=base_url or server.base_url
    )
    return open_llm(choice, timeout_seconds=seconds, attempts=1)


async def completed(llm: LiteLLM, told: Told) -> None:
    await llm.complete(MESSAGES, on_call=told)


async def streamed(llm: LiteLLM, told: Told) -> None:
    async for _ in llm.stream(MESSAGES, on_call=told):
        pass


def test_text_counts_a_quarter_of_its_bytes():
    """So that scripts with more tokens a letter count for more; a part of a token is one."""
    assert [text_tokens(text) for text in ("", "a", "tea", "cake", "cakes", "里昂")] == [0, 1, 1, 1, 2, 2]
    assert text_tokens("\ud800") > 0


def test_a_prompt_counts_its_texts_its_schema_and_its_images():
    """An image for what one usually takes, however long its base64."""
    shown = (*MESSAGES, ChatMessage(role="user", content="", image=DATA_URL + "A" * 1_000_000))
    assert prompt_tokens(shown) == ASKED + IMAGE_TOKENS
    assert prompt_tokens(MESSAGES, json_schema_format(Facts)) > ASKED + 20


NO_NUMBERS = {
    "zero": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "less than nothing": {"prompt_tokens": -9, "completion_tokens": -9, "total_tokens": -18},
    "more than can be": {"prompt_tokens": 10**12, "completion_tokens": 10**12, "total_tokens": 10**12},
}


@pytest.mark.parametrize("call", [completed, streamed])
@pytest.mark.parametrize("usage", NO_NUMBERS.values(), ids=NO_NUMBERS.keys())
async def test_an_answer_with_no_number_of_tokens_is_estimated(
    server: ScriptedLLM, told: Told, usage: dict[str, int], call: Callable[..., Any]
):
    """Prompt and answer, with their price."""
    server.answer_with(Answer(text=ANSWER, usage=usage))
    await call(opened(server), told)
    answered = text_tokens(ANSWER)
    assert told.counted == [("ok", ASKED, answered)]
    assert told[0].cost_usd == pytest.approx(ASKED * 0.15e-6 + answered * 0.6e-6)


async def test_an_answer_that_says_nothing_of_tokens_is_estimated(server: ScriptedLLM, told: Told):
    """In a stream LiteLLM counts for itself, with its tokenizer and what belongs to a message."""
    server.answer_with(Answer(text=ANSWER, usage=None))
    await completed(opened(server), told)
    await streamed(opened(server), told)
    assert told.counted[0] == ("ok", ASKED, text_tokens(ANSWER))
    outcome, asked, answered = told.counted[1]
    assert (outcome, asked >= ASKED, answered > 0) == ("ok", True, True)


@pytest.mark.parametrize("call", [completed, streamed])
async def test_what_the_provider_says_counts_as_it_is(
    server: ScriptedLLM, told: Told, call: Callable[..., Any]
):
    """Also where an estimate would be another; what it leaves out is estimated beside."""
    said = {"prompt_tokens": 3, "completion_tokens": 999, "total_tokens": 1002}
    server.answer_with(
        [Answer(text=ANSWER, usage=said), Answer(text=ANSWER, usage={**said, "completion_tokens": 0})]
    )
    await call(opened(server), told)
    await call(opened(server), told)
    assert told.counted == [("ok", 3, 999), ("ok", 3, text_tokens(ANSWER))]


async def test_an_answer_that_does_not_parse_is_estimated_too(server: ScriptedLLM, told: Told):
    """With the schema that was sent, and the second question with what was wrong with the first answer."""
    server.answer_with(
        [Answer(text="no json", usage=None), Answer(text=as_json({"facts": []}).text, usage=None)]
    )
    _, usage = await opened(server).structured(MESSAGES, Facts, on_call=told)
    first, second = told.counted
    assert first == ("MalformedOutput", prompt_tokens(MESSAGES, json_schema_format(Facts)), 2)
    assert second[1] > first[1]
    assert usage.prompt_tokens == first[1] + second[1]


@pytest.mark.parametrize("call", [completed, streamed])
@pytest.mark.parametrize("silence", [never(), status(504)], ids=["no answer", "a proxy's timeout"])
async def test_a_request_that_timed_out_counts_its_prompt(
    server: ScriptedLLM, told: Told, silence: Answer, call: Callable[..., Any]
):
    """The provider has it, and may well work on it."""
    server.answer_with(silence)
    with pytest.raises(ProviderError):
        await call(opened(server, seconds=0.5 if silence.never else 60), told)
    assert told.counted == [("ProviderTimeout", ASKED, 0)]


@pytest.mark.parametrize("call", [completed, streamed])
async def test_a_request_given_up_counts_its_prompt(
    server: ScriptedLLM, told: Told, call: Callable[..., Any]
):
    server.answer_with(never())
    task = asyncio.ensure_future(call(opened(server), told))
    async with asyncio.timeout(60):
        while not server.requests:
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told.counted == [("Cancelled", ASKED, 0)]


async def test_a_stream_left_early_counts_what_came(server: ScriptedLLM, told: Told):
    server.answer_with(ANSWER)
    stream: Any = opened(server).stream(MESSAGES, on_call=told)
    came = await anext(stream) + await anext(stream)
    await stream.aclose()
    assert told.counted == [("Cancelled", ASKED, text_tokens(came))]


@pytest.mark.parametrize(
    ("broken", "outcome"),
    [
        (Answer(text=ANSWER, stall_after_pieces=2), "ProviderTimeout"),
        (dropped(after_pieces=2), "ProviderError"),
    ],
    ids=["stalled", "dropped"],
)
async def test_a_stream_that_breaks_counts_what_came(
    server: ScriptedLLM, told: Told, broken: Answer, outcome: str
):
    server.answer_with(broken)
    with pytest.raises(ProviderError):
        await streamed(opened(server, seconds=1 if outcome == "ProviderTimeout" else 60), told)
    assert told.counted == [(outcome, ASKED, text_tokens(broken.text[:10]))]


@pytest.mark.parametrize("call", [completed, streamed])
@pytest.mark.parametrize("code", [400, 401, 429, 500])
async def test_a_request_that_was_turned_away_counts_nothing(
    server: ScriptedLLM, told: Told, code: int, call: Callable[..., Any]
):
    """Nobody is charged for it, and a provider that is down for a day leaves the cap as it was."""
    server.answer_with(status(code))
    with pytest.raises(ProviderError):
        await call(opened(server), told)
    assert [one[1:] for one in told.counted] == [(0, 0)]


@pytest.mark.parametrize("call", [completed, streamed])
async def test_a_request_that_reached_nobody_counts_nothing(
    server: ScriptedLLM, told: Told, call: Callable[..., Any]
):
    with pytest.raises(ProviderError):
        await call(opened(server, base_url=f"http://127.0.0.1:{free_port()}/v1"), told)
    assert told.counted == [("ProviderError", 0, 0)]
