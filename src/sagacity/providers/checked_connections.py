"""Connections to models: each address is checked before connecting, and the size of replies is limited."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from ssl import SSLContext
from typing import cast

import httpcore
import httpx

from sagacity.domain.addresses import refusal_of

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host and port, best first."""
NEXT_SECONDS = 2.0
"""How long one of several addresses may take to answer before the next is tried."""
MOST_BYTES = 16 * 2**20
"""
The most bytes of a reply that is read as a whole: three times the size of 64 vectors of 4,096 dimensions as JSON.

The longest answer of a model, 128,000 tokens, takes half a MiB. An event stream is read piece by piece, without limit.
"""
MOST_ERROR_BYTES = 4 * 2**10
"""The most bytes of an error: its beginning says what is wrong, and LiteLLM searches the text many times."""
_IDLE_SECONDS = 60.0
_public_only: ContextVar[bool] = ContextVar("public_only", default=False)


class AddressRefused(httpcore.ConnectError):
    """A model's server resolves to an address that is refused; the message says why, not which address."""


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses from this machine's resolver; an address is returned as it is."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(place[0]) for *_, place in found))


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name, checks its addresses and connects only to those, so that no second look-up can differ."""

    def __init__(
        self,
        *,
        block_private: bool,
        resolve: Resolve = resolved,
        inner: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        """
        Prepare connections.

        Args:
            block_private: also refuse loopback, private and other non-public addresses.
            resolve: the resolver.
            inner: connects to an address.
        """
        self._block_private = block_private
        self._resolve = resolve
        self._inner = inner or cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """
        Connect to the first address of *host* that answers, if all its addresses are allowed.

        Raises:
            AddressRefused: one of the addresses is refused.
            ConnectError: there is no address, or none answers.
            ConnectTimeout: no address answers in time.
        """
        addresses = await self._checked(host, port, timeout)
        failure: httpcore.ConnectError | httpcore.ConnectTimeout = httpcore.ConnectError("no address")
        for left, address in zip(reversed(range(len(addresses))), addresses, strict=True):
            seconds = min(NEXT_SECONDS, timeout or NEXT_SECONDS) if left else timeout
            try:
                return await self._inner.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _checked(self, host: str, port: int, seconds: float | None) -> Sequence[str]:
        try:
            async with asyncio.timeout(seconds):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout("the name was not resolved in time") from error
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError("the name cannot be resolved") from error
        for address in addresses:
            if refusal := refusal_of(address, block_private=self._block_private):
                raise AddressRefused(refusal)
        return addresses

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore does between its own attempts."""
        await self._inner.sleep(seconds)


class _Bounded(httpx.AsyncByteStream):
    """A reply's body up to a limit of bytes. A longer error is cut there; any other longer reply is a failure."""

    def __init__(self, body: httpx.AsyncByteStream, most: int, *, is_error: bool) -> None:
        self._body = body
        self._most = most
        self._is_error = is_error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for chunk in self._body:
            if len(chunk) > left and not self._is_error:
                raise httpx.ReadError(f"the reply has more than {self._most:,} bytes")
            yield chunk[:left]
            left -= len(chunk)
            if self._is_error and left <= 0:
                return

    async def aclose(self) -> None:
        await self._body.aclose()


def _bounded(response: httpx.Response) -> httpx.Response:
    """Limit the bytes read of a reply, by its type; an HTML page counts as an error whatever its status."""
    content_type = response.headers.get("content-type", "")
    if content_type.startswith("text/event-stream") and not response.is_error:
        return response
    is_error = response.is_error or content_type.startswith("text/html")
    body = cast("httpx.AsyncByteStream", response.stream)
    response.stream = _Bounded(body, MOST_ERROR_BYTES if is_error else MOST_BYTES, is_error=is_error)
    return response


class CheckedTransport(httpx.AsyncHTTPTransport):
    """A pool of connections that were checked by the same rule."""

    def __init__(
        self, *, verify: SSLContext | bool = True, block_private: bool = False, resolve: Resolve = resolved
    ) -> None:
        """
        Prepare connections, without opening any.

        Args:
            verify: the certificates to trust.
            block_private: also refuse loopback, private and other non-public addresses.
            resolve: the resolver.
        """
        context = httpx.create_ssl_context(verify=verify)
        super().__init__(verify=context)
        # httpx does not pass a network backend on to its pool, so the pool's own is replaced before its first use.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=None,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=CheckedBackend(block_private=block_private, resolve=resolve),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """
        Send a request; its reply can be read up to the limit.

        Raises:
            ReadError: while the reply is read: it is longer than the limit.
        """
        return _bounded(await super().handle_async_request(request))


class TransportByCall(CheckedTransport):
    """
    Two pools: one for calls within `public_addresses_only`, and one for others.

    So an organisation's call never reuses a connection that the operator's own model opened to a private address.
    """

    def __init__(self, *, verify: SSLContext | bool = True, resolve: Resolve = resolved) -> None:
        super().__init__(verify=verify, resolve=resolve)
        self._public = CheckedTransport(verify=verify, block_private=True, resolve=resolve)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request through the pool of its call's rule."""
        if _public_only.get():
            return await self._public.handle_async_request(request)
        return await super().handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections of both pools."""
        await self._public.aclose()
        await super().aclose()


@contextmanager
def public_addresses_only(*, block_private: bool) -> Generator[None]:
    """Refuse private addresses in the calls of this block, if *block_private*."""
    before = _public_only.set(block_private)
    try:
        yield
    finally:
        _public_only.reset(before)
