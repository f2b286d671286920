"""Connections: how many there may be, and how long a client may take to say what it wants."""

import asyncio
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sagacity.api.errors import problem_response

_RETRY_SECONDS = 1


class LimitedProtocol(HttpToolsProtocol):
    """How the server speaks HTTP, so that no stranger can use up what it has before saying who calls."""

    most: int
    """Connections at a time; who comes then is answered with 503 and told to come back."""
    head_seconds: float
    """
    How long a client may take for a request's line and headers, from its connection or the request's first byte on; one
    that takes longer is answered with 408. Bodies and answers have limits of their own.
    """
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the class it extends
        """Take the connection, if there is one to spare."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "TooManyConnections",
                "the server has no connection to spare",
            )
        else:
            self._await_head()

    def on_message_begin(self) -> None:
        """Give the request's head its time."""
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        """Begin to answer."""
        self._forget_head()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the client was refused."""
        if not self.transport.is_closing():
            super().data_received(data)

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._head_is_late)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._is_answering():
            self._await_head()  # the one before is still being answered
        else:
            message = f"the request's headers took longer than {self.head_seconds:g} s"
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "Timeout", message)

    def _is_answering(self) -> bool:
        # There is no cycle before the first request, whatever the class says
        return self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]

    def _refuse(self, status: HTTPStatus, name: str, message: str) -> None:
        """Answer what nobody has asked yet, and hang up."""
        headers, retry_after = {"Connection": "close"}, None
        if status is HTTPStatus.SERVICE_UNAVAILABLE:
            retry_after = _RETRY_SECONDS
            headers["Retry-After"] = str(retry_after)
        reply = problem_response(status, name, message, retry_after=retry_after, headers=headers)
        head = b"".join(b"%s: %s\r\n" % header for header in reply.raw_headers)
        line = f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
        self.transport.write(line + head + b"\r\n" + bytes(reply.body))
        self.transport.close()


def limited_protocol(*, most: int, head_seconds: float) -> type[LimitedProtocol]:
    """Return the protocol with these limits, for a server's configuration."""
    return type("_Limited", (LimitedProtocol,), {"most": most, "head_seconds": head_seconds})
