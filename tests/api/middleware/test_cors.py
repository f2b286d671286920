"""Which web pages may call."""

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
