"""Every route of the chat side, with a token of the user, without one, with another user's, and with a bad body."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from sagacity.api.app import SERVED
from support.api import client_of, running, settings_in

SECRET = "a secret of the issuer, long enough for HS256"
MARK = "xylophone"
"""What ana says, and nobody else may read."""
ROOTS = ("/api/chat/", "/api/memories", "/api/profile", "/api/v1/analytics/")
OF_LEARNING = {"/api/profile_change_log", "/api/memories/{memory_id:path}/history"}
OF_LEARNING |= {"/api/memories/{memory_id:path}/undo_merge"}
OF_OWNERS = {("POST", "/api/v1/analytics/flush")}
"""What no user may call."""
CONVERSATION, MEMORY, EXCHANGE, RECORD = "{conversation_id}", "{memory_id}", "{exchange_id}", "{analytics_id}"
HELLO = {"role": "user", "content": f"What of my {MARK}?"}
GOOD: dict[tuple[str, str], tuple[int, Any]] = {
    ("GET", "/api/v1/analytics/requests"): (200, None),
    ("GET", f"/api/v1/analytics/requests/{RECORD}"): (200, None),
    ("GET", "/api/v1/analytics/summary"): (200, None),
    ("GET", "/api/v1/analytics/latency"): (200, None),
    ("GET", "/api/v1/analytics/retrieval"): (200, None),
    ("GET", "/api/v1/analytics/timeseries"): (200, None),
    ("GET", "/api/v1/analytics/daily"): (200, None),
    ("POST", "/api/v1/analytics/flush"): (403, None),
    ("GET", "/api/chat/conversations"): (200, None),
    ("GET", f"/api/chat/conversations/{CONVERSATION}"): (200, None),
    ("GET", f"/api/chat/conversations/{CONVERSATION}/messages"): (200, None),
    ("GET", f"/api/chat/exchanges/{EXCHANGE}"): (200, None),
    ("GET", f"/api/chat/exchanges/{EXCHANGE}/events"): (200, None),
    ("GET", "/api/memories"): (200, None),
    ("GET", "/api/memories/stats"): (200, None),
    ("GET", "/api/memories/type/{memory_type}"): (200, None),
    ("GET", f"/api/memories/{MEMORY}"): (200, None),
    ("GET", "/api/profile"): (200, None),
    ("GET", "/api/profile/memory-settings"): (200, None),
    ("POST", "/api/chat/send"): (
        200,
        {"content": f"And my {MARK}?", "stream": False, "conversation_id": CONVERSATION},
    ),
    ("POST", "/api/chat/complete"): (200, {"messages": [HELLO], "conversation_id": CONVERSATION}),
    ("POST", "/api/chat/retry"): (200, {"conversation_id": CONVERSATION, "stream": False}),
    ("POST", "/api/chat/stop"): (404, {"conversation_id": CONVERSATION}),
    ("POST", "/api/chat/conversations"): (201, {"title": "Another"}),
    ("POST", f"/api/chat/conversations/{CONVERSATION}/archive"): (200, None),
    ("POST", f"/api/chat/conversations/{CONVERSATION}/unarchive"): (200, None),
    ("PATCH", f"/api/chat/conversations/{CONVERSATION}"): (200, {"title": f"The {MARK}"}),
    ("POST", "/api/memories"): (201, {"memory_type": "profile", "content": "Likes tea."}),
    ("POST", "/api/memories/bulk"): (
        201,
        {"memories": [{"memory_type": "semantic", "content": "Tea grows."}]},
    ),
    ("POST", "/api/memories/search"): (200, {"query": MARK}),
    ("POST", f"/api/memories/{MEMORY}/access"): (200, None),
    ("PATCH", f"/api/memories/{MEMORY}"): (200, {"content": f"Sold the {MARK}."}),
    ("PATCH", "/api/profile"): (200, {"display_name": MARK}),
    ("PATCH", "/api/profile/memory-settings"): (200, {"retention_days": 300}),
    ("POST", "/api/profile/memory-settings/reset"): (200, None),
    ("DELETE", f"/api/memories/{MEMORY}"): (204, None),
    ("DELETE", "/api/memories"): (204, None),
    ("DELETE", "/api/profile"): (204, None),
    ("DELETE", f"/api/chat/conversations/{CONVERSATION}"): (204, None),
}
"""What each route answers its own user, called in this order, and what it is sent."""
QUERY = {
    ("DELETE", "/api/memories"): {"confirm": "true"},
    ("GET", "/api/v1/analytics/timeseries"): {"metric": "requests"},
}
_COUNTS = re.compile(r'"(access_count|last_accessed)":[^,}]*')
READS = [path for method, path in GOOD if method == "GET" and "analytics" not in path]


@dataclass(frozen=True)
class Server:
    """The application, with something of ana's in it."""

    api: httpx.AsyncClient
    ids: dict[str, str]

    def filled(self, given: Any) -> Any:
        """The same with ana's ids in place of their names."""
        if isinstance(given, dict):
            return {name: self.filled(value) for name, value in given.items()}
        if not isinstance(given, str):
            return given
        for name, value in self.ids.items():
            given = given.replace(name, value)
        return given.replace("{memory_type}", "profile")

    async def call(
        self, method: str, path: str, body: Any = None, *, user: str | None = None, **query: str
    ) -> httpx.Response:
        headers = {} if user is None else {"Authorization": f"Bearer {token_of(user)}"}
        given = {} if body is None else {"json": self.filled(body)}
        params = QUERY.get((method, path), {})
        return await self.api.request(
            method, self.filled(path), headers=headers, params=params | query, **given
        )

    async def seen(self) -> list[Any]:
        """All that ana reads of her own; how often it was used is counted some seconds later."""
        return [_COUNTS.sub("", (await self.call("GET", path, user="ana")).text) for path in READS]


def token_of(user: str) -> str:
    soon = datetime.now(UTC) + timedelta(hours=1)
    return jwt.encode({"sub": user, "exp": int(soon.timestamp())}, SECRET, algorithm="HS256")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    settings = settings_in(tmp_path, jwt_secret=SECRET, sweep_seconds=3_600)
    async with running(settings) as app, client_of(app) as api:
        alone = Server(api, {})
        fact = {"memory_type": "profile", "content": f"Plays the {MARK}."}
        memory = await alone.call("POST", "/api/memories", fact, user="ana")
        said = {"content": f"Where is my {MARK}?", "stream": False}
        answered = (await alone.call("POST", "/api/chat/send", said, user="ana")).json()
        await app.state.runtime.parts.analytics.flush()
        [record] = (await alone.call("GET", "/api/v1/analytics/requests", user="ana")).json()["analytics"]
        ids = {
            CONVERSATION: answered["conversation_id"],
            EXCHANGE: answered["exchange_id"],
            MEMORY: memory.json()["id"],
            RECORD: record["id"],
        }
        yield Server(api, ids)


def test_no_route_is_left_out() -> None:
    served = {
        (method, route.path)
        for router in SERVED
        for route in router.routes
        for method in route.methods
        if route.path.startswith(ROOTS)
    }
    assert {one for one in served if one[1] not in OF_LEARNING} == GOOD.keys()


async def test_each_route_works_for_its_user(server: Server) -> None:
    for (method, path), (status, body) in GOOD.items():
        reply = await server.call(method, path, body, user="ana")
        assert reply.status_code == status, (method, path, reply.text)


async def test_no_route_answers_without_a_token(server: Server) -> None:
    before = await server.seen()
    for (method, path), (_, body) in GOOD.items():
        for sent in (body, []):
            reply = await server.call(method, path, sent)
            assert (reply.status_code, reply.headers.get("www-authenticate")) == (401, "Bearer"), (
                method,
                path,
            )
            assert MARK not in reply.text
    assert await server.seen() == before


async def test_no_route_reaches_another_users_data(server: Server) -> None:
    """Named by its ids it is not there; named by the user it is forbidden; and nothing of it changes."""
    before = await server.seen()
    for (method, path), (status, body) in GOOD.items():
        reply = await server.call(method, path, body, user="ben")
        names_hers = "{" in path.replace("{memory_type}", "") or "conversation_id" in (body or {})
        assert reply.status_code == (404 if names_hers else status), (method, path, reply.text)
        asked_for = MARK in str(body)
        assert MARK not in reply.text or (asked_for and not names_hers), (method, path, reply.text)
        reply = await server.call(method, path, body, user="ben", user_id="ana")
        assert reply.status_code == 403, (method, path, reply.text)
    assert await server.seen() == before


async def test_bad_bodies_are_refused(server: Server) -> None:
    """Of another shape, or with values of another type: 422 that names what is wrong; and nothing is written."""
    before = await server.seen()
    for (method, path), (_, body) in GOOD.items():
        if body is None:
            continue
        wrong = {name: {"no": "such"} for name in body}
        for sent in ([], "text", 7, wrong):
            reply = await server.call(method, path, sent, user="ana")
            assert reply.status_code == 422, (method, path, sent, reply.text)
            assert reply.json()["error"] == "InvalidInput"
    assert await server.seen() == before
