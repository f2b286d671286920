"""Remote embedders and rerankers in a trace: a span for each call, and a server of one's own goes on with it."""

import pytest
from pydantic import SecretStr

from sagacity.domain.errors import ProviderRefused
from sagacity.observability.tracing import TraceChoice, span, traced
from sagacity.providers.embedders.remote import RemoteEmbedder
from sagacity.providers.remote_reranker import RemoteReranker
from sagacity.providers.retry_policy import Limits
from support.collector import collector
from support.embedding_server import embedding_server, status
from support.reranking_server import reranking_server

pytestmark = pytest.mark.usefixtures("closed_clients")


async def test_calls_are_spans_and_their_servers_are_told_of_them() -> None:
    """With the key as without a trace, and none of the texts; a call that fails is an error. Else no header is sent."""
    key = SecretStr("k3y")
    with collector() as received, embedding_server(dimension=8) as embeds, reranking_server() as ranks:
        embedder = RemoteEmbedder(
            "openai/scripted", dimension=8, api_base=embeds.base_url, api_key=key, limits=Limits()
        )
        reranker = RemoteReranker("hosted_vllm/scripted", api_base=ranks.base_url, api_key=key)
        await embedder.embed(["untraced"])
        await reranker.rank("tea", ["untraced"], seconds=60)
        async with traced(TraceChoice(url=f"{received.url}/v1/traces")):
            with span("outer"):
                await embedder.embed(["garden", "tea"])
                assert (await reranker.rank("garden", ["garden"], seconds=60)).tolist() == [1.0]
            embeds.fail_with(status(401))
            with pytest.raises(ProviderRefused):
                await embedder.embed(["garden"])
    outer = received.named("outer")
    embedded, refused = (one for one in received.spans if one.name == "embeddings openai/scripted")
    ranked = received.named("rerank hosted_vllm/scripted")
    assert embedded.parent_id == ranked.parent_id == outer.span_id
    assert [embeds.traceparents[0], ranks.traceparents[0]] == [None, None]
    for told, one in ((embeds, embedded), (embeds, refused), (ranks, ranked)):
        sent = [str(header).rpartition("-")[0] for header in told.traceparents]
        assert sent.count(f"00-{one.trace_id}-{one.span_id}") == 1
    assert {*embeds.keys, *ranks.keys} == {"Bearer k3y"}
    assert (embedded.kind, embedded.attributes["sagacity.texts"], embedded.is_error) == (3, 2, False)
    assert refused.is_error
    assert b"garden" not in b"".join(received.raw)
