"""A remote embedder against a server that misbehaves by script."""

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest
from pydantic import SecretStr

from sagacity.domain.errors import ProviderError, ProviderRefused, ProviderTimeout
from sagacity.providers.embedders.remote import RemoteEmbedder
from sagacity.providers.retry_policy import Limits, Retry
from support.embedding_server import (
    EmbeddingServer,
    embedding_server,
    garbage,
    never,
    one_short,
    slow,
    status,
    wrong_dimension,
)

pytestmark = pytest.mark.usefixtures("closed_clients")

KEY = "sk-this-is-secret"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server(dimension=8) as running:
        yield running


def embedder(
    server: EmbeddingServer, *, timeout_seconds: float = 60, attempts: int = 3, **options
) -> RemoteEmbedder:
    return RemoteEmbedder(
        "openai/scripted",
        dimension=8,
        api_key=SecretStr(KEY),
        api_base=server.base_url,
        limits=Limits(
            timeout_seconds=timeout_seconds, retry=Retry(attempts=attempts, first_pause_seconds=0.01)
        ),
        **options,
    )


async def test_request_carries_texts_and_key(server: EmbeddingServer) -> None:
    """What goes over the wire: model, texts in batches, the key; blank texts stay here."""
    vectors = await embedder(server, batch_size=2).embed(["tea", " ", "sea", "car"])
    assert server.batches == [["tea", "sea"], ["car"]]
    assert {request["model"] for request in server.requests} == {"scripted"}
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1])


async def test_without_a_key_none_is_taken_from_elsewhere(server: EmbeddingServer) -> None:
    """A placeholder is sent, never a key of the environment."""
    remote = RemoteEmbedder("openai/scripted", dimension=8, api_base=server.base_url, limits=Limits())
    await remote.embed(["tea"])
    assert server.keys == ["Bearer none"]


async def test_long_text_is_cut(server: EmbeddingServer) -> None:
    """At the configured number of characters."""
    await embedder(server, max_characters=5).embed(["abcdefgh"])
    assert server.batches == [["abcde"]]


@pytest.mark.parametrize(
    "fault",
    [
        status(429),
        status(500),
        status(503),
        garbage(),
        garbage(b'{"data": [{"embedding": "x"}]}'),
        one_short(),
    ],
    ids=["429", "500", "503", "html", "no numbers", "one short"],
)
async def test_passing_failure_is_tried_again(server: EmbeddingServer, fault) -> None:
    """Twice wrong, then right: the caller sees vectors."""
    server.fail_with(fault, fault)
    vectors = await embedder(server).embed(["tea", "sea"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1])
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "fault", [status(429), status(500), garbage(), one_short()], ids=["429", "500", "html", "short"]
)
async def test_lasting_failure_is_given_up(server: EmbeddingServer, fault) -> None:
    """After the retries it is a ProviderError that a later run may try again."""
    server.fail_with(*[fault] * 10)
    with pytest.raises(ProviderError, match="openai/scripted") as caught:
        await embedder(server, attempts=2).embed(["tea", "sea"])
    assert type(caught.value) is ProviderError
    assert caught.value.retryable
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "fault",
    [
        status(401, says=f"wrong key {KEY}"),
        status(404, says="no such model"),
        status(400, says="the input 'tea' is bad"),
        status(429, error_code="insufficient_quota", says="insufficient_quota"),
    ],
    ids=["key", "model", "input", "quota"],
)
async def test_refusal_is_final_and_tells_no_secrets(server: EmbeddingServer, fault) -> None:
    """No retry, and neither key nor text in the error."""
    server.fail_with(fault)
    with pytest.raises(ProviderRefused) as caught:
        await embedder(server).embed(["tea"])
    assert KEY not in str(caught.value)
    assert "'tea'" not in str(caught.value)
    assert len(server.requests) == 1


async def test_wrong_dimension_is_refused_with_both_numbers(server: EmbeddingServer) -> None:
    """A setting to mend, not to try again."""
    server.fail_with(wrong_dimension(5))
    with pytest.raises(ProviderRefused, match="5 numbers, but 8 are configured"):
        await embedder(server).embed(["tea"])
    assert len(server.requests) == 1


async def test_no_answer_is_a_timeout(server: EmbeddingServer) -> None:
    """Each attempt ends in time. The first call of a process takes a while to be sent, so one comes before."""
    await embedder(server).embed(["warm"])
    server.fail_with(never(), never())
    with pytest.raises(ProviderTimeout, match="within 1 s"):
        await embedder(server, timeout_seconds=1.0, attempts=2).embed(["tea"])
    assert len(server.requests) == 3


async def test_slow_answer_is_waited_for(server: EmbeddingServer) -> None:
    """Slow is not late."""
    server.fail_with(slow(0.2))
    assert (await embedder(server).embed(["tea"])).shape == (1, 8)
    assert len(server.requests) == 1


async def test_unreachable_server_is_a_provider_error() -> None:
    """Nobody listens there."""
    with embedding_server(dimension=8) as gone:
        remote = embedder(gone, attempts=2)
    with pytest.raises(ProviderError, match="openai/scripted"):
        await remote.embed(["tea"])


async def test_background_calls_take_turns(server: EmbeddingServer) -> None:
    """One background call at a time; a waiting one passes those that have not begun."""
    server.fail_with(slow(0.2))
    remote = embedder(server)
    background = [asyncio.create_task(remote.embed([f"memory {n}"], background=True)) for n in range(3)]
    while not server.requests:
        await asyncio.sleep(0.01)
    await remote.embed(["question"])
    await asyncio.gather(*background)
    assert server.batches == [["memory 0"], ["question"], ["memory 1"], ["memory 2"]]
    assert server.most_at_once == 2
