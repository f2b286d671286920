"""Any reranking model that LiteLLM can call, over HTTP."""

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import SecretStr

from sagacity.domain.errors import ConfigError, ProviderError, ProviderRefused
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.batching import readable
from sagacity.providers.litellm_seam import NO_KEY, loaded_litellm
from sagacity.providers.retry_policy import judge
from sagacity.providers.traced import traced_call

MAX_CHARACTERS = 8_000
"""Longer texts are cut, because rerankers read only some hundred words."""
WARM_SECONDS = 10.0


class RemoteReranker:
    """A remote model, called once per search; somebody waits, so a retry would come too late."""

    def __init__(self, model: str, *, api_key: SecretStr | None = None, api_base: str | None = None) -> None:
        """
        Describe the model; nothing connects yet.

        Args:
            model: in LiteLLM's naming, provider first: `cohere/rerank-v3.5`, `hosted_vllm/bge-reranker-v2-m3`.
            api_key: sent to the provider and shown nowhere.
            api_base: the address of another server that speaks the provider's protocol.
        """
        self._model = model
        self._api_key = api_key.get_secret_value() if api_key else NO_KEY
        self._api_base = api_base

    @property
    def name(self) -> str:
        """The model, as LiteLLM names it."""
        return self._model

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> Vectors:
        """
        Score all *texts* in one call; blank ones are not sent and score 0.

        Raises:
            ProviderRefused: the provider refused the key or the model's name.
            ProviderError: the call failed in another way.
        """
        question = readable(query, limit=MAX_CHARACTERS)
        cut = [readable(text, limit=MAX_CHARACTERS) for text in texts]
        filled = [place for place, text in enumerate(cut) if text.strip()]
        scores = np.zeros(len(cut), np.float32)
        if filled and question.strip():
            scores[filled] = await self._scores(question, [cut[place] for place in filled], seconds)
        return scores

    async def warm(self) -> None:
        """
        Import LiteLLM and make one call. A provider that is down for a moment does not prevent the start.

        Raises:
            ConfigError: the provider refuses the model's name or the key.
        """
        try:
            await self.rank("warm", ["warm"], seconds=WARM_SECONDS)
        except ProviderRefused as error:
            raise ConfigError(f"SAGACITY_RERANKER: {error}") from error
        except ProviderError:
            return  # each search that asks for reranking reports it

    async def _scores(self, query: str, texts: list[str], seconds: float) -> Vectors:
        """Return scores, float32 [n]; NaN for texts that were not scored in time."""
        late = np.full(len(texts), np.nan, np.float32)
        if seconds <= 0:
            return late
        litellm = await loaded_litellm()
        try:
            with traced_call("rerank", self._model, self._api_base, count=len(texts)) as headers:
                async with asyncio.timeout(seconds):
                    reply = await litellm.arerank(
                        model=self._model,
                        query=query,
                        documents=texts,
                        return_documents=False,
                        api_key=self._api_key,
                        api_base=self._api_base,
                        timeout=seconds,
                        max_retries=0,
                        **({"headers": headers} if headers else {}),
                    )
        except (TimeoutError, *litellm.timeouts):
            return late
        except litellm.errors as error:
            failure = judge(self._model, error)
            raise failure.error(failure.told) from None  # its text may quote what was sent
        return _scores(reply.results, count=len(texts), model=self._model)


def _scores(items: Any, *, count: int, model: str) -> Vectors:
    """Parse a provider's answer: float32 [count] in [0, 1], NaN for texts that it left out."""
    scores = np.full(count, np.nan, np.float32)
    try:
        for item in items:
            scores[item["index"]] = item["relevance_score"]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ProviderError(
            f"{model} did not answer with scores of {count} texts; check that it is a reranking model"
        ) from error
    return np.clip(scores, 0, 1)
