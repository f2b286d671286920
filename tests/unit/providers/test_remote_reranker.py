"""A reranker over HTTP: what is sent, what is made of answers, and of answers that are none."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from sagacity.domain.errors import ConfigError, ProviderError, ProviderRefused
from sagacity.providers.remote_reranker import MAX_CHARACTERS, RemoteReranker
from support.reranking_server import Answer, RerankingServer, reranking_server

pytestmark = pytest.mark.usefixtures("closed_clients")


@pytest.fixture
def server() -> Iterator[RerankingServer]:
    with reranking_server() as server:
        yield server


def reranker_of(server: RerankingServer, **given: Any) -> RemoteReranker:
    return RemoteReranker("hosted_vllm/scripted", api_base=server.base_url, **given)


async def test_texts_go_in_one_call_with_the_key(server: RerankingServer) -> None:
    """Cut, without the blank ones, which answer nothing; scores come back by place."""
    texts = ["tea", " ", "green tea " + "x" * MAX_CHARACTERS]
    reranker = reranker_of(server, api_key=SecretStr("secret"))
    assert (await reranker.rank("green tea", texts, seconds=30)).tolist() == [0.5, 0.0, 1.0]
    [request] = server.requests
    assert request["query"] == "green tea"
    assert [len(text) for text in request["documents"]] == [3, MAX_CHARACTERS]
    assert server.keys == ["Bearer secret"]
    assert "secret" not in repr(reranker)


async def test_nothing_is_sent_for_nothing(server: RerankingServer) -> None:
    """A blank question and blank texts cost no call."""
    assert (await reranker_of(server).rank(" ", ["tea"], seconds=30)).tolist() == [0.0]
    assert (await reranker_of(server).rank("tea", ["", "\n"], seconds=30)).tolist() == [0.0, 0.0]
    assert server.requests == []


async def test_late_answer_is_none(server: RerankingServer) -> None:
    """The search goes on without: NaN for each text."""
    server.script(Answer(never=True))
    scores = await reranker_of(server).rank("tea", ["tea", "milk"], seconds=1)
    assert [math.isnan(score) for score in scores] == [True, True]


async def test_a_text_that_the_answer_leaves_out_has_no_score(server: RerankingServer) -> None:
    """Some servers give the best only; scores beyond 0 and 1 are brought to them."""
    server.script(Answer(body={"results": [{"index": 1, "relevance_score": 7.5}]}))
    first, second = await reranker_of(server).rank("tea", ["tea", "milk"], seconds=30)
    assert math.isnan(first)
    assert second == 1.0


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_refusal_stops_the_start_and_fails_a_search(server: RerankingServer, status: int) -> None:
    """A wrong key or name shows as the server starts; the setting is named, and what was sent is not."""
    server.script(*[Answer(status=status, body={"message": "no to anna"})] * 2)
    reranker = reranker_of(server)
    with pytest.raises(ProviderRefused, match="hosted_vllm/scripted") as refused:
        await reranker.rank("where is anna", ["tea"], seconds=30)
    assert "anna" not in str(refused.value)
    with pytest.raises(ConfigError, match=f"SAGACITY_RERANKER: .*{status}"):
        await reranker.warm()
    assert len(server.requests) == 2


async def test_unknown_provider_stops_the_start() -> None:
    """A name that LiteLLM does not know is no model."""
    with pytest.raises(ConfigError, match="SAGACITY_RERANKER"):
        await RemoteReranker("late-interaction").warm()


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=500),
        Answer(status=429),
        Answer(body={"results": "none"}),
        Answer(body={"results": [{"index": 9, "relevance_score": 0.5}]}),
        Answer(body={"results": [{"index": 0, "relevance_score": "much"}]}),
        Answer(body=["no", "object"]),
    ],
    ids=repr,
)
async def test_failure_is_a_provider_error_and_no_reason_not_to_start(
    server: RerankingServer, answer: Answer
) -> None:
    """It is asked once: somebody waits."""
    server.script(answer, answer)
    with pytest.raises(ProviderError):
        await reranker_of(server).rank("tea", ["tea"], seconds=30)
    await reranker_of(server).warm()
    assert len(server.requests) == 2


async def test_redirect_is_refused(server: RerankingServer) -> None:
    """Questions, texts and the key stay where they were sent."""
    with reranking_server() as inside:
        server.script(Answer(status=307, location=f"{inside.base_url}/rerank"))
        with pytest.raises(ProviderRefused, match="a redirect, HTTP 307"):
            await reranker_of(server).rank("tea", ["tea"], seconds=30)
        assert inside.requests == []
