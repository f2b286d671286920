"""Streams of the chat, read by a published consumer."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import aconnect_sse


@dataclass(frozen=True)
class Told:
    """One event as a client receives it."""

    name: str
    event_id: str
    data: dict[str, Any]


async def events_of(
    client: httpx.AsyncClient, method: str, path: str, *, last_event_id: str | None = None, **given
) -> AsyncGenerator[Told]:
    """Return the events of a stream."""
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
    async with aconnect_sse(client, method, path, headers=headers, **given) as source:
        source.response.raise_for_status()
        async for event in source.aiter_sse():
            if event.data:  # the consumer also yields pings, which a slow machine sends
                yield Told(event.event, event.id, json.loads(event.data))


async def sent(client: httpx.AsyncClient, content: str, *, user: str | None = None, **fields) -> list[Told]:
    """Send a message, and return all events of its answer."""
    params = {} if user is None else {"user_id": user}
    body = {"content": content, **fields}
    return [one async for one in events_of(client, "POST", "/api/chat/send", params=params, json=body)]


def text_of(events: list[Told]) -> str:
    """The answer that a client has put together."""
    return "".join(one.data["content"] for one in events if one.name == "message")


def ending_of(events: list[Told]) -> Told:
    """The one event that ends a stream; nothing comes after it."""
    last = [one for one in events if one.name in {"done", "error"}]
    assert len(last) == 1, [one.name for one in events]
    assert events[-1] is last[0]
    return last[0]


async def said_in(client: httpx.AsyncClient, conversation_id: str, **params) -> list[str]:
    """Return the messages of a conversation, oldest first; fails if one occurs twice."""
    reply = await client.get(f"/api/chat/conversations/{conversation_id}", params=params)
    assert reply.status_code == 200, reply.text
    kept = reply.json()
    ids = [one["id"] for one in kept["messages"]]
    assert len(set(ids)) == len(ids)
    return [one["content"] for one in kept["messages"]]
