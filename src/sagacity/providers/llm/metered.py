"""Measure each request of a model call and report it through a callback; nothing is written here."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sagacity.domain.errors import MalformedOutput, ProviderError, ProviderTimeout
from sagacity.domain.ledger import CANCELLED, SUCCEEDED
from sagacity.observability.tracing import Span, span
from sagacity.providers.base import ModelCall, OnCall, TokenUsage
from sagacity.providers.llm.estimate import text_tokens

_WORKED_ON = frozenset({SUCCEEDED, MalformedOutput.__name__, ProviderTimeout.__name__, CANCELLED})


@dataclass(slots=True)
class SentRequest:
    """A running request, on which its caller records the result."""

    asked_tokens: int = 0
    """An estimate of the prompt's tokens."""
    answer: list[str] = field(default_factory=list)
    """The pieces received."""
    usage: TokenUsage = field(default_factory=TokenUsage)
    """The usage that the provider reports; zero if it reports none."""
    outcome: str = SUCCEEDED
    traceparent: str = ""
    """The header that passes the trace on; empty if none is recorded."""

    @property
    def counted(self) -> TokenUsage:
        """
        The reported usage, or an estimate if the provider reports none for a request that it may have processed.

        A request that was refused or never arrived costs nothing.
        """
        if self.outcome not in _WORKED_ON and not self.answer:
            return self.usage
        return TokenUsage(
            prompt_tokens=self.usage.prompt_tokens or self.asked_tokens,
            completion_tokens=self.usage.completion_tokens or text_tokens("".join(self.answer)),
            cached_tokens=self.usage.cached_tokens,
        )


class Meter:
    """Reports each request of one call, and adds up the call's tokens."""

    def __init__(
        self,
        model: str,
        on_call: OnCall,
        *,
        price: Callable[[TokenUsage], float | None],
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        """
        Begin a call.

        Args:
            model: the name that is reported.
            on_call: called for each request.
            price: returns the cost of tokens in USD; None if not known.
            timer: returns monotonic seconds.
        """
        self.usage = TokenUsage()
        self._model = model
        self._on_call = on_call
        self._price = price
        self._timer = timer
        self._attempt = 0

    @asynccontextmanager
    async def request(self, *, asked_tokens: int = 0) -> AsyncGenerator[SentRequest]:
        """
        Measure the block as one request, and report it at its end, whether it succeeded or not.

        Args:
            asked_tokens: an estimate of the prompt's tokens, in case the provider reports none.
        """
        self._attempt += 1
        attempt, sent, started = self._attempt, SentRequest(asked_tokens), self._timer()
        with span(f"chat {self._model}", is_call=True) as recorded:
            sent.traceparent = recorded.traceparent
            try:
                yield sent
            except ProviderError as error:
                sent.outcome = type(error).__name__
                raise
            except (asyncio.CancelledError, GeneratorExit):
                sent.outcome = CANCELLED
                raise
            finally:
                call = ModelCall(
                    model=self._model,
                    attempt=attempt,
                    usage=sent.counted,
                    duration_seconds=self._timer() - started,
                    outcome=sent.outcome,
                    cost_usd=self._price(sent.counted),
                )
                self.usage += call.usage
                _note(recorded, call)
                recorded.end()  # storing the numbers is not part of the request
                await self._on_call(call)


def _note(recorded: Span, call: ModelCall) -> None:
    """Record a request in the trace, with OpenTelemetry's names for model requests."""
    recorded.note(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": call.model.partition("/")[0],
            "gen_ai.request.model": call.model,
            "gen_ai.usage.input_tokens": call.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": call.usage.completion_tokens,
            "sagacity.model.attempt": call.attempt,
            "sagacity.model.outcome": call.outcome,
            "sagacity.model.cost_usd": call.cost_usd,
        }
    )
    if call.outcome != SUCCEEDED:
        recorded.fail(call.outcome)
