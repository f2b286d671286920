"""All that is stored of a user, as a file that may be large."""

from collections.abc import AsyncIterator

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.errors import Unreachable
from sagacity.client.wire import segment

_LAST_LINE_BYTES = 64 * 1024


async def export_user(connection: AsyncConnection, user_id: str) -> AsyncIterator[bytes]:
    """
    Return all that is stored of a user as JSON Lines, a piece at a time, for `sagacity import` or to be read.

    Args:
        connection: to the server.
        user_id: whom.

    Raises:
        NotFound: nothing is stored of the user.
        Conflict: the user is being erased.
        Unreachable: the connection was lost; what came until then is not whole.
    """
    last = b""
    async for piece in connection.pieces(f"/api/users/{segment(user_id)}/export"):
        last = (last + piece)[-_LAST_LINE_BYTES:]
        yield piece
    if not last.endswith(b"}\n") or not last[:-1].rpartition(b"\n")[2].startswith(b'{"end"'):
        raise Unreachable(f"{connection.url} ended the export before its last line")
