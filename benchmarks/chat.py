"""
What the chat adds to the model's time: before the call, and to each piece of many parallel streams.

    python benchmarks/chat.py [--quick]

The model is a separate program that sends the time in each piece, so the reader knows how long the piece took. A server
that only relays is measured too; the difference is the cost of remembering and storing.
"""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
from corpus import TENANT, Corpus, Scope, fill, fill_graph
from harness import Budget, Effort, Place, Report, Table, folder, number, percentile, run, server
from steps import asking

from sagacity.bootstrap import open_database
from sagacity.domain.memory import MemoryKind
from sagacity.providers.embedders.minilm import MiniLM

MEMORIES = 10_000
PIECE_SECONDS = 0.05
PROVIDER, RELAY = "--provider", "--relay"
STARTING_SECONDS = 30.0
COMPARING_SECONDS = 600.0


@dataclass
class Streams:
    """The times of many parallel streams, in milliseconds."""

    first: list[float] = field(default_factory=list)
    """From the call to the first piece."""
    added: list[float] = field(default_factory=list)
    """From the model to the reader, for each piece."""
    slowest: list[float] = field(default_factory=list)
    """The largest of each stream."""
    failed: int = 0


@dataclass(frozen=True)
class Alone:
    """The times of one message at a time, in milliseconds."""

    until_call: list[float]
    """From the call to the model's being called."""
    searches: list[float]
    """A plain search for the same question."""
    first: list[float]
    """From the call to the first piece."""
    phases: dict[str, float]
    """The server's own, on average."""


def serve_model(port: int) -> None:
    """Be a model: OpenAI's protocol, a piece every 50 ms, in each the time of this machine's clock."""
    import uvicorn  # noqa: PLC0415  only this process needs it
    from starlette.applications import Starlette  # noqa: PLC0415  likewise
    from starlette.requests import Request  # noqa: PLC0415  likewise
    from starlette.responses import JSONResponse, StreamingResponse  # noqa: PLC0415  likewise
    from starlette.routing import Route  # noqa: PLC0415  likewise

    arrived: dict[str, int] = {}

    async def complete(request: Request) -> StreamingResponse:
        at = time.monotonic_ns()
        asked = (await request.json())["messages"][-1]["content"]
        arrived[message_of(asked)] = at
        pieces = int(message_of(asked).partition("pieces=")[2].partition(";")[0] or 3)

        async def stream() -> AsyncIterator[bytes]:
            for place in range(pieces):
                if place:
                    await asyncio.sleep(PIECE_SECONDS)
                yield _chunk(f"{time.monotonic_ns()} ", None)
            yield _chunk(None, "stop") + b"data: [DONE]\n\n"

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def when(request: Request) -> JSONResponse:
        return JSONResponse(arrived.get(request.query_params["asked"]))

    routes = [Route("/v1/chat/completions", complete, methods=["POST"]), Route("/when", when)]
    uvicorn.run(Starlette(routes=routes), port=port, log_level="warning")


def message_of(asked: str) -> str:
    """The message itself: the last line of what the model was asked."""
    return asked.rstrip().splitlines()[-1]


def _chunk(content: str | None, reason: str | None) -> bytes:
    delta = {} if content is None else {"role": "assistant", "content": content}
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    body = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def serve_relay(port: int, model: str) -> None:
    """Be a server that only passes on what the model says."""
    import uvicorn  # noqa: PLC0415  only this process needs it
    from httpx_sse import aconnect_sse  # noqa: PLC0415  likewise
    from sse_starlette import EventSourceResponse  # noqa: PLC0415  likewise
    from starlette.applications import Starlette  # noqa: PLC0415  likewise
    from starlette.requests import Request  # noqa: PLC0415  likewise
    from starlette.routing import Route  # noqa: PLC0415  likewise

    limits = httpx.Limits(max_connections=None)
    client = httpx.AsyncClient(timeout=60, limits=limits)

    async def send(request: Request) -> EventSourceResponse:
        message = {"role": "user", "content": (await request.json())["content"]}
        body = {"model": "m", "messages": [message], "stream": True}

        async def events() -> AsyncIterator[dict[str, str]]:
            async with aconnect_sse(client, "POST", f"{model}/v1/chat/completions", json=body) as source:
                async for event in source.aiter_sse():
                    if event.data != "[DONE]":
                        piece = json.loads(event.data)["choices"][0]["delta"].get("content")
                        yield {"event": "message", "data": json.dumps({"content": piece or ""})}
            yield {"event": "done", "data": "{}"}

        return EventSourceResponse(events())

    uvicorn.run(
        Starlette(routes=[Route("/api/chat/send", send, methods=["POST"])]), port=port, log_level="warning"
    )


@contextmanager
def program(role: str, *arguments: str) -> Iterator[str]:
    """This file in a process of its own, as a model or a relay; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, __file__, role, str(port), *arguments])
    try:
        deadline = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


async def read(client: httpx.AsyncClient, content: str, user: str, streams: Streams) -> None:
    """Send one message and read its answer to the end."""
    started, worst, buffer, ended = time.monotonic_ns(), 0.0, "", False
    body, params = {"content": content}, {"user_id": user}
    seen_first = False
    async with client.stream("POST", "/api/chat/send", json=body, params=params) as reply:
        async for text in reply.aiter_text():
            now = time.monotonic_ns()
            buffer += text
            *whole, buffer = buffer.replace("\r\n", "\n").split("\n\n")
            for event in whole:
                fields = {
                    name: value for name, _, value in (line.partition(": ") for line in event.split("\n"))
                }
                ended = ended or fields.get("event") == "done"
                if fields.get("event") != "message":
                    continue
                for stamp in json.loads(fields["data"])["content"].split():
                    if not seen_first:
                        streams.first.append((now - started) / 1e6)
                        seen_first = True
                    took = (now - int(stamp)) / 1e6
                    streams.added.append(took)
                    worst = max(worst, took)
    streams.slowest.append(worst)
    streams.failed += not ended


async def at_once(url: str, count: int, pieces: int, users: int) -> Streams:
    """Many streams that begin together, of several users."""
    streams = Streams()
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as client:
        await asyncio.gather(
            *(
                read(
                    client,
                    f"Where do I go next, pieces={pieces}; number {place}",
                    f"other-{place % users}",
                    streams,
                )
                for place in range(count)
            )
        )
    return streams


async def before_the_call(url: str, model: str, count: int) -> Alone:
    """Ask one after the other, and search for the same questions in between."""
    question = asking(5, 1, MEMORIES // 2)
    until_call: list[float] = []
    searches: list[float] = []
    phases: dict[str, list[float]] = {}
    streams = Streams()
    async with (
        httpx.AsyncClient(base_url=url, timeout=60) as client,
        httpx.AsyncClient(base_url=model) as asked,
    ):
        for place in range(count + 5):
            text, user = question()
            content = f"{text} ({place})"
            body, params = {"content": content, "stream": False}, {"user_id": user}
            started = time.monotonic_ns()
            reply = (await client.post("/api/chat/send", json=body, params=params)).json()
            arrived = (await asked.get("/when", params={"asked": content})).json()
            if place < 5:
                continue
            until_call.append((arrived - started) / 1e6)
            for name, took in reply["timings"].items():
                phases.setdefault(name, []).append(took)
            started = time.monotonic_ns()
            await client.post("/api/search", json={"query": content, "user_id": user})
            searches.append((time.monotonic_ns() - started) / 1e6)
        for place in range(count):
            text, user = question()
            await read(client, f"{text} [{place}]", user, streams)
    means = {name: sum(took) / len(took) for name, took in phases.items()}
    return Alone(until_call, searches, streams.first, means)


async def load(place: Place) -> None:
    """Give one user ten thousand memories, and a graph."""
    embedder = MiniLM()
    corpus = await Corpus.load(embedder)
    half = MEMORIES // 2
    scopes = [Scope(MemoryKind.PROFILE, ["user-0"], half), Scope(MemoryKind.USER_PLAYBOOK, ["user-0"], half)]
    async with open_database(place.settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        await fill(storage, corpus, scopes)
    async with open_database(place.settings) as storage:
        await fill_graph(storage, ["user-0"])


async def until_compared(url: str, place: Place) -> None:
    """Have the server look for duplicates among what was loaded, as it does once, and wait until it has done so."""
    httpx.post(f"{url}/api/get_memory_review", json={"user_id": "user-0"}, timeout=60).raise_for_status()
    async with open_database(place.settings) as storage:
        deadline = time.monotonic() + COMPARING_SECONDS
        while time.monotonic() < deadline:
            async with storage.read(TENANT) as snapshot:
                if not await snapshot.duplicates.uncompared():
                    return
            await asyncio.sleep(0.5)
    raise TimeoutError("the server still compares what was loaded")


def measure(effort: Effort) -> Report:
    """Load, ask one by one, then many at once, beside a relay."""
    calls, count, pieces = effort.pick(20, 200), effort.pick(20, 200), effort.pick(40, 100)
    with folder() as home, program(PROVIDER) as model, program(RELAY, model) as relay:
        asyncio.run(load(Place(home)))
        with server(home) as ours:
            endpoint = {"model": "scripted", "api_key": "k", "api_base": f"{model}/v1"}
            config = {"api_key_config": {"custom_endpoint": endpoint}}
            httpx.post(f"{ours.url}/api/set_config", json=config, timeout=60).raise_for_status()
            asyncio.run(until_compared(ours.url, Place(home)))
            alone = asyncio.run(before_the_call(ours.url, model, calls))
            relayed = asyncio.run(_relay_alone(relay, calls))
            asyncio.run(at_once(ours.url, 5, 5, 5))  # so that connections and threads are there
            own = asyncio.run(at_once(ours.url, count, pieces, 50))
            theirs = asyncio.run(at_once(relay, count, pieces, 50))
    return _report(alone, relayed, own, theirs)


async def _relay_alone(url: str, count: int) -> list[float]:
    streams = Streams()
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        for place in range(count):
            await read(client, f"hello {place}", "ana", streams)
    return streams.first


def _report(alone: Alone, relayed_first: list[float], own: Streams, theirs: Streams) -> Report:
    count = len(own.slowest) + own.failed

    def row(name: str, values: list[float]) -> tuple[str, ...]:
        return (
            name,
            *(number(percentile(values, share)) for share in (0.5, 0.95, 0.99)),
            number(max(values)),
        )

    return Report(
        "Chat",
        f"A user with {MEMORIES:,} memories, which were compared for duplicates before; then {count} streams at once, "
        f"each a piece every {PIECE_SECONDS * 1000:g} ms. Server, model, relay and reader share the machine.",
        budgets=[
            Budget("before the model is called, p95", percentile(alone.until_call, 0.95), 60, "ms"),
            Budget("streams that did not end", own.failed, 0, ""),
        ],
        tables=[
            Table(
                "One at a time",
                ("ms", "p50", "p95", "p99", "max"),
                [
                    row("until the model is called", alone.until_call),
                    row("a plain search for the same question", alone.searches),
                    row("until the first piece is read", alone.first),
                    row("until the first piece is read, relay", relayed_first),
                ],
            ),
            Table(
                "The server's own phases",
                ("phase", "mean ms"),
                [
                    (name, number(took))
                    for name, took in sorted(alone.phases.items(), key=lambda one: -one[1])
                ],
            ),
            Table(
                f"{count} streams at once",
                ("ms", "p50", "p95", "p99", "max"),
                [
                    row("added to a piece", own.added),
                    row("added to a piece, relay", theirs.added),
                    row("slowest piece of a stream", own.slowest),
                    row("slowest piece of a stream, relay", theirs.slowest),
                    row("until the first piece", own.first),
                    row("until the first piece, relay", theirs.first),
                ],
            ),
        ],
    )


if __name__ == "__main__":
    if PROVIDER in sys.argv:
        serve_model(int(sys.argv[2]))
    elif RELAY in sys.argv:
        serve_relay(int(sys.argv[2]), sys.argv[3])
    else:
        run(measure)
