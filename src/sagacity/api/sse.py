"""Encode the events of an answer as server-sent events."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from sse_starlette import EventSourceResponse, ServerSentEvent

from sagacity.chat.events import Event

RETRY_MILLISECONDS = 1_000
"""How long a browser waits before it reconnects."""
FINISH_SECONDS = 5.0
"""How long answers may go on when the server stops; then they are interrupted and their readers notified."""
_CLOSE_SECONDS = 8.0
"""When remaining streams are cut off, which is before the server cuts off all calls."""


def event_stream(
    events: AsyncGenerator[Event], *, keep_alive_seconds: float, interrupt: Callable[[], None]
) -> EventSourceResponse:
    """
    Return a reply that sends *events* as they come, and a comment after a pause.

    Args:
        events: all events to send.
        keep_alive_seconds: after which pause a comment is sent.
        interrupt: makes the events end soon; called when the server stops.
    """
    stopping = asyncio.Event()

    async def interrupted() -> None:
        await stopping.wait()
        await asyncio.sleep(FINISH_SECONDS)
        interrupt()

    async def sent() -> AsyncGenerator[ServerSentEvent]:
        first, interrupting = True, asyncio.create_task(interrupted())
        try:
            async with aclosing(events):  # a client that leaves is no reader from then on
                async for event in events:
                    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
                    retry = RETRY_MILLISECONDS if first else None
                    yield ServerSentEvent(data, event=event.name, id=event.event_id, retry=retry)
                    first = False
        finally:
            interrupting.cancel()

    return EventSourceResponse(
        sent(),
        ping=keep_alive_seconds,
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
        shutdown_event=stopping,  # pyright: ignore[reportArgumentType]  # it is set, and nothing else
        shutdown_grace_period=_CLOSE_SECONDS,
    )
