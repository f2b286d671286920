"""How a memory came to be what it is; and the way back from a merge."""

from urllib.parse import quote

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.words import KindWord
from sagacity.schemas.history import MemoryHistory, UndoneMerge


async def get_memory_history(
    connection: AsyncConnection, memory_id: str | int, *, kind: KindWord | None = None, limit: int = 100
) -> MemoryHistory:
    """
    Return what happened to a memory: who changed it, when, why, from which turns, and what it replaced.

    Args:
        connection: to the server.
        memory_id: a profile's id, any memory's uid or number, or what a context cites it by, such as `p:2`.
        kind: of which kind it is; needed only where a uid is also another memory's number or citation.
        limit: how many events, and how many turns, at most: the newest.
    """
    params = {"kind": kind, "limit": limit}
    return await connection.get(f"{_path(memory_id)}/history", MemoryHistory, params=params)


async def undo_merge(
    connection: AsyncConnection, memory_id: str | int, *, kind: KindWord | None = None
) -> UndoneMerge:
    """
    Take one merge back: what was merged is current again, and what was learned then stands by itself.

    Args:
        connection: to the server.
        memory_id: as for `get_memory_history`: the memory that the others were merged into or replaced by.
        kind: as for `get_memory_history`.

    Raises:
        Conflict: it is not current, was merged again since, or replaced nothing.
    """
    query = "" if kind is None else f"?kind={quote(kind, safe='')}"
    return await connection.send("POST", f"{_path(memory_id)}/undo_merge{query}", UndoneMerge)


def _path(memory_id: str | int) -> str:
    return f"/api/memories/{quote(str(memory_id), safe='')}"
