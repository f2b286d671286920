"""An answer while it is written: it can be stopped at any moment, and always comes to an end."""

import asyncio
from datetime import UTC, datetime

import pytest

from sagacity.chat.live import LiveAnswer
from sagacity.domain.chat import Exchange, ExchangeStatus
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.tenant import LOCAL_ORG, Tenant

AT = datetime(2026, 3, 1, tzinfo=UTC)


def answer() -> LiveAnswer:
    exchange = Exchange(
        exchange_id="e-1",
        user_id=UserId("ana"),
        session_id=SessionId("c-1"),
        answer_id="a-1",
        status=ExchangeStatus.RUNNING,
        held_until=AT,
        created_at=AT,
        updated_at=AT,
    )
    return LiveAnswer(Tenant(org_id=LOCAL_ORG), exchange)


async def ended_by(live: LiveAnswer, *, stop_at: str) -> list[str]:
    """What a writer comes to that is stopped before its first step, while it writes, or while it stores."""
    steps: list[str] = []
    writing, storing, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def write() -> None:
        try:
            live.begin()
            steps.append("begun")
            writing.set()
            if stop_at == "writing":
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            steps.append("stopped")
        live.close()
        storing.set()
        if stop_at == "storing":
            await go_on.wait()
        steps.append("stored")

    live.task = asyncio.create_task(write())
    if stop_at != "the beginning":
        await (writing if stop_at == "writing" else storing).wait()
    live.stop(ExchangeStatus.STOPPED)
    go_on.set()
    await live.task
    return steps


@pytest.mark.parametrize(
    ("stop_at", "steps"),
    [
        ("the beginning", ["stopped", "stored"]),
        ("writing", ["begun", "stopped", "stored"]),
        ("storing", ["begun", "stored"]),
    ],
)
async def test_stopped_answer_is_stored(stop_at: str, steps: list[str]) -> None:
    """Whenever the stop comes."""
    assert await ended_by(answer(), stop_at=stop_at) == steps
