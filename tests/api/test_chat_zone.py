"""A user's own clock says what day it is: to the model, and to a question of what was yesterday."""

from datetime import UTC, datetime

import httpx
import pytest
from fastapi import FastAPI

from sagacity.chat.prepare import SendRequest, UserMessage, prepare
from sagacity.domain.ids import UserId
from sagacity.domain.principal import Principal
from sagacity.memories.acting import Acting
from support.chatting import sent
from support.parts import StoppedClock
from support.promises import HERE, choose
from support.scripted_llm import scripted_llm

LATE = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
"""A Sunday; on Monday morning in Tokyo."""


@pytest.fixture
def api_clock() -> StoppedClock:
    return StoppedClock(LATE)


async def lives_in(api: httpx.AsyncClient, zone: str) -> None:
    reply = await api.patch("/api/profile", params={"user_id": "ana"}, json={"timezone": zone})
    assert reply.status_code == 200, reply.text


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        (None, "Sunday, 01 March 2026, 23:30 UTC"),
        ("Asia/Tokyo", "Monday, 02 March 2026, 08:30 JST"),
        ("America/New_York", "Sunday, 01 March 2026, 18:30 EST"),
    ],
)
@pytest.mark.parametrize("include_memory", [True, False])
async def test_prompt_has_the_users_own_time(
    api: httpx.AsyncClient, zone: str | None, told: str, *, include_memory: bool
) -> None:
    """Whether or not anything is remembered; in UTC for who never said where they are."""
    if zone is not None:
        await lives_in(api, zone)
    with scripted_llm() as model:
        model.answer_with(lambda _request: "Good day.")
        await choose(api, model)
        await sent(api, "What day is it?", user="ana", include_memory=include_memory)
    [asked] = [one for one in model.requests if "What day is it?" in one.prompt]
    assert f"It is {told}." in asked.messages[-1]["content"]


@pytest.mark.parametrize(
    ("zone", "word", "start", "end"),
    [
        (None, "yesterday", "2026-02-28T00:00:00", "2026-02-28T23:59:59"),
        ("Asia/Tokyo", "yesterday", "2026-02-28T15:00:00", "2026-03-01T14:59:59"),
        ("Asia/Tokyo", "today", "2026-03-01T15:00:00", "2026-03-02T14:59:59"),
        ("America/New_York", "today", "2026-03-01T05:00:00", "2026-03-02T04:59:59"),
    ],
)
async def test_days_in_a_question_are_the_users_own(
    app: FastAPI, api: httpx.AsyncClient, zone: str | None, word: str, start: str, end: str
) -> None:
    """From midnight to midnight where the user is."""
    if zone is not None:
        await lives_in(api, zone)
    acting = Acting(app.state.runtime.parts, Principal(tenant=HERE))
    asked = UserMessage(content=f"What did we talk about {word}?")
    prepared = await prepare(acting, UserId("ana"), SendRequest(asked=asked), "r1")
    analysis = prepared.remembered.context.trace.analysis
    assert analysis is not None
    reference = analysis.time_reference
    assert reference is not None
    assert reference.start == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert reference.end is not None
    assert reference.end.replace(microsecond=0) == datetime.fromisoformat(end).replace(tzinfo=UTC)
