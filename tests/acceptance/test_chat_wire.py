"""The stream as bytes: what is sent, in which order, and what keeps a silent one open."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from sagacity.api import sse
from sagacity.client import AsyncSagacity
from support.api import client_of, listening, running, settings_in
from support.chatting import Told
from support.event_source import Reader
from support.promises import choose
from support.scripted_llm import Answer, ScriptedLLM, scripted_llm

pytestmark = pytest.mark.usefixtures("closed_clients")
COMMENT = re.compile(r"^:[^\n]*\n\n", re.MULTILINE)
"""What keeps a connection open while an answer takes long."""
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
EXPECTED = (Path(__file__).parent / "chat_stream.txt").read_text()


@pytest.fixture
def model():
    with scripted_llm() as model:
        yield model


@pytest.fixture
async def http(tmp_path: Path, model: ScriptedLLM) -> AsyncIterator[httpx.AsyncClient]:
    with listening(settings_in(tmp_path, model_attempts=1)) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            yield http


@pytest.fixture
async def hasty(tmp_path: Path, model: ScriptedLLM) -> AsyncIterator[httpx.AsyncClient]:
    """A server that does not stay silent for long, and soon ends a call that is no stream.

    Its model is chosen at a server with more patience, so that a busy machine does not fail the test.
    """
    settings = settings_in(tmp_path, model_attempts=1, chat_keep_alive_seconds=0.1)
    async with running(settings) as app, client_of(app) as patient:
        await choose(patient, model)
    with listening(settings.model_copy(update={"request_timeout_seconds": 1})) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            yield http


async def raw(http: httpx.AsyncClient, content: str) -> tuple[httpx.Headers, bytes]:
    """A stream as it came."""
    async with http.stream("POST", "/api/chat/send", json={"content": content}) as reply:
        return reply.headers, b"".join([piece async for piece in reply.aiter_raw()])


def told_apart(text: str) -> str:
    """*text* with ids by the order in which they come, and without times and numbers that differ from run to run."""
    names: dict[str, str] = {}
    text = UUID.sub(lambda found: names.setdefault(found[0], f"id-{len(names) + 1}"), text)
    text = re.sub(r'"timings":\{[^}]*\}', '"timings":{}', text)
    return re.sub(r'"ttfb_ms":[0-9.]+', '"ttfb_ms":0', text)


async def test_stream_is_this_text(http: httpx.AsyncClient, model: ScriptedLLM) -> None:
    """Byte for byte, with its line ends, ids and the time to come back (sections 1.4, 11.2)."""
    model.answer_with(lambda _request: Answer(pieces=("Grüße, 😀\r\nÐ",)))
    headers, body = await raw(http, "Say hello.")
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-cache"
    assert headers["x-accel-buffering"] == "no"
    assert "content-length" not in headers
    text = told_apart(body.decode()).replace("\r\n", "\n")
    assert COMMENT.sub("", text) == EXPECTED
    assert body.count(b"\n") == body.count(b"\r\n")


async def test_reader_of_a_browser_sees_the_same(http: httpx.AsyncClient, model: ScriptedLLM) -> None:
    """Read by the rules of the standard, in chunks of any size: events, ids and data."""
    model.answer_with(lambda _request: "Once upon a time, there was a plum.")
    _headers, body = await raw(http, "Tell me a story.")
    whole = Reader()
    whole.feed(body)
    by_bytes = Reader()
    for place in range(len(body)):
        by_bytes.feed(body[place : place + 1])
    assert by_bytes.events == whole.events
    assert [one.name for one in whole.events if one.name != "message"] == [
        "start",
        "metadata",
        "memory",
        "done",
    ]
    assert whole.retry_milliseconds == sse.RETRY_MILLISECONDS
    assert whole.last_event_id == whole.events[-1].event_id


async def test_silent_stream_is_kept_open(hasty: httpx.AsyncClient, model: ScriptedLLM) -> None:
    """By comments that no reader takes for an event, beyond the time limit of a call (section 1.4)."""
    gate = threading.Event()
    model.answer_with(lambda _request: Answer(text="Here I am.", gate=gate))
    reader, comments = Reader(), 0
    async with hasty.stream("POST", "/api/chat/send", json={"content": "Are you there?"}) as reply:
        async for piece in reply.aiter_raw():
            comments += piece.count(b": ping")
            reader.feed(piece)
            if comments >= 10:
                gate.set()
    assert comments >= 10
    assert "".join(one.data["content"] for one in reader.events if one.name == "message") == "Here I am."
    assert reader.events[-1].name == "done"


async def test_client_library_passes_over_comments(hasty: httpx.AsyncClient, model: ScriptedLLM) -> None:
    """However long the model thinks."""
    gate = threading.Event()
    model.answer_with(lambda _request: Answer(text="Here I am.", gate=gate))
    async with AsyncSagacity(str(hasty.base_url)) as sagacity:
        names: list[str] = []
        async for event in sagacity.send_message("Are you there?"):
            names.append(event.event)
            if event.event == "memory":
                await asyncio.sleep(1)  # some comments come meanwhile
                gate.set()
    assert [one for one in names if one != "message"] == ["start", "metadata", "memory", "done"]


def test_reader_keeps_to_the_standard() -> None:
    """Fields without a colon, one space after it, lines of any end, comments, and ids that stay."""
    reader = Reader()
    reader.feed(
        b"\xef\xbb\xbf: hi\n\nevent: a\rid:1\rdata: {\r\ndata:}\r\n\r\n: ping\n\ndata\n\nretry: 5\nretry: x\n\n"
    )
    reader.feed(b"id: 2\n\nevent: b\ndata: {}\nunknown: 1\n\ndata: {}")
    assert reader.events == [Told("a", "1", {}), Told("b", "2", {})]
    assert (reader.retry_milliseconds, reader.last_event_id) == (5, "2")
