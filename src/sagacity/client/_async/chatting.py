"""The calls of the chat that are streams of events, or have no object for a reply."""

import json
from collections.abc import AsyncIterator, Mapping

from httpx_sse import ServerSentEvent
from pydantic import BaseModel, JsonValue, RootModel

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked, segment
from sagacity.schemas.chat import MessageView, RetryBody, SendBody


class ChatEvent(BaseModel):
    """One event of an answer: `start`, `metadata`, `memory`, `message`, and at the end `done` or `error`."""

    event: str
    """Its name."""
    event_id: str
    """Where to go on after it."""
    data: dict[str, JsonValue]
    """What it says."""


class _Messages(RootModel[tuple[MessageView, ...]]):
    """A list of messages, as the server gives it."""


async def send_message(
    connection: AsyncConnection,
    content: str,
    *,
    conversation_id: str | None = None,
    include_memory: bool = True,
    metadata: Mapping[str, JsonValue] | None = None,
    user_id: str | None = None,
) -> AsyncIterator[ChatEvent]:
    """
    Send a message, and yield what happens to its answer; a stream whose connection is lost is resumed.

    Args:
        connection: to the server.
        content: the message.
        conversation_id: the conversation to continue; None: a new one.
        include_memory: whether the answer may use what is remembered.
        metadata: stored with the message.
        user_id: for whom; needed with an organisation's token.

    Raises:
        InvalidInput: the message breaks a rule.
        NotFound: the user has no such conversation.
        Unreachable: the connection was lost before the server said that it has the message.
    """
    fields = {
        "content": content,
        "conversation_id": conversation_id,
        "include_memory": include_memory,
        "metadata": metadata,
    }
    params = {"user_id": user_id}
    body = checked(SendBody, fields)
    async for event in connection.events("POST", "/api/chat/send", params=params, body=body):
        yield _read(event)


async def retry_answer(
    connection: AsyncConnection, conversation_id: str, *, user_id: str | None = None
) -> AsyncIterator[ChatEvent]:
    """
    Let the last message of a conversation be answered again, and yield what happens.

    Raises:
        NotFound: the user has no such conversation, or there is no message in it.
    """
    params = {"user_id": user_id}
    body = checked(RetryBody, {"conversation_id": conversation_id})
    async for event in connection.events("POST", "/api/chat/retry", params=params, body=body):
        yield _read(event)


async def list_messages(
    connection: AsyncConnection,
    conversation_id: str,
    *,
    limit: int | None = None,
    offset: int | None = None,
    order: str | None = None,
    user_id: str | None = None,
) -> tuple[MessageView, ...]:
    """
    Return messages of a conversation.

    Args:
        connection: to the server.
        conversation_id: which one.
        limit: how many at most.
        offset: how many to pass over.
        order: `asc`: from the oldest on; `desc`: from the newest back.
        user_id: whose; needed with an organisation's token.

    Raises:
        NotFound: the user has no such conversation.
    """
    params = {"limit": limit, "offset": offset, "order": order, "user_id": user_id}
    path = f"/api/chat/conversations/{segment(conversation_id)}/messages"
    return (await connection.get(path, _Messages, params=params)).root


async def delete_conversation(
    connection: AsyncConnection, conversation_id: str, *, user_id: str | None = None
) -> None:
    """
    Delete a conversation with its messages; what was learned from them stays.

    Raises:
        NotFound: the user has no such conversation.
    """
    params = {"user_id": user_id}
    await connection.discard(f"/api/chat/conversations/{segment(conversation_id)}", params=params)


def _read(event: ServerSentEvent) -> ChatEvent:
    return ChatEvent(event=event.event, event_id=event.id, data=json.loads(event.data))
