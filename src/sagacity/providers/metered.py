"""What each request of a model call cost, told to whoever wants to keep it; nothing is written here."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sagacity.domain.errors import ProviderError
from sagacity.domain.ledger import CANCELLED, SUCCEEDED
from sagacity.providers.base import ModelCall, OnCall, TokenUsage


@dataclass(slots=True)
class SentRequest:
    """One request while it is under way; whoever makes it notes here what comes of it."""

    usage: TokenUsage = field(default_factory=TokenUsage)
    outcome: str = SUCCEEDED


class Meter:
    """Tells of each request of one call, and adds up the call's tokens."""

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
            on_call: who is told.
            price: what so many tokens cost in USD; None where nobody knows.
            timer: seconds that only grow.
        """
        self.usage = TokenUsage()
        self._model = model
        self._on_call = on_call
        self._price = price
        self._timer = timer
        self._attempt = 0

    @asynccontextmanager
    async def request(self) -> AsyncGenerator[SentRequest]:
        """Measure the block as one request, and tell of it at its end, however that comes."""
        self._attempt += 1
        attempt, sent, started = self._attempt, SentRequest(), self._timer()
        try:
            yield sent
        except ProviderError as error:
            sent.outcome = type(error).__name__
            raise
        except (asyncio.CancelledError, GeneratorExit):
            sent.outcome = CANCELLED
            raise
        finally:
            seconds = self._timer() - started
            self.usage += sent.usage
            await self._on_call(
                ModelCall(
                    model=self._model,
                    attempt=attempt,
                    usage=sent.usage,
                    duration_seconds=seconds,
                    outcome=sent.outcome,
                    cost_usd=self._price(sent.usage),
                )
            )
