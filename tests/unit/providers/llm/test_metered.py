"""Each request of a call is told of once, however it ends."""

import asyncio

import pytest

from sagacity.domain.errors import ProviderTimeout
from sagacity.providers.base import ModelCall, TokenUsage
from sagacity.providers.llm.metered import Meter


class Told(list[ModelCall]):
    """Requests in the order in which they were told of."""

    async def __call__(self, call: ModelCall) -> None:
        self.append(call)


def metering(told: Told, *times: float) -> Meter:
    ticks = iter(times)
    return Meter("m", told, price=lambda usage: usage.prompt_tokens / 1000, timer=lambda: next(ticks))


async def test_requests_are_told_of_one_by_one_and_add_up():
    """Each has its own number, tokens, time and price; the call has the sum of the tokens."""
    told = Told()
    meter = metering(told, 10.0, 12.5, 20.0, 20.25)
    async with meter.request() as sent:
        sent.usage = TokenUsage(prompt_tokens=3, completion_tokens=1)
        sent.outcome = "MalformedOutput"
    async with meter.request() as sent:
        sent.usage += TokenUsage(prompt_tokens=4)
    first = TokenUsage(prompt_tokens=3, completion_tokens=1)
    assert told == [
        ModelCall(model="m", usage=first, duration_seconds=2.5, outcome="MalformedOutput", cost_usd=0.003),
        ModelCall(
            model="m", attempt=2, usage=TokenUsage(prompt_tokens=4), duration_seconds=0.25, cost_usd=0.004
        ),
    ]
    assert meter.usage == TokenUsage(prompt_tokens=7, completion_tokens=1)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(ProviderTimeout("late"), "ProviderTimeout"), (asyncio.CancelledError(), "Cancelled")],
    ids=["failed", "given up"],
)
async def test_request_that_fails_is_told_of_with_its_error(error, outcome):
    """A failure is told of too, with what was paid until then, and goes on."""
    told = Told()

    async def fail() -> None:
        async with metering(told, 0.0, 1.0).request() as sent:
            sent.usage = TokenUsage(prompt_tokens=3)
            raise error

    with pytest.raises(type(error)):
        await fail()
    assert [(call.outcome, call.usage.prompt_tokens, call.duration_seconds) for call in told] == [
        (outcome, 3, 1.0)
    ]
