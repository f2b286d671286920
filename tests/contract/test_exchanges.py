"""Whose an answer is that is being written, as the database has it."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from sagacity.chat.conversations import delete
from sagacity.chat.live import KEEP_SECONDS, LiveAnswer, LiveAnswers
from sagacity.domain.chat import ExchangeStatus
from sagacity.memories.acting import Parts
from sagacity.storage.transaction import Storage
from support.acting import for_everyone
from support.databases import SQLITE
from support.exchanges import converse
from support.parts import ANNA, ORG, StoppedClock, said

pytestmark = pytest.mark.either_database

HOLD = 15
ENDED = {"status": ExchangeStatus.INTERRUPTED}


async def test_answer_that_was_kept_meanwhile_is_not_closed(storage: Storage, clock: StoppedClock) -> None:
    """Whoever takes it for interrupted may have read it before it was kept."""
    now = clock.now()
    async with storage.begin(ORG) as tx:
        running = await converse(tx, "tea")
        until = now + timedelta(seconds=HOLD)
        assert await tx.exchanges.keep(running.exchange_id, "tea", {"answer": "more"}, until)
    async with storage.begin(ORG) as tx:
        assert not await tx.exchanges.write(running.exchange_id, "tea", ENDED, expired_by=now)
        assert (await tx.exchanges.find(running.exchange_id)).is_running
        assert await tx.exchanges.write(running.exchange_id, "tea", ENDED, expired_by=until)


@SQLITE  # which has one writer at a time, for whom the others wait
async def test_answer_is_held_from_when_it_is_kept(storage: Storage, clock: StoppedClock) -> None:
    """Not from when its process began to wait for the database."""
    async with storage.begin(ORG) as tx:
        running = await converse(tx, "tea")
    live = LiveAnswers(storage, clock, owner="tea", hold_seconds=HOLD)
    live.add(LiveAnswer(ORG, running))
    async with storage.begin(ORG) as tx:
        await tx.exchanges.request_stop(running.exchange_id)  # what is written is locked
        keeping = asyncio.create_task(live.keep())
        await asyncio.sleep(2 * KEEP_SECONDS)
        clock.advance(HOLD)
    while True:
        async with storage.read(ORG) as snapshot:
            kept = await snapshot.exchanges.find(running.exchange_id)
        if kept.held_until != running.held_until:
            break
        await asyncio.sleep(0.05)
    keeping.cancel()
    with suppress(asyncio.CancelledError):
        await keeping
    assert kept.held_until == clock.now() + timedelta(seconds=HOLD)


async def test_message_sent_while_its_conversation_is_deleted_goes_too(
    storage: Storage, parts: Parts
) -> None:
    """Whichever of the two has the conversation first, no message is left without one."""
    async with storage.begin(ORG) as tx:
        session_id = (await converse(tx, "tea")).session_id
    async with storage.begin(ORG) as tx:  # as a message is stored: from here on the session's row is its own
        await tx.interactions.append([said("black tea", session_id=session_id)])
        deleting = asyncio.create_task(delete(for_everyone(parts), ANNA, session_id))
        await asyncio.wait([deleting], timeout=1)  # it waits, or has read what there is
    await asyncio.wait_for(deleting, 30)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.interactions.log(ANNA, after_seq=0, limit=9) == []
        assert await snapshot.sessions.find(ANNA, session_id) is None
