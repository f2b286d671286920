# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Where a memory comes from, and undoing a merge."""

from urllib.parse import quote

from sagacity.client._sync.connection import Connection
from sagacity.client.words import MemoryKindWord
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
    return connection.get(
        f"/api/memories/{quote(str(memory_id), safe='')}/history", MemoryHistory, params=params
    )


def undo_merge(
    connection: Connection, memory_id: str | int, *, kind: MemoryKindWord | None = None
) -> UndoneMerge:
    """
    Undo one merge: the merged memories are current again, and what was merged into them becomes a memory of its own.

    If the memory replaced others without a merge, it stays, and they are current again, too. The reply is 409 if
    the memory is not current, was merged again since, or replaced nothing.

    Args:
        connection: to the server.
        memory_id: a profile's id, a memory's uid or number, or its citation in a context, such as `p:2`.
        kind: the memory's kind; needed only if a uid is also another memory's number or citation.
    """
    params = {"kind": kind}
    return connection.send(
        "POST", f"/api/memories/{quote(str(memory_id), safe='')}/undo_merge", UndoneMerge, params=params
    )
