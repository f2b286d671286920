"""Calls the application over HTTP and keeps what was sent and answered."""

import json
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from sagacity.bootstrap import Runtime
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, running, settings_in
from support.parts import StoppedClock
from support.waiting import until

LOCAL = Tenant(org_id=LOCAL_ORG)
Json = Any
Recorded = dict[str, dict[str, Json]]
"""Method and path → the `request`, where there is a body, and the `reply`."""

_RANDOM_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TOKEN = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")
_SIGNATURE = re.compile(r"\b[0-9a-f]{128}\b")
_CSRF_TOKEN = re.compile(r'(?<="csrf_token": ")[0-9a-f]{64}')
_APP_SECRET = re.compile(r"\b[A-Z2-7]{32}\b")
_RECOVERY_CODE = re.compile(r"\b[a-z2-7]{4}(-[a-z2-7]{4}){3}\b")
_PSEUDONYM = re.compile(r"\buser:[0-9a-f]{32}\b")
_ERASURE_KEY = "a secret that signs the examples and nothing else"
_DURATION = 1.0
_TIMINGS = "timings"
_ALL_DURATIONS = {_TIMINGS, "step_timings", "latency_stats"}
"""Objects whose numbers are durations, each under a name of its own."""
_DURATIONS = {
    "milliseconds",
    "latency_ms",
    "ttfb_ms",
    "completion_time_ms",
    "search_time_ms",
    "total_time_ms",
    "avg_latency_ms",
    "avg_ttfb_ms",
    "p50_latency_ms",
    "p95_latency_ms",
    _TIMINGS,
}
_PERCENTILES = "sample_count"
"""A field of objects whose other numbers are durations."""
_LATENCY = "timeseries"
_EVENT_DATA = re.compile(r"^data: (.*)$", re.MULTILINE)
_DIGITS = 2
_RANDOM = {"secret": "sgc_" + "x" * 43, "prefix": "sgc_xxxx", "hash": "5e" * 32}
"""Texts that differ each time, by the name of their field, and what stands in their place."""
_NAMED = {"X-Correlation-ID": "web-7f3a"}
"""What names each call, as the replies of some show it."""


class Recorder:
    """One application with a database of its own, and what was recorded of it."""

    def __init__(
        self, app: FastAPI, http: httpx.AsyncClient, clock: StoppedClock, recorded: Recorded
    ) -> None:
        self.app = app
        self.runtime: Runtime = app.state.runtime
        self._http = http
        self._clock = clock
        self._recorded = recorded
        self.token = ""
        """Sent with each call, if there is one."""

    async def show(self, call: str, body: Json = None, /, **given: Json) -> Json:
        """Make a call and record it as its route's example; returns the reply."""
        reply = await self.do(call, body, **given)
        sent = {} if body is None else {"request": body}
        self._recorded[call] = {**sent, "reply": _steady(reply)}
        return reply

    async def do(self, call: str, body: Json = None, /, **given: Json) -> Json:
        """
        Make a call that only prepares for others; returns the reply.

        Args:
            call: method and path, as the document has them.
            body: what is sent as JSON.
            given: what stands in the path's braces, and parameters of the query.
        """
        method, path = call.split()
        in_path = {name: given.pop(name) for name in re.findall(r"\{(\w+)\}", path)}
        self._clock.advance(1)
        reply = await self._http.request(
            method, path.format(**in_path), json=body, params=given, headers=_NAMED | self._access
        )
        if not reply.is_success:
            raise SystemExit(f"{call}: {reply.status_code} {reply.text}")
        if reply.status_code == httpx.codes.NO_CONTENT:
            return None
        if reply.headers["content-type"].startswith(("text/plain", "application/x-ndjson")):
            return None  # figures, which differ each time, or a file
        is_stream = reply.headers["content-type"].startswith("text/event-stream")
        return reply.text.replace("\r\n", "\n") if is_stream else reply.json()

    @property
    def _access(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def indexed(self) -> None:
        """Wait until all that was stored has its vectors, so that searches find the same each time."""

        async def is_done() -> bool:
            async with self.runtime.storage.begin(LOCAL) as transaction:
                return not await transaction.search.unembedded(1)

        await until(is_done)

    async def compared(self) -> None:
        """Wait until all memories that were stored were compared for duplicates."""

        async def is_done() -> bool:
            async with self.runtime.storage.read(LOCAL) as snapshot:
                return not await snapshot.duplicates.uncompared()

        await until(is_done)


@asynccontextmanager
async def recording(recorded: Recorded, **more: Json) -> AsyncIterator[Recorder]:
    """
    Start an application over an empty database; its clock moves with each call, and nothing is due by itself.

    Args:
        recorded: what is added to.
        more: settings beside the usual ones.
    """
    clock = StoppedClock()
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_in(Path(folder), sweep_seconds=3600, erasure_key=_ERASURE_KEY, **more)
        async with running(settings, clock) as app, client_of(app) as http:
            yield Recorder(app, http, clock, recorded)


def with_steady_ids(recorded: Recorded) -> Recorded:
    """Return *recorded* with made-up ids in place of those that each run makes anew."""
    steady: dict[str, str] = {}

    def replaced(found: re.Match[str]) -> str:
        return steady.setdefault(found[0], f"01990a52-7c11-7000-8000-{len(steady) + 1:012}")

    text = _PSEUDONYM.sub(
        "user:" + "5e" * 16, _SIGNATURE.sub("5e" * 64, _RANDOM_ID.sub(replaced, json.dumps(recorded)))
    )
    text = _CSRF_TOKEN.sub("c5" * 32, text)
    text = _RECOVERY_CODE.sub(
        "mzxw-6ytb-oi2g-k3lq", _APP_SECRET.sub("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", text)
    )
    return json.loads(_TOKEN.sub("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl", text))


def _steady(value: Json, name: str = "") -> Json:
    """Return *value* without what differs from machine to machine: durations, and the last digits of scores."""
    if isinstance(value, dict):
        return _steady_object(value, name)
    if isinstance(value, str) and name in _RANDOM and not _APP_SECRET.fullmatch(value):
        return _RANDOM[name]
    if isinstance(value, str) and value.startswith("id: "):
        return _EVENT_DATA.sub(lambda found: f"data: {json.dumps(_steady(json.loads(found[1])))}", value)
    if isinstance(value, list):
        return [_steady(one, name) for one in value]
    if isinstance(value, float):
        return _DURATION if name in _DURATIONS else round(value, _DIGITS)
    return value


def _steady_object(value: dict[str, Json], name: str) -> Json:
    if name == _LATENCY and not value["count"]:
        return value
    are_durations = name in _ALL_DURATIONS or name == _LATENCY or _PERCENTILES in value
    return {key: _steady(one, _TIMINGS if are_durations else key) for key, one in value.items()}
