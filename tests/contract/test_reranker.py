"""What every reranker promises, run on each of them."""

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest

from sagacity.providers.base import Reranker
from sagacity.providers.remote_reranker import RemoteReranker
from support.reranking_server import reranking_server

pytestmark = pytest.mark.usefixtures("closed_clients")

QUESTION = "where does anna live"
ANSWER = "in lisbon anna does live"
OTHER = "the ferry sails at noon"
HOSTILE = [
    "",
    " \n\t",
    "?!…",
    "\ud800 half a surrogate pair",
    "\x00\x01\x02 control",
    "x" * 20_000,
    "words " * 20_000,
    "[CLS] [SEP] [MASK] [PAD]",
    "漢字" * 400,
    "👩‍👩‍👧‍👦" * 50,
]


@pytest.fixture(params=["hosted_vllm", "cohere", "jina_ai"])
def reranker(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    with reranking_server() as server:
        yield RemoteReranker(f"{request.param}/scripted", api_base=server.base_url)


async def test_rank_gives_a_score_for_each_text(reranker: Reranker) -> None:
    """float32 [n], in [0, 1]; equal texts score alike."""
    scores = await reranker.rank(QUESTION, [ANSWER, OTHER, ANSWER], seconds=30)
    assert scores.dtype == np.float32
    assert scores.shape == (3,)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores[0] == pytest.approx(scores[2], abs=1e-3)


async def test_rank_prefers_the_answer(reranker: Reranker) -> None:
    """Higher is better, wherever the text stands."""
    last, first = await reranker.rank(QUESTION, [OTHER, ANSWER], seconds=30)
    assert first > last + 0.1
    first, last = await reranker.rank(QUESTION, [ANSWER, OTHER], seconds=30)
    assert first > last + 0.1


async def test_rank_of_nothing_gives_nothing(reranker: Reranker) -> None:
    """No texts, no scores."""
    scores = await reranker.rank(QUESTION, [], seconds=30)
    assert (scores.shape, scores.dtype) == ((0,), np.float32)


async def test_rank_without_time_gives_no_scores(reranker: Reranker) -> None:
    """NaN for each text, and no error."""
    scores = await reranker.rank(QUESTION, ["anna sails", "tea at noon"], seconds=0)
    assert np.isnan(scores).tolist() == [True, True]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_rank_survives_hostile_text(reranker: Reranker, text: str) -> None:
    """Any string is a question and a text, and disturbs no other."""
    beside, score = await reranker.rank(QUESTION, [ANSWER, text], seconds=30)
    asked = await reranker.rank(text, [ANSWER], seconds=30)
    assert 0 <= score <= 1
    assert 0 <= asked[0] <= 1
    assert beside == pytest.approx((await reranker.rank(QUESTION, [ANSWER], seconds=30))[0], abs=1e-3)


async def test_concurrent_calls_get_their_own_answers(reranker: Reranker) -> None:
    """Questions asked at once do not mix."""
    pairs = [(QUESTION, [ANSWER, OTHER]), ("the ferry", [ANSWER, OTHER]), ("tea", ["tea is hot", ANSWER])] * 4
    expected = [await reranker.rank(query, texts, seconds=30) for query, texts in pairs]
    together = await asyncio.gather(*(reranker.rank(query, texts, seconds=30) for query, texts in pairs))
    assert np.abs(np.stack(together) - np.stack(expected)).max() < 1e-3
    assert together[1][1] > together[1][0]


async def test_warm_reranker_is_named_and_ranks(reranker: Reranker) -> None:
    """A name for traces, that does not change."""
    name = reranker.name
    await reranker.warm()
    assert reranker.name == name
    assert name
    assert (await reranker.rank("tea", ["tea"], seconds=30)).shape == (1,)
