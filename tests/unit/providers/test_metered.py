"""What a call cost is told once, however it ends."""

import pytest

from sagacity.domain.errors import ProviderTimeout
from sagacity.providers.base import TokenUsage
from sagacity.providers.metered import ModelCall, Operation, metered


def test_call_is_reported_with_its_sum_and_time():
    """Tokens of all answers add up, and the time is that of the block."""
    calls: list[ModelCall] = []
    ticks = iter([10.0, 12.5])
    with metered("m", Operation.STRUCTURED, calls.append, timer=lambda: next(ticks)) as meter:
        meter.add(TokenUsage(prompt_tokens=3, completion_tokens=1))
        meter.add(TokenUsage(prompt_tokens=4))
    assert calls == [
        ModelCall(
            model="m",
            operation=Operation.STRUCTURED,
            usage=TokenUsage(prompt_tokens=7, completion_tokens=1),
            duration_seconds=2.5,
        )
    ]


def test_failed_call_is_reported_with_its_error():
    """A failure is reported too, with what was paid until then, and goes on."""
    calls: list[ModelCall] = []

    def fail() -> None:
        with metered("m", Operation.COMPLETE, calls.append, timer=lambda: 0.0) as meter:
            meter.add(TokenUsage(prompt_tokens=3))
            raise ProviderTimeout("late")

    with pytest.raises(ProviderTimeout):
        fail()
    assert [(call.error_kind, call.usage.prompt_tokens) for call in calls] == [("ProviderTimeout", 3)]
