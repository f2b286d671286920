"""
A load generator in a process of its own: so many clients over kept connections, each asking again when answered.

    python benchmarks/load.py URL --clients 16 --seconds 5 [--publish USERS]

It publishes turn pairs of so many users in turn, or without `--publish` asks for /health. Bodies are made before the
clock starts, and replies are read only as far as their status and length, so that it measures the server and not
itself. Prints JSON: the latencies in milliseconds, and the processor time that it took itself.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import cast
from urllib.parse import urlsplit

import uvloop
from corpus import turns

BODIES = 2_000


class Client(asyncio.Protocol):
    """One connection with one request on its way at a time."""

    def __init__(self, requests: Iterator[bytes], deadline: float) -> None:
        self.latencies: list[float] = []
        self.failures = 0
        self.done = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._deadline = deadline
        self._reply = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport = cast("asyncio.Transport", transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        """Take what came; with a whole reply send the next request, or end."""
        self._reply += data
        head, separator, body = self._reply.partition(b"\r\n\r\n")
        if not separator:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        now = time.perf_counter()
        self.latencies.append((now - self._sent_at) * 1000)
        self.failures += not head.startswith(b"HTTP/1.1 200")
        if now < self._deadline:
            self._send()
        else:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End, however it came."""
        self.done.set_result(None)

    def _send(self) -> None:
        self._reply = b""
        self._sent_at = time.perf_counter()
        self._transport.write(next(self._requests))


def publishes(host: str, users: int) -> list[bytes]:
    """Requests that publish a turn pair each, for every user in turn."""
    pairs = cycle(turns())
    found: list[bytes] = []
    for place in range(BODIES):
        said, answered = next(pairs)
        body = {
            "user_id": f"user-{place % users}",
            "interaction_data_list": [
                {"role": "User", "content": said},
                {"role": "Agent", "content": answered},
            ],
        }
        text = json.dumps(body).encode()
        head = f"POST /api/publish_interaction HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        found.append(head.encode() + b"Content-Length: %d\r\n\r\n" % len(text) + text)
    return found


async def load(url: str, requests: Sequence[bytes], clients: int, seconds: float) -> dict[str, object]:
    """Ask for *seconds* with so many clients."""
    parts, shared = urlsplit(url), cycle(requests)
    loop = asyncio.get_running_loop()
    cpu, started = time.process_time(), time.perf_counter()
    connected = [
        await loop.create_connection(
            lambda: Client(shared, started + seconds), parts.hostname, parts.port or 80
        )
        for _ in range(clients)
    ]
    await asyncio.gather(*(client.done for _, client in connected))
    return {
        "latencies": [latency for _, client in connected for latency in client.latencies],
        "failures": sum(client.failures for _, client in connected),
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - cpu,
    }


def main() -> None:
    """Generate load and print what it met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--publish", type=int, metavar="USERS", default=0)
    arguments = parser.parse_args()
    host = urlsplit(arguments.url).netloc
    health = f"GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    requests = publishes(host, arguments.publish) if arguments.publish else [health]
    print(json.dumps(uvloop.run(load(arguments.url, requests, arguments.clients, arguments.seconds))))


if __name__ == "__main__":
    main()
