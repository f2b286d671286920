"""Events of an answer as server-sent events."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from sse_starlette import EventSourceResponse, ServerSentEvent

from sagacity.chat.events import Event

KEEP_ALIVE_SECONDS = 15
"""Proxies close what is silent for longer; many do so after 30 or 60 s."""
RETRY_MILLISECONDS = 1_000
"""How long a browser waits before it comes back."""


def event_stream(events: AsyncGenerator[Event]) -> EventSourceResponse:
    """Return a reply that sends *events* as they come, and a comment where none come for a while."""

    async def sent() -> AsyncGenerator[ServerSentEvent]:
        first = True
        async with aclosing(events):  # a client that leaves is no reader from then on
            async for event in events:
                data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
                retry = RETRY_MILLISECONDS if first else None
                yield ServerSentEvent(data, event=event.name, id=event.event_id, retry=retry)
                first = False

    return EventSourceResponse(
        sent(), ping=KEEP_ALIVE_SECONDS, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    )
