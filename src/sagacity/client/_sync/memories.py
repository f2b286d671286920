# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""What is remembered of a user, of four types; where a memory comes from, and undoing a merge."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked, segment
from sagacity.client.words.memory import MemoryKindWord
from sagacity.client.words.trust import OriginWord
from sagacity.client.words.user_memory import MemoryTypeWord
from sagacity.schemas.chat_memories import (
    ChatMemoryView,
    CreatedMemories,
    CreateMemoriesBody,
    CreateMemoryBody,
    FindMemoriesBody,
    FoundMemories,
    MemoriesPage,
    MemoryStats,
    NamedMemoryBody,
    UpdateMemoryBody,
)
from sagacity.schemas.history import MemoryHistory, UndoneMerge


def get_memory_history(
    connection: Connection, memory_id: str | int, *, kind: MemoryKindWord | None = None, limit: int = 100
) -> MemoryHistory:
    """
    Return a memory's history: who changed it, when, why and from which turns, and what it replaced.

    The history is deleted with the memory. The `successor` of an archived memory is what replaced it.

    Args:
        connection: to the server.
        memory_id: a profile's id, a memory's uid or number, or its citation in a context, such as `p:2`.
        kind: the memory's kind; needed only if a uid is also another memory's number or citation.
        limit: how many events and how many turns to return at most, the newest of each.
    """
    params = {"kind": kind, "limit": limit}
    return connection.get(f"/api/memories/{segment(memory_id)}/history", MemoryHistory, params=params)


def undo_merge(
    connection: Connection, memory_id: str | int, *, kind: MemoryKindWord | None = None
) -> UndoneMerge:
    """
    Undo one merge: the merged memories are current again, and what was merged into them becomes a memory of its own.

    If the memory replaced others without a merge, it stays current beside them. The reply is 409 if the memory is
    not current, was merged again since, or replaced nothing.

    Args:
        connection: to the server.
        memory_id: a profile's id, a memory's uid or number, or its citation in a context, such as `p:2`.
        kind: the memory's kind; needed only if a uid is also another memory's number or citation.
    """
    params = {"kind": kind}
    return connection.send(
        "POST", f"/api/memories/{segment(memory_id)}/undo_merge", UndoneMerge, params=params
    )


def add_memory(
    connection: Connection,
    memory_type: MemoryTypeWord,
    content: str,
    *,
    user_id: str | None = None,
    keywords: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    reliability: float | None = None,
    source: str | None = None,
    origin: OriginWord | None = None,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    category: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
    topic: str | None = None,
    subtopic: str | None = None,
    fact: str | None = None,
    conversation_id: str | None = None,
    event_type: str | None = None,
    summary: str | None = None,
    procedure_name: str | None = None,
    trigger: str | None = None,
    steps: Sequence[str] | None = None,
) -> ChatMemoryView:
    """
    Store a memory of a user. It can be found by words and by meaning at once.

    Args:
        connection: to the server.
        memory_type: what it is: `profile` says who the user is, `semantic` what is so, `episodic` what happened,
            `procedural` how to do something.
        content: what it says.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        keywords: other words to find it by.
        metadata: stored with it; up to 65,536 characters.
        reliability: its confidence; by default 0.5.
        source: the program or channel that it comes from.
        origin: what it comes from, where that is trusted less than its writer, such as `imported`. Without it, it
            is the writer's own: an operator's, a user's or an agent's.
        valid_from: since when it holds, or when it happened; null if not known.
        valid_to: until when it holds; null if no end is known.
        category: for a profile: its category, such as `preferences`.
        attribute: for a profile: its attribute, such as `favourite colour`.
        value: for a profile: the value, such as `green`.
        topic: for a semantic memory: its subject.
        subtopic: for a semantic memory: a part of its subject.
        fact: for a semantic memory: the fact, if it differs from the content.
        conversation_id: for an episodic memory: the conversation in which it happened.
        event_type: for an episodic memory: the type of event, such as `decision`.
        summary: for an episodic memory: a summary, if it differs from the content.
        procedure_name: for a procedural memory: its name.
        trigger: for a procedural memory: when to do it.
        steps: for a procedural memory: the steps, in order.
    """
    params = {"user_id": user_id}
    body = checked(
        CreateMemoryBody,
        {
            "memory_type": memory_type,
            "content": content,
            "keywords": keywords,
            "metadata": metadata,
            "reliability": reliability,
            "source": source,
            "origin": origin,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "category": category,
            "attribute": attribute,
            "value": value,
            "topic": topic,
            "subtopic": subtopic,
            "fact": fact,
            "conversation_id": conversation_id,
            "event_type": event_type,
            "summary": summary,
            "procedure_name": procedure_name,
            "trigger": trigger,
            "steps": steps,
        },
    )
    return connection.send("POST", "/api/memories", ChatMemoryView, params=params, body=body)


def list_memories(
    connection: Connection,
    *,
    memory_type: MemoryTypeWord | None = None,
    page: int = 1,
    page_size: int = 20,
    cursor: str | None = None,
    user_id: str | None = None,
) -> MemoriesPage:
    """
    Return a page of the user's memories, newest first.

    Args:
        connection: to the server.
        memory_type: only memories of this type. Default: all types.
        page: which page of the results to return, from 1 on.
        page_size: how many results a page holds.
        cursor: where the page before ended; takes the place of `page`.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {
        "memory_type": memory_type,
        "page": page,
        "page_size": page_size,
        "cursor": cursor,
        "user_id": user_id,
    }
    return connection.get("/api/memories", MemoriesPage, params=params)


def add_memories(
    connection: Connection,
    memories: Sequence[NamedMemoryBody | Mapping[str, object]],
    *,
    user_id: str | None = None,
) -> CreatedMemories:
    """
    Store several memories of a user; invalid ones are left out and named.

    The reply is 422 if all are invalid, and nothing is stored.

    Args:
        connection: to the server.
        memories: what to store: up to 100, each as it would be sent alone.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    body = checked(CreateMemoriesBody, {"memories": memories})
    return connection.send("POST", "/api/memories/bulk", CreatedMemories, params=params, body=body)


def search_memories(
    connection: Connection,
    query: str,
    *,
    user_id: str | None = None,
    memory_types: Sequence[MemoryTypeWord] | None = None,
    limit: int | None = None,
    min_score: float | None = None,
    include_vector_search: bool | None = None,
    include_keyword_search: bool | None = None,
    date_from: datetime | None = None,
    date_to: datetime | None = None,
) -> FoundMemories:
    """
    Search the user's memories by words and by meaning, with each result's scores.

    Returned memories count as used, which raises their `frequency_score`.

    Args:
        connection: to the server.
        query: the question, or words.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        memory_types: only memories of these types; empty: of all.
        limit: the largest number of results; by default 10.
        min_score: minimum score of results; by default 0.0.
        include_vector_search: whether to search by meaning; by default True.
        include_keyword_search: whether to search by words; by default True.
        date_from: only what was said or happened at this time or later.
        date_to: only what was said or happened at this time or earlier.
    """
    params = {"user_id": user_id}
    body = checked(
        FindMemoriesBody,
        {
            "query": query,
            "memory_types": memory_types,
            "limit": limit,
            "min_score": min_score,
            "include_vector_search": include_vector_search,
            "include_keyword_search": include_keyword_search,
            "date_from": date_from,
            "date_to": date_to,
        },
    )
    return connection.send(
        "POST", "/api/memories/search", FoundMemories, params=params, body=body, repeatable=True
    )


def get_memory_stats(connection: Connection, *, user_id: str | None = None) -> MemoryStats:
    """
    Return statistics of the user's memories.

    Args:
        connection: to the server.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return connection.get("/api/memories/stats", MemoryStats, params=params)


def list_memories_of_type(
    connection: Connection,
    memory_type: MemoryTypeWord,
    *,
    page: int = 1,
    page_size: int = 20,
    cursor: str | None = None,
    user_id: str | None = None,
) -> MemoriesPage:
    """
    Return a page of the user's memories of one type, newest first.

    Args:
        connection: to the server.
        memory_type: which type.
        page: which page of the results to return, from 1 on.
        page_size: how many results a page holds.
        cursor: where the page before ended; takes the place of `page`.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"page": page, "page_size": page_size, "cursor": cursor, "user_id": user_id}
    return connection.get(f"/api/memories/type/{segment(memory_type)}", MemoriesPage, params=params)


def get_memory(connection: Connection, memory_id: str, *, user_id: str | None = None) -> ChatMemoryView:
    """
    Return one of the user's memories in force.

    Args:
        connection: to the server.
        memory_id: the memory's id, or its number as a chat's sources name it.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return connection.get(f"/api/memories/{segment(memory_id)}", ChatMemoryView, params=params)


def update_memory(
    connection: Connection,
    memory_id: str,
    *,
    user_id: str | None = None,
    content: str | None = None,
    keywords: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    reliability: float | None = None,
    category: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
    topic: str | None = None,
    subtopic: str | None = None,
    fact: str | None = None,
    summary: str | None = None,
    procedure_name: str | None = None,
    trigger: str | None = None,
    steps: Sequence[str] | None = None,
) -> ChatMemoryView:
    """
    Change a memory of the user; fields that are not given stay as they are.

    Args:
        connection: to the server.
        memory_id: the memory's id, or its number as a chat's sources name it.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        content: what it says.
        keywords: other words to find it by; they replace the existing ones.
        metadata: replaces what is stored.
        reliability: its confidence.
        category: for a profile: its category.
        attribute: for a profile: its attribute.
        value: for a profile: the value.
        topic: for a semantic memory: its subject.
        subtopic: for a semantic memory: a part of its subject.
        fact: for a semantic memory: the fact, if it differs from the content.
        summary: for an episodic memory: a summary, if it differs from the content.
        procedure_name: for a procedural memory: its name.
        trigger: for a procedural memory: when to do it.
        steps: for a procedural memory: the steps, in order.
    """
    params = {"user_id": user_id}
    body = checked(
        UpdateMemoryBody,
        {
            "content": content,
            "keywords": keywords,
            "metadata": metadata,
            "reliability": reliability,
            "category": category,
            "attribute": attribute,
            "value": value,
            "topic": topic,
            "subtopic": subtopic,
            "fact": fact,
            "summary": summary,
            "procedure_name": procedure_name,
            "trigger": trigger,
            "steps": steps,
        },
    )
    return connection.send(
        "PATCH",
        f"/api/memories/{segment(memory_id)}",
        ChatMemoryView,
        params=params,
        body=body,
        repeatable=True,
    )


def note_memory_access(
    connection: Connection, memory_id: str, *, user_id: str | None = None
) -> ChatMemoryView:
    """
    Count that a memory of the user was used, and return it.

    Args:
        connection: to the server.
        memory_id: the memory's id, or its number as a chat's sources name it.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return connection.send(
        "POST", f"/api/memories/{segment(memory_id)}/access", ChatMemoryView, params=params
    )
