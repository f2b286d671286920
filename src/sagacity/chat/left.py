"""Close an answer whose process has ended while writing it."""

from datetime import timedelta

from sagacity.analytics.answers import record_answer
from sagacity.chat.writer import interrupted, store_answer
from sagacity.domain.chat import Exchange
from sagacity.domain.errors import Conflict, NotFound
from sagacity.memories.acting import Acting

HOLD_SECONDS = 15.0
"""An answer that its process has not copied for this long counts as interrupted: about fifteen copies missed."""


async def close_left(acting: Acting, exchange: Exchange) -> Exchange:
    """Store the text so far of a running answer that no process holds any more; returns the exchange afterwards."""
    now = acting.parts.clock.now()
    closed = interrupted(exchange, tokens=acting.parts.tokens.count(exchange.answer))
    try:
        ended = await store_answer(acting, closed, exchange.answer, owner=exchange.owner, expired_by=now)
    except (Conflict, NotFound):  # somebody else was faster, or its process is back
        async with acting.read(user_id=exchange.user_id) as snapshot:
            return await snapshot.exchanges.find(exchange.exchange_id, user_id=exchange.user_id)
    held = timedelta(seconds=HOLD_SECONDS)  # it was kept for the last time so long before it was given up
    lasted = max(exchange.held_until - held - exchange.created_at, timedelta())
    record_answer(
        acting,
        ended,
        context=None,
        budget=0,
        milliseconds=lasted / timedelta(milliseconds=1),
        request_id=exchange.exchange_id,
    )
    return ended
