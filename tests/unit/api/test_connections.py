"""Connections of a server that is told to stop."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.responses import PlainTextResponse

from sagacity.api.connections import limited_protocol

ASKED = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[uvicorn.Server, int]]:
    """A server that says hello; gives it with its port."""
    config = uvicorn.Config(
        PlainTextResponse("hello"),
        http=limited_protocol(most=10, head_seconds=60),
        log_config=None,
        lifespan="off",
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server.config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listener])
        try:
            yield server, listener.getsockname()[1]
        finally:
            await server.shutdown()


async def answer_of(reader: asyncio.StreamReader) -> bytes:
    """The head of one answer, in lower case, and its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    return head + await reader.readexactly(5)


async def test_a_call_that_meets_the_stop_is_answered() -> None:
    """What was on its way when the server was told to stop is answered, and the connection ends; an idle one, too."""
    async with serving() as (server, port):
        streams = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        calling, caller = streams[0]
        caller.write(ASKED)
        assert b"connection: close" not in await answer_of(calling)
        while len(server.server_state.connections) < len(streams):
            await asyncio.sleep(0)
        for connection in list(server.server_state.connections):
            connection.shutdown()
        caller.write(ASKED)
        assert b"connection: close" in await answer_of(calling)
        assert [await reader.read() for reader, _ in streams] == [b"", b"", b""]
        for _, writer in streams:
            writer.close()
