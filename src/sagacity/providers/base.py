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
    """An image beside the text: an http(s) URL, or the image itself as a `data:` URL; empty if none."""


class TokenUsage(Value):
    """The token usage of one call; zero if the provider does not report it."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """How many of the prompt's tokens the provider read from its cache."""

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


class Completion(Value):
    """A complete answer as text."""

    text: str
    model: str
    usage: TokenUsage = TokenUsage()


class ModelCall(Value):
    """One request of a call: the first attempt, a retry, or a request for a corrected answer."""

    model: str
    attempt: int = 1
    """Number of the request within its call, from 1."""
    usage: TokenUsage = TokenUsage()
    duration_seconds: float = 0.0
    outcome: str = SUCCEEDED
    """`ok`, or the name of its error; `Cancelled` if the caller gave up."""
    cost_usd: float | None = None
    """None if the model's price is not known."""


OnCall = Callable[[ModelCall], Awaitable[None]]
"""Called after each request, including failed ones. It must not raise."""


async def ignore_call(_call: ModelCall) -> None:
    """Keep nothing."""


class LLM(Protocol):
    """
    A chat model. `on_call` is called for every request that a call sends.

    All calls raise `ProviderTimeout` if no answer came in time, `ProviderRefused` if the provider will not serve
    the call (key, quota, model name), and `ProviderError` otherwise, after bounded retries of temporary failures.
    """

    @property
    def model(self) -> str:
        """The model's name for provenance."""
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
        Return one answer parsed into *output*; if it was cut off, at least its complete entries.

        Raises:
            MalformedOutput: it did not parse, and neither did a second answer after the model was shown the error.
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
        """Yield the answer piece by piece; *temperature* (0..2) is used only if the model takes one."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors, so that a dot product is the cosine."""

    @property
    def model(self) -> str:
        """The name and version recorded with the vectors; vectors of different models are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        ...

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """
        Embed *texts*.

        Args:
            texts: any number; longer ones are cut at the model's limit. Empty text gives a zero vector.
            background: nobody waits for the result; calls that somebody waits for go first.

        Returns:
            float32 [n, dimension], rows of unit length (or zero), in the order of *texts*.

        Raises:
            ProviderError: the embedder failed; nothing is cached.
        """
        ...

    async def warm(self) -> None:
        """Load the model and run it once, so that the first real call is as fast as the next."""
        ...


class Reranker(Protocol):
    """A reranker: it compares question and text together rather than by separate vectors."""

    @property
    def name(self) -> str:
        """Its name in reports of failures."""
        ...

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> Vectors:
        """
        Score how well each text answers the question.

        Args:
            query: the question.
            texts: most promising first; scored in this order, and cut at the model's limit.
            seconds: how long it may take.

        Returns:
            float32 [n], in [0, 1], higher is better; NaN for texts that there was no time for.

        Raises:
            ProviderError: the model failed.
        """
        ...

    async def warm(self) -> None:
        """Load the model and run it once, so that the first real call is as fast as the next."""
        ...
