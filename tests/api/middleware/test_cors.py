"""Which web pages may call, and what they may read."""

import pytest

from support.api import client_of, make_token, running, settings_in

ASK = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "Authorization"}


async def test_no_origin_is_let_in_by_default(api):
    """Row 29: no origin is echoed, and a page of another site gets nothing without a token."""
    reply = await api.get("/api/get_all_profiles", headers={"Origin": "https://evil.example"})
    assert reply.status_code == 401
    assert "access-control-allow-origin" not in reply.headers
    asked = await api.options("/api/search", headers=ASK | {"Origin": "https://evil.example"})
    assert asked.status_code == 405
    assert "access-control-allow-origin" not in asked.headers


async def test_only_the_origins_of_the_settings_are_let_in(tmp_path):
    """A named origin is let in, without credentials; any other is not."""
    settings = settings_in(tmp_path, cors_origins=("https://mine.example",))
    async with running(settings) as app:
        token = await make_token(app, "a")
        async with client_of(app, token=token) as api:
            mine = await api.options("/api/search", headers=ASK | {"Origin": "https://mine.example"})
            assert mine.headers["access-control-allow-origin"] == "https://mine.example"
            assert "access-control-allow-credentials" not in mine.headers
            other = await api.options("/api/search", headers=ASK | {"Origin": "https://evil.example"})
            assert "access-control-allow-origin" not in other.headers
            refused = await api.post("/api/search", json={}, headers={"Origin": "https://mine.example"})
            assert refused.headers["access-control-allow-origin"] == "https://mine.example"


MINE = {"Origin": "https://mine.example"}
READABLE = {
    "X-Correlation-ID",
    "X-Request-ID",
    "X-Process-Time",
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
}


async def test_page_can_read_every_reply_also_of_a_call_that_failed(tmp_path):
    """200, 401, 404, 422, 429 and 500 alike: the page is let in, and sees the id and the time of its call."""
    settings = settings_in(tmp_path, cors_origins=("https://mine.example",), rate_limits=True)
    async with running(settings) as app:
        token = await make_token(app, "a")
        async with client_of(app, token=token) as api:
            replies = [
                await api.get("/health", headers=MINE),
                await api.get("/api/whoami", headers=MINE | {"Authorization": "Bearer sgc_wrong"}),
                await api.get("/nowhere", headers=MINE),
            ]
            replies += [await api.post("/api/publish_interaction", json={}, headers=MINE) for _ in range(75)]
            app.state.runtime = None
            replies.append(await api.get("/api/whoami", headers=MINE))
    assert {reply.status_code for reply in replies} == {200, 401, 404, 422, 429, 500}
    for reply in replies:
        assert reply.headers["access-control-allow-origin"] == "https://mine.example", reply.status_code
        exposed = set(reply.headers["access-control-expose-headers"].split(", "))
        assert exposed == READABLE
        assert reply.headers["X-Request-ID"] == reply.headers["X-Correlation-ID"]
        assert float(reply.headers["X-Process-Time"]) >= 0
        if reply.status_code >= 400:
            assert reply.json()["request_id"] == reply.headers["X-Request-ID"]


async def test_page_may_send_what_the_chat_needs(tmp_path):
    """To go on with a stream, and to name its calls."""
    wanted = {"Access-Control-Request-Headers": "authorization, content-type, last-event-id, x-request-id"}
    async with (
        running(settings_in(tmp_path, cors_origins=("https://mine.example",))) as app,
        client_of(app) as api,
    ):
        for method in ("POST", "PATCH", "DELETE"):
            asked = {"Access-Control-Request-Method": method} | wanted | MINE
            assert (await api.options("/api/chat/send", headers=asked)).status_code == 200
        refused = await api.options(
            "/api/chat/send", headers=ASK | {"Access-Control-Request-Headers": "x-evil"} | MINE
        )
        assert refused.status_code == 400


@pytest.mark.parametrize("origins", [("https://mine.example",), ()])
async def test_preflights_take_nothing_from_the_allowance(tmp_path, origins):
    """Nor does OPTIONS where no page is let in; the call itself passes."""
    settings = settings_in(tmp_path, cors_origins=origins, rate_limits=True)
    async with running(settings) as app, client_of(app) as api:
        for _ in range(130):
            asked = await api.options("/api/search", headers=ASK | MINE)
            assert asked.status_code == (200 if origins else 405)
        assert (await api.post("/api/search", json={"query": "x"})).status_code == 200


async def test_any_origin_lets_no_page_in_that_has_no_token(tmp_path):
    """A page that someone visits on this machine is not this machine, even where all pages may call."""
    async with running(settings_in(tmp_path, cors_origins=("*",))) as app:
        async with client_of(app) as api:
            reply = await api.get("/api/whoami", headers={"Origin": "https://evil.example"})
            assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (401, "*")
            assert "access-control-allow-credentials" not in reply.headers
        async with client_of(app, token=await make_token(app, "a")) as api:
            assert (
                await api.get("/api/whoami", headers={"Origin": "https://any.example"})
            ).status_code == 200


async def test_credentials_are_let_in_where_the_settings_say_so(tmp_path):
    settings = settings_in(tmp_path, cors_origins=("https://mine.example",), cors_credentials=True)
    async with running(settings) as app, client_of(app) as api:
        reply = await api.get("/health", headers=MINE)
        assert reply.headers["access-control-allow-credentials"] == "true"
        assert reply.headers["access-control-allow-origin"] == "https://mine.example"
