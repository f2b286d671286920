"""What every embedder promises, run on each of them."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import numpy as np
import pytest
from pydantic import SecretStr

from sagacity.providers.base import Embedder
from sagacity.providers.embedders.cached import CachedEmbedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.embedders.multilingual import MultilingualUSE
from sagacity.providers.embedders.remote import RemoteEmbedder
from sagacity.providers.retry_policy import Limits
from support.embedding_server import EmbeddingServer, embedding_server

pytestmark = pytest.mark.usefixtures("closed_clients")

FACT = "Anna moved to Lisbon in spring and works for a shipping company."
PARAPHRASE = "In spring Anna moved to Lisbon, she works for a company in shipping."
UNRELATED = "How do I write a regular expression that matches dates?"
HOSTILE = [
    "\ud800 half a surrogate pair",
    "\x00\x01\x02 control",
    "\u202eright to left\u202c \u0645\u0631\u062d\u0628\u0627",
    "a\u0301" * 300,
    "👩‍👩‍👧‍👦" * 50,
    "x" * 5_000,
    "[CLS] [SEP] [MASK] [PAD] <s> </s> <unk>",
    "'; DROP TABLE memories; --",
    "漢字" * 400,
]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="module")
def multilingual() -> MultilingualUSE:
    return MultilingualUSE()


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingServer]:
    with embedding_server(dimension=256) as running:
        yield running


@pytest.fixture(params=["minilm", "multilingual", "cached", "remote"])
async def embedder(
    request: pytest.FixtureRequest, minilm: MiniLM, multilingual: MultilingualUSE, server: EmbeddingServer
) -> AsyncIterator[Embedder]:
    match request.param:
        case "minilm":
            yield minilm
        case "multilingual":
            yield multilingual
        case "cached":
            yield CachedEmbedder(minilm, capacity=100)
        case _:
            yield RemoteEmbedder(
                "openai/scripted",
                dimension=256,
                api_base=server.base_url,
                api_key=SecretStr("k"),
                limits=Limits(),
                batch_size=3,
            )


async def alone(embedder: Embedder, text: str) -> np.ndarray:
    return (await embedder.embed([text]))[0]


async def test_embed_gives_unit_rows(embedder: Embedder) -> None:
    """float32 [n, dimension], each row of length 1."""
    vectors = await embedder.embed([FACT, PARAPHRASE, UNRELATED])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, embedder.dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_embed_of_nothing_gives_no_rows(embedder: Embedder) -> None:
    """No texts: an empty array of the right width."""
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


async def test_embed_blank_text_gives_zero_vector(embedder: Embedder) -> None:
    """Empty and blank text has no direction; its neighbours are not disturbed."""
    vectors = await embedder.embed(["", FACT, " \n\t\u3000"])
    assert not vectors[[0, 2]].any()
    assert vectors[1] @ await alone(embedder, FACT) == pytest.approx(1, abs=1e-3)


async def test_embed_keeps_order_and_ignores_the_batch(embedder: Embedder) -> None:
    """A text has the same vector alone, in any batch and at any place, whatever the lengths around it."""
    texts = [
        f"{'long words around ' * (n % 7)}subject number {n} about {word}"
        for n, word in enumerate(["tea", "sea", "car", "dog", "sky", "sun", "ink", "fox", "owl", "elm"] * 2)
    ]
    together = await embedder.embed(texts)
    reverse = (await embedder.embed(texts[::-1], background=True))[::-1]
    singles = np.stack([await alone(embedder, text) for text in texts])
    assert (together * singles).sum(axis=1).min() > 1 - 1e-3
    assert (reverse * singles).sum(axis=1).min() > 1 - 1e-3


async def test_embed_same_text_twice_gives_same_rows(embedder: Embedder) -> None:
    """Duplicates in one call are equal."""
    vectors = await embedder.embed([FACT, UNRELATED, FACT])
    assert vectors[0] == pytest.approx(vectors[2], abs=1e-5)
    assert abs(vectors[0] @ vectors[1]) < 0.9


async def test_embed_paraphrase_is_closer_than_unrelated(embedder: Embedder) -> None:
    """Like meaning, like direction."""
    fact, paraphrase, unrelated = await embedder.embed([FACT, PARAPHRASE, UNRELATED])
    assert fact @ paraphrase > 0.5
    assert fact @ paraphrase > fact @ unrelated + 0.3


async def test_embed_cuts_long_text(embedder: Embedder) -> None:
    """What lies far beyond the limit changes nothing."""
    page = "The quarterly report describes shipping routes. " * 400
    with_tail = await alone(embedder, page + "Completely other things: " + "jazz trumpet " * 5_000)
    assert with_tail @ await alone(embedder, page) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_embed_survives_hostile_text(embedder: Embedder, text: str) -> None:
    """Any string gives a finite vector, of unit length or zero."""
    vector = await alone(embedder, text)
    assert np.isfinite(vector).all()
    assert min(abs(np.linalg.norm(vector) - 1), np.linalg.norm(vector)) < 1e-5


async def test_embed_concurrent_calls_get_their_own_answers(embedder: Embedder) -> None:
    """Interactive and background calls at once do not mix."""
    texts = [f"memory {n} is about {word}" for n, word in enumerate(["tea", "boats", "chess", "rain"] * 4)]
    expected = await embedder.embed(texts)
    answers = await asyncio.gather(
        *(embedder.embed([text], background=n % 2 == 0) for n, text in enumerate(texts))
    )
    assert [answer.shape for answer in answers] == [(1, embedder.dimension)] * len(texts)
    assert (np.vstack(answers) * expected).sum(axis=1).min() > 1 - 1e-3


async def test_embed_result_belongs_to_the_caller(embedder: Embedder) -> None:
    """Writing into a result does not change the next one."""
    first = await embedder.embed([FACT])
    kept = first.copy()
    first[:] = 9
    assert await embedder.embed([FACT]) == pytest.approx(kept, abs=1e-5)


async def test_warm_then_model_and_dimension_are_named(embedder: Embedder) -> None:
    """A warm embedder answers; its name and width do not change."""
    name, width = embedder.model, embedder.dimension
    await embedder.warm()
    assert (embedder.model, embedder.dimension) == (name, width)
    assert name
    assert (await embedder.embed(["tea"])).shape == (1, width)
