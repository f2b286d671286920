"""An open connection to one server: it sends calls, tries again where that is safe, and reads replies."""

import time
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Self, TypeVar

import httpx
from httpx_sse import EventSource, ServerSentEvent
from pydantic import BaseModel
from tenacity import AsyncRetrying, retry_if_result, stop_before_delay

from sagacity.client.environment import default_api_key, default_url
from sagacity.client.errors import Unreachable, error_of
from sagacity.client.retry import (
    Outcome,
    async_pause,
    goes_on,
    is_passing,
    is_unsent,
    last_outcome,
    reconnect_seconds,
    stream_timeout,
    wait_seconds,
)
from sagacity.client.wire import Parameter, decode, encode, queried, server_url
from sagacity.domain.addresses import is_this_machine
from sagacity.domain.errors import InvalidInput

R = TypeVar("R", bound=BaseModel)
LAST_EVENTS = frozenset({"done", "error"})


class AsyncConnection:
    """Calls to one server over kept-alive connections; close it, or use it in `async with`."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_seconds: float = 30,
        retry_seconds: float = 10,
        allow_insecure: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """
        Prepare a connection; nothing is sent yet.

        Args:
            url: the server; by default SAGACITY_URL, else this machine's port 8081.
            api_key: by default SAGACITY_API_KEY; without one the server has to run without tokens.
            timeout_seconds: the longest silence of the server in one attempt; at least 45 s for a stream, whose server
                waits until a conversation is free, and shows every 15 s that it is there.
            retry_seconds: until how long after its start a call that may be repeated is sent again when it fails in
                passing, such as at a server that restarts or says that it is busy; another one, while no server takes
                the connection; a stream, after it was lost. 0: never. A timeout is such a failure too, so one that is
                longer than this is not tried again.
            allow_insecure: whether the key may go over plain http to another machine.
            transport: replaces the network, for tests.

        Raises:
            InvalidInput: the URL is none, or would give the key away.
        """
        key = api_key or default_api_key()
        base = server_url(url or default_url(), has_key=key is not None, allow_insecure=allow_insecure)
        self._retry_seconds = retry_seconds
        self._http = httpx.AsyncClient(
            base_url=base,
            headers=_headers(key),
            timeout=httpx.Timeout(timeout_seconds, connect=min(timeout_seconds, 10)),
            follow_redirects=False,
            transport=transport,
            trust_env=not is_this_machine(base.host),
        )

    @property
    def url(self) -> str:
        """The server's address."""
        return str(self._http.base_url).rstrip("/")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def get(self, path: str, reply: type[R], *, params: Mapping[str, Parameter] | None = None) -> R:
        """Read something; tried again by itself."""
        return decode(reply, await self._send(self._request("GET", path, params), repeatable=True))

    async def send(
        self,
        method: str,
        path: str,
        reply: type[R],
        *,
        params: Mapping[str, Parameter] | None = None,
        body: BaseModel | None = None,
        repeatable: bool = False,
        timeout_seconds: float | None = None,
    ) -> R:
        """
        Send a call with a JSON body and return its reply.

        Args:
            method: of HTTP.
            path: below the server's address.
            reply: what the answer is read as.
            params: of the query; None is left out.
            body: sent as JSON, without the fields that were not set.
            repeatable: whether sending it twice is the same as once: then it is tried again by itself. Another call is
                where no server took the connection.
            timeout_seconds: in place of the connection's own.

        Raises:
            InvalidInput: the body cannot be written as JSON; nothing was sent.
            Unreachable: no reply came.
            SagacityError: the server refused or failed; see `sagacity.client.errors`.
        """
        request = self._request(method, path, params, body, timeout_seconds)
        return decode(reply, await self._send(request, repeatable=repeatable))

    async def discard(
        self, path: str, *, params: Mapping[str, Parameter] | None = None, body: BaseModel | None = None
    ) -> None:
        """Delete something; see `send`."""
        await self._send(self._request("DELETE", path, params, body=body), repeatable=False)

    async def download(self, method: str, path: str, *, body: BaseModel) -> bytes:
        """
        Send a call that only reads, and return its reply as it is; see `send`.

        Raises:
            InvalidInput: the body cannot be written as JSON; nothing was sent.
            Unreachable: no reply came.
            SagacityError: the server refused or failed; see `sagacity.client.errors`.
        """
        return (await self._send(self._request(method, path, body=body), repeatable=True)).content

    async def pieces(self, path: str) -> AsyncIterator[bytes]:
        """
        Send a call that only reads, and yield its reply as it comes.

        Raises:
            Unreachable: the connection was lost, before the end or from the beginning.
            SagacityError: the server refused or failed; see `sagacity.client.errors`.
        """
        outcome: Outcome
        try:
            response = await self._http.send(self._request("GET", path), stream=True)
            try:
                if response.is_success:
                    async for piece in response.aiter_bytes():
                        if piece:
                            yield piece
                else:
                    await response.aread()
                outcome = response
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            outcome = error
        _settled(outcome, self.url)

    async def events(
        self, method: str, path: str, *, params: Mapping[str, Parameter] | None, body: BaseModel | None
    ) -> AsyncIterator[ServerSentEvent]:
        """
        Send a call and yield the events that answer it, up to its last; a lost connection goes on where it was.

        Raises:
            InvalidInput: the body cannot be written as JSON; nothing was sent.
            Unreachable: the connection was lost before the first event, or could not be had again.
            SagacityError: the server refused; see `sagacity.client.errors`.
        """
        last_id = ""
        lost_at: float | None = None
        while True:
            request = self._request(method, path, params, body)
            request.headers["Accept"] = "text/event-stream"
            request.extensions["timeout"] = stream_timeout(self._http.timeout)
            if last_id:
                request.headers["Last-Event-ID"] = last_id
            outcome: Outcome
            try:
                response = await self._http.send(request, stream=True)
                try:
                    if not response.is_success:
                        await response.aread()
                    else:
                        async for event in EventSource(response).aiter_sse():
                            if not event.data:  # httpx-sse takes a comment for one, once it has seen an id
                                continue
                            last_id, lost_at = event.id or last_id, None
                            yield event
                            if event.event in LAST_EVENTS:
                                return
                    outcome = response
                finally:
                    await response.aclose()
            except httpx.RequestError as error:
                outcome = error
            now, wait = time.monotonic(), reconnect_seconds(outcome)
            lost_at = now if lost_at is None else lost_at
            may_go_on = goes_on(outcome) if last_id else is_unsent(outcome)
            if not may_go_on or now + wait - lost_at >= self._retry_seconds:
                _settled(outcome, self.url)
                raise Unreachable(f"{self.url} ended the stream before its last event")
            await async_pause(wait)

    def _request(
        self,
        method: str,
        path: str,
        params: Mapping[str, Parameter] | None = None,
        body: BaseModel | None = None,
        timeout_seconds: float | None = None,
    ) -> httpx.Request:
        content = encode(body) if body else None
        return self._http.build_request(
            method,
            path,
            params=queried(params or {}),
            content=content,
            headers={"Content-Type": "application/json"} if content else None,
            timeout=httpx.USE_CLIENT_DEFAULT if timeout_seconds is None else timeout_seconds,
        )

    async def _send(self, request: httpx.Request, *, repeatable: bool) -> httpx.Response:
        policy = AsyncRetrying(
            retry=retry_if_result(is_passing if repeatable else is_unsent),
            stop=stop_before_delay(self._retry_seconds),
            wait=wait_seconds,
            sleep=async_pause,
            retry_error_callback=last_outcome,
        )
        return _settled(await policy(self._try, request), self.url)

    async def _try(self, request: httpx.Request) -> Outcome:
        try:
            return await self._http.send(request)
        except httpx.RequestError as error:
            return error


def _headers(key: str | None) -> dict[str, str]:
    if key is not None and not (key.isascii() and key.isprintable()):
        raise InvalidInput("the API key contains characters that no key has; copy it again, whole")
    return {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})


def _settled(outcome: Outcome, url: str) -> httpx.Response:
    if isinstance(outcome, httpx.Response):
        if outcome.is_success:
            return outcome
        raise error_of(outcome)
    if isinstance(outcome, httpx.TimeoutException):
        raise Unreachable(f"no reply from {url} in time") from outcome
    raise Unreachable(f"no connection to {url}: {outcome}") from outcome
