"""Record calls of embedders and rerankers as spans."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from sagacity.observability.tracing import span


@contextmanager
def traced_call(what: str, model: str, api_base: str | None, *, count: int) -> Generator[Mapping[str, str]]:
    """
    Record the block as one call, and yield its trace headers.

    A server that the configuration names gets the trace; a provider on the internet does not.

    Args:
        what: `embeddings` or `rerank`.
        model: in LiteLLM's naming.
        api_base: the server that the configuration names; None for the provider's own.
        count: number of texts sent.
    """
    attributes = {
        "gen_ai.operation.name": what,
        "gen_ai.provider.name": model.partition("/")[0],
        "gen_ai.request.model": model,
        "sagacity.texts": count,
    }
    with span(f"{what} {model}", attributes, is_call=True) as recorded:
        told = recorded.traceparent if api_base is not None else ""
        yield {"traceparent": told} if told else {}
