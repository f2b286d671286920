# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""How anything that was learned came to be what it is, and the way back from a merge."""

from urllib.parse import quote

from sagacity.client._sync.connection import Connection
from sagacity.client.words import MemoryKindWord
from sagacity.schemas.history import MemoryHistory, UndoneMerge


def get_memory_history(
    connection: Connection, memory_id: str | int, *, kind: MemoryKindWord | None = None, limit: int = 100
) -> MemoryHistory:
    """
    Say how a memory came to be what it is: who changed it, when, why and from which turns, and what it replaced.

    Deleted memories have no history: it goes with them. What an archived memory was replaced by is its
    `successor`.

    Args:
        connection: to the server.
        memory_id: a profile's id, any memory's uid or number, or what a context cites it by, such as `p:2`.
        kind: of which kind it is; needed only where a uid is also another memory's number or citation.
        limit: events and turns, the newest of each.
    """
    params = {"kind": kind, "limit": limit}
    return connection.get(
        f"/api/memories/{quote(str(memory_id), safe='')}/history", MemoryHistory, params=params
    )


def undo_merge(
    connection: Connection, memory_id: str | int, *, kind: MemoryKindWord | None = None
) -> UndoneMerge:
    """
    Take one merge back: what was merged is current again as it was, and what was learned then stands by itself.

    A memory that replaced others without being merged stays, and they are current again beside it. The reply is
    409 where the memory is not current, was merged again since, or replaced nothing.

    Args:
        connection: to the server.
        memory_id: a profile's id, any memory's uid or number, or what a context cites it by, such as `p:2`.
        kind: of which kind it is; needed only where a uid is also another memory's number or citation.
    """
    params = {"kind": kind}
    return connection.send(
        "POST", f"/api/memories/{quote(str(memory_id), safe='')}/undo_merge", UndoneMerge, params=params
    )
