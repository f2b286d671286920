"""The interfaces of models: text in; text, values or vectors out."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from sagacity.domain.base import Value
from sagacity.domain.ledger import SUCCEEDED

Vectors = npt.NDArray[np.float32]
Output = TypeVar("Output", bound=BaseModel)


class ChatMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str
    image: str = Field(default="", repr=False)
    """What is seen beside the text: an http(s) address, or the image itself as a `data:` URL; empty: nothing."""


class TokenUsage(Value):
    """What one call cost, in tokens; zero where the provider does not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """How many of the prompt's tokens the provider had read before, and took from its cache."""

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


class Completion(Value):
    """A whole answer as text."""

    text: str
    model: str
    usage: TokenUsage = TokenUsage()


class ModelCall(Value):
    """One request that was sent: the first try of a call, a later one, or the one that asks for a corrected answer."""

    model: str
    attempt: int = 1
    """Counts the requests of one call, from 1."""
    usage: TokenUsage = TokenUsage()
    duration_seconds: float = 0.0
    outcome: str = SUCCEEDED
    """`ok`, or the name of the error that it ended with; `Cancelled` where the caller gave up."""
    cost_usd: float | None = None
    """None if the model's price is not known."""


OnCall = Callable[[ModelCall], Awaitable[None]]
"""Told of each request right after it, also when it failed. It may not raise."""


async def ignore_call(_call: ModelCall) -> None:
    """Keep nothing."""


class LLM(Protocol):
    """
    A chat model. `on_call` is told of every request that a call sends.

    All calls raise `ProviderTimeout` when no answer came in time, `ProviderRefused` when the provider will not serve
    the call (key, quota, model name), and `ProviderError` for the rest, after bounded retries of what may pass.
    """

    @property
    def model(self) -> str:
        """The model's name as it goes into provenance."""
        ...

    async def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None, on_call: OnCall = ignore_call
    ) -> Completion:
        """Return one answer as text."""
        ...

    async def structured(
        self,
        messages: Sequence[ChatMessage],
        output: type[Output],
        *,
        max_tokens: int | None = None,
        on_call: OnCall = ignore_call,
    ) -> tuple[Output, TokenUsage]:
        """
        Return one answer parsed into *output*; of one that was cut off, the whole entries at least.

        Raises:
            MalformedOutput: it did not parse, nor did a second answer to which the error was shown.
        """
        ...

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        on_call: OnCall = ignore_call,
    ) -> AsyncGenerator[str]:
        """Yield the answer piece by piece; *temperature* (0..2) only where the model takes one."""
        ...


class Embedder(Protocol):
    """Text to unit vectors, so that a dot product is the cosine."""

    @property
    def model(self) -> str:
        """The name and version recorded with the vectors; other vectors are never compared with these."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers a vector."""
        ...

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """
        Embed *texts*.

        Args:
            texts: any number; longer ones are cut at the model's limit. Empty text gives a zero vector.
            background: nobody waits for it: it goes behind calls for which somebody does.

        Returns:
            float32 [n, dimension], rows of unit length (or zero), in the order of *texts*.

        Raises:
            ProviderError: the embedder failed; nothing is cached.
        """
        ...

    async def warm(self) -> None:
        """Load and run once, so that the first real call is as fast as the next."""
        ...


class Reranker(Protocol):
    """A closer look than the embedder's: question and text are compared as wholes, not by a vector each."""

    @property
    def name(self) -> str:
        """What it is called where it failed or was late."""
        ...

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> Vectors:
        """
        Score how well each text answers the question.

        Args:
            query: the question.
            texts: most promising first, which is the order in which they are looked at; cut at the model's limit.
            seconds: how long it may take.

        Returns:
            float32 [n], in [0, 1], higher is better; NaN for what there was no time for.

        Raises:
            ProviderError: the model failed.
        """
        ...

    async def warm(self) -> None:
        """Load and run once, so that the first real call is as fast as the next."""
        ...
