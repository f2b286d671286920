"""Export everything that is stored of a user as lines of a file."""

import asyncio
import os
from collections.abc import AsyncGenerator
from tempfile import TemporaryFile

from sagacity.domain.ids import UserId
from sagacity.domain.principal import Permission
from sagacity.memories.acting import Acting
from sagacity.storage.portable.writing import lines_of

_PIECE_BYTES = 256 * 1024


async def export_user(acting: Acting, user_id: UserId) -> AsyncGenerator[bytes]:
    """
    Yield the lines of a file with everything stored about a user, a piece at a time.

    They are written to a temporary file first, so that a slow reader does not keep the database waiting.

    Raises:
        NotFound: nothing is stored of the user.
        Conflict: the user is being erased.
        Forbidden: the caller acts for another user.
    """
    acting.principal.require(Permission.READ)
    async with acting.read(user_id=user_id) as snapshot:
        await snapshot.portable.require(user_id)
    return _pieces(acting, user_id)


async def _pieces(acting: Acting, user_id: UserId) -> AsyncGenerator[bytes]:
    with TemporaryFile(prefix="sagacity-") as file:
        number, news = file.fileno(), asyncio.Event()
        writing = asyncio.create_task(_write(acting, user_id, number, news))
        writing.add_done_callback(lambda _: news.set())
        try:
            at = 0
            while True:
                news.clear()
                is_all = writing.done()
                piece = await asyncio.to_thread(os.pread, number, _PIECE_BYTES, at)
                if piece:
                    at += len(piece)
                    yield piece
                elif is_all:
                    writing.result()  # what went wrong is said, and the file has no last line
                    return
                else:
                    await news.wait()
        finally:
            writing.cancel()
            await asyncio.wait([writing])


async def _write(acting: Acting, user_id: UserId, number: int, news: asyncio.Event) -> None:
    now = acting.parts.clock.now()
    async with acting.read(user_id=user_id) as snapshot:
        async for some in lines_of(snapshot.portable, acting.tenant.org_id, user_id, now=now):
            await asyncio.to_thread(_append, number, some)
            news.set()


def _append(number: int, some: bytes) -> None:
    left = memoryview(some)
    while left:
        left = left[os.write(number, left) :]
