"""Reading a key set from a server that means no good, or is merely slow."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from sagacity.auth.key_sets import MOST_BYTES, fetch_from

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
Send = Callable[[bytes], Awaitable[None]]


@asynccontextmanager
async def answering(body: Callable[[Send], Awaitable[None]]) -> AsyncGenerator[str]:
    """A server that answers every call with what *body* sends, up to where the caller hangs up; gives its address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")

        async def send(piece: bytes) -> None:
            writer.write(piece)
            await writer.drain()

        try:
            await send(HEAD)
            await body(send)
        except ConnectionError:
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/keys"


async def test_key_set_is_read() -> None:
    async def body(send: Send) -> None:
        await send(b'{"keys": []}')

    async with answering(body) as url:
        assert await fetch_from(url)() == {"keys": []}


async def test_no_more_is_read_than_a_key_set_may_have() -> None:
    """It is given up in the middle: what the server goes on to send goes nowhere."""
    pieces, sent = 64 * MOST_BYTES // 65_536, 0

    async def body(send: Send) -> None:
        nonlocal sent
        for _ in range(pieces):
            await send(b" " * 65_536)
            sent += 1

    async with answering(body) as url:
        with pytest.raises(ValueError, match="too large"):
            await fetch_from(url)()
    assert sent < pieces


async def test_time_is_that_of_the_whole_read() -> None:
    """A byte now and then does not keep it open."""

    async def body(send: Send) -> None:
        for _ in range(40):
            await send(b" ")
            await asyncio.sleep(0.05)
        await send(b'{"keys": []}')

    async with answering(body) as url:
        with pytest.raises(TimeoutError):
            await fetch_from(url, seconds=0.3)()
