# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Conversations, and streamed answers that rest on what is remembered."""

from collections.abc import Mapping, Sequence

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked, segment
from sagacity.schemas.chat import (
    AnswerReply,
    CompleteBody,
    CompletionReply,
    ConversationsPage,
    ConversationView,
    ConversationWithMessages,
    CreateConversationBody,
    GivenMessage,
    StopBody,
    StopReply,
    UpdateConversationBody,
)


def complete(
    connection: Connection,
    messages: Sequence[GivenMessage | Mapping[str, object]],
    *,
    user_id: str | None = None,
    conversation_id: str | None = None,
    include_memory: bool | None = None,
    max_tokens: int | None = None,
    temperature: float | None = None,
) -> CompletionReply:
    """
    Answer the last message of a conversation that the caller keeps; message and answer are stored in one here.

    Args:
        connection: to the server.
        messages: oldest first; the last one is the user's.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        conversation_id: where the message and its answer are stored; null: in a new conversation.
        include_memory: whether the answer may use what is remembered; by default True.
        max_tokens: largest length of the answer; by default 4096.
        temperature: the model's temperature; ignored by models without one; by default 0.7.
    """
    params = {"user_id": user_id}
    body = checked(
        CompleteBody,
        {
            "messages": messages,
            "conversation_id": conversation_id,
            "include_memory": include_memory,
            "max_tokens": max_tokens,
            "temperature": temperature,
        },
    )
    return connection.send("POST", "/api/chat/complete", CompletionReply, params=params, body=body)


def create_conversation(
    connection: Connection,
    title: str | None = None,
    *,
    user_id: str | None = None,
    metadata: Mapping[str, object] | None = None,
    initial_message: str | None = None,
) -> ConversationView:
    """
    Begin a conversation. With an `initial_message` the reply waits for its answer.

    Without an answer, or with a part of one only, it says why in `warnings`.

    Args:
        connection: to the server.
        title: its title; null: the beginning of its first message.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        metadata: stored with the conversation.
        initial_message: sent at once; the reply waits for the answer.
    """
    params = {"user_id": user_id}
    body = checked(
        CreateConversationBody, {"title": title, "metadata": metadata, "initial_message": initial_message}
    )
    return connection.send("POST", "/api/chat/conversations", ConversationView, params=params, body=body)


def list_conversations(
    connection: Connection,
    *,
    page: int = 1,
    page_size: int = 20,
    archived: bool = False,
    query: str | None = None,
    cursor: str | None = None,
    user_id: str | None = None,
) -> ConversationsPage:
    """
    Return a page of the user's conversations, most recently changed first.

    Args:
        connection: to the server.
        page: which page of the results to return, from 1 on.
        page_size: how many results a page holds.
        archived: whether to list the archived ones, or the others.
        query: only conversations with this text in their title.
        cursor: where the page before ended; takes the place of `page`.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {
        "page": page,
        "page_size": page_size,
        "archived": archived,
        "query": query,
        "cursor": cursor,
        "user_id": user_id,
    }
    return connection.get("/api/chat/conversations", ConversationsPage, params=params)


def get_conversation(
    connection: Connection,
    conversation_id: str,
    *,
    limit: int = 50,
    offset: int = 0,
    user_id: str | None = None,
) -> ConversationWithMessages:
    """
    Return a conversation with its newest messages, oldest first; `offset` goes back from the newest.

    Args:
        connection: to the server.
        conversation_id: the conversation's id.
        limit: the largest number of messages to return.
        offset: how many messages to pass over.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"limit": limit, "offset": offset, "user_id": user_id}
    return connection.get(
        f"/api/chat/conversations/{segment(conversation_id)}", ConversationWithMessages, params=params
    )


def update_conversation(
    connection: Connection,
    conversation_id: str,
    *,
    user_id: str | None = None,
    title: str | None = None,
    is_archived: bool | None = None,
    metadata: Mapping[str, object] | None = None,
) -> ConversationView:
    """
    Rename or archive a conversation, or replace its metadata.

    Args:
        connection: to the server.
        conversation_id: the conversation's id.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        title: its title.
        is_archived: whether it is archived.
        metadata: replaces what is stored.
    """
    params = {"user_id": user_id}
    body = checked(UpdateConversationBody, {"title": title, "is_archived": is_archived, "metadata": metadata})
    return connection.send(
        "PATCH",
        f"/api/chat/conversations/{segment(conversation_id)}",
        ConversationView,
        params=params,
        body=body,
        repeatable=True,
    )


def archive_conversation(
    connection: Connection, conversation_id: str, *, user_id: str | None = None
) -> ConversationView:
    """
    Archive a conversation.

    Args:
        connection: to the server.
        conversation_id: the conversation's id.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return connection.send(
        "POST", f"/api/chat/conversations/{segment(conversation_id)}/archive", ConversationView, params=params
    )


def unarchive_conversation(
    connection: Connection, conversation_id: str, *, user_id: str | None = None
) -> ConversationView:
    """
    Bring an archived conversation back.

    Args:
        connection: to the server.
        conversation_id: the conversation's id.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return connection.send(
        "POST",
        f"/api/chat/conversations/{segment(conversation_id)}/unarchive",
        ConversationView,
        params=params,
    )


def stop_answer(connection: Connection, conversation_id: str, *, user_id: str | None = None) -> StopReply:
    """
    Stop the answer that is being written in a conversation; the part so far is stored.

    Args:
        connection: to the server.
        conversation_id: the conversation in which it is being written.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    body = checked(StopBody, {"conversation_id": conversation_id})
    return connection.send("POST", "/api/chat/stop", StopReply, params=params, body=body)


def get_exchange(connection: Connection, exchange_id: str, *, user_id: str | None = None) -> AnswerReply:
    """
    Return an answer with the memories that were available to it, those that it cites, and its cost.

    Args:
        connection: to the server.
        exchange_id: the id of a message and its answer, as the stream names it.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return connection.get(f"/api/chat/exchanges/{segment(exchange_id)}", AnswerReply, params=params)
