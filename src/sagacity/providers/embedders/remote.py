"""Any embedding model that LiteLLM can call, over HTTP."""

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import SecretStr

from sagacity.domain.errors import ProviderError, ProviderRefused, ProviderTimeout
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.batching import readable
from sagacity.providers.litellm_seam import NO_KEY, LoadedLiteLLM, loaded_litellm
from sagacity.providers.retry_policy import Failure, Limits, judge, retrying
from sagacity.providers.traced import traced_call


class RemoteEmbedder:
    """A remote model. Background calls run one at a time, so that they never crowd out waiting callers."""

    def __init__(
        self,
        model: str,
        *,
        dimension: int,
        api_key: SecretStr | None = None,
        api_base: str | None = None,
        limits: Limits,
        batch_size: int = 64,
        max_characters: int = 8_000,
    ) -> None:
        """
        Describe the model; nothing connects yet.

        Args:
            model: in LiteLLM's naming, provider first: `openai/text-embedding-3-small`.
            dimension: what the model gives; another length is refused.
            api_key: sent to the provider and shown nowhere.
            api_base: the address of another server that speaks the provider's protocol.
            limits: time limit and attempts for each batch.
            batch_size: texts per call.
            max_characters: longer texts are cut.
        """
        self._model = model
        self._dimension = dimension
        self._api_key = api_key.get_secret_value() if api_key else NO_KEY
        self._api_base = api_base
        self._limits = limits
        self._batch_size = batch_size
        self._max_characters = max_characters
        self._background_turn = asyncio.Semaphore(1)

    @property
    def model(self) -> str:
        """The name in LiteLLM's naming."""
        return self._model

    @property
    def dimension(self) -> int:
        """As configured."""
        return self._dimension

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """
        Embed *texts*; blank ones are not sent.

        Raises:
            ProviderTimeout: no attempt was answered in time.
            ProviderRefused: the provider refused the key, quota or model name, or its vectors have another dimension.
            ProviderError: the last attempt failed in another way.
        """
        if background:
            async with self._background_turn:
                return await self._embed(texts)
        return await self._embed(texts)

    async def warm(self) -> None:
        """Import LiteLLM and make one call, so that a wrong key or dimension shows at once."""
        await self.embed(["warm"])

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self._dimension), np.float32)
        cut = [readable(text, limit=self._max_characters) for text in texts]
        filled = [position for position, text in enumerate(cut) if text.strip()]
        for start in range(0, len(filled), self._batch_size):
            positions = filled[start : start + self._batch_size]
            vectors[positions] = await self._persist([cut[position] for position in positions])
        return vectors

    async def _persist(self, texts: list[str]) -> Vectors:
        """Call the model until it answers or refuses, or the attempts are used up."""
        litellm = await loaded_litellm()
        outcome = await retrying(lambda: self._try(litellm, texts), self._limits.retry)
        if isinstance(outcome, Failure):
            raise outcome.error(outcome.told)
        return outcome

    async def _try(self, litellm: LoadedLiteLLM, texts: list[str]) -> Vectors | Failure:
        timeout_seconds = self._limits.timeout_seconds
        try:
            with traced_call("embeddings", self._model, self._api_base, count=len(texts)) as headers:
                async with asyncio.timeout(timeout_seconds):
                    response = await litellm.aembedding(
                        model=self._model,
                        input=texts,
                        api_key=self._api_key,
                        api_base=self._api_base,
                        timeout=timeout_seconds,
                        encoding_format="float",
                        max_retries=0,  # the retries are ours: bounded, spaced and in one place
                        **({"extra_headers": headers} if headers else {}),
                    )
            return unit_rows(response.data, count=len(texts), dimension=self._dimension, model=self._model)
        except (TimeoutError, *litellm.timeouts):
            told = f"{self._model}: no vectors within {timeout_seconds:g} s"
            return Failure(error=ProviderTimeout, told=told)
        except ProviderError as error:
            return Failure(error=type(error), told=str(error))
        except litellm.errors as error:
            return judge(self._model, error)


def unit_rows(items: Sequence[Any], *, count: int, dimension: int, model: str) -> Vectors:
    """
    Check a provider's answer and scale its vectors to unit length.

    Args:
        items: mappings with `embedding` and perhaps `index`, as received.
        count: the number of vectors requested.
        dimension: the dimension expected of each.
        model: the name used in errors.

    Returns:
        float32 [count, dimension], in the order of `index`; a zero vector stays zero.

    Raises:
        ProviderRefused: the vectors have another dimension.
        ProviderError: the answer is not a list of *count* finite vectors.
    """
    try:
        ordered = sorted(items, key=lambda item: item.get("index") or 0)
        rows = np.array([item["embedding"] for item in ordered], np.float32)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ProviderError(
            f"{model} did not answer with vectors; check that it is an embedding model"
        ) from error
    if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():  # noqa: PLR2004  rows x numbers
        raise ProviderError(
            f"{model} did not answer with {count} vectors of finite numbers; check that it is an embedding model"
        )
    if rows.shape[1] != dimension:
        raise ProviderRefused(
            f"{model} gives vectors of {rows.shape[1]} numbers, but {dimension} are configured"
        )
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
