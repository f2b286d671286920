"""A client that says nothing, or says it too slowly, takes nothing from those who call."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import pytest

from support.server import ServerProcess, running_server

MOST = 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    limits = {"SAGACITY_HEADER_TIMEOUT_SECONDS": "0.5", "SAGACITY_MAX_CONNECTIONS": str(MOST)}
    with running_server(tmp_path_factory.mktemp("home"), limits) as server:
        yield server


def connected(server: ServerProcess) -> socket.socket:
    place = urlsplit(server.url)
    return socket.create_connection((place.hostname, place.port), timeout=30)


def all_of(client: socket.socket) -> bytes:
    """What a server says until it hangs up."""
    return b"".join(iter(lambda: client.recv(65536), b""))


@pytest.mark.parametrize(
    "beginning", [b"", b"GET /health", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "]
)
def test_who_does_not_say_what_it_wants_is_hung_up_on(server: ServerProcess, beginning: bytes) -> None:
    with connected(server) as client:
        client.sendall(beginning)
        said = all_of(client)
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b"took longer than 0.5 s" in said


def test_the_second_call_of_a_connection_has_the_same_limit(server: ServerProcess) -> None:
    with connected(server) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /health HTTP/1.1\r\n")
        said = all_of(client)
    assert said.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in said


def test_a_slow_body_is_not_a_slow_head(server: ServerProcess) -> None:
    """Bodies have the limit of a call: this one waits until another connection's head was too late."""
    body = b'{"query": "tea", "user_id": "ana"}'
    head = f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    with connected(server) as client, connected(server) as silent:
        client.sendall(head.encode() + b"Connection: close\r\n\r\n" + body[:5])
        assert b" 408 " in all_of(silent)
        client.sendall(body[5:])
        assert all_of(client).startswith(b"HTTP/1.1 200 ")


def test_who_comes_when_there_are_too_many_is_told_to_come_back(server: ServerProcess) -> None:
    with ExitStack() as open_ones:
        for _ in range(MOST):
            client = open_ones.enter_context(connected(server))
            client.sendall(b"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n")
        with connected(server) as late:
            said = all_of(late)
        assert said.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1\r\n" in said
        assert b'"error":"TooManyConnections"' in said
    again = httpx.HTTPTransport(retries=3)  # the server may not have seen yet that they left
    with httpx.Client(transport=again) as client:
        while (reply := client.get(f"{server.url}/health")).status_code == 503:
            assert reply.json()["error"] == "TooManyConnections"
    assert reply.status_code == 200
