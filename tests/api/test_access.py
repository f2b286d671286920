"""Who may call: tokens, and this machine without one."""

import pytest

from sagacity.api.dependencies import is_local
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import Tenant
from support.api import client_of, make_token, running, settings_in, turns


@pytest.mark.parametrize(
    ("client", "host", "origin", "expected"),
    [
        ("127.0.0.1", "127.0.0.1:8081", None, True),
        ("127.0.0.1", "localhost:8081", None, True),
        ("::1", "[::1]:8081", None, True),
        ("127.0.0.1", "localhost:8081", "http://localhost:8081", True),
        ("127.0.0.1", "localhost:8081", "http://mine.example", True),
        ("127.0.0.1", "localhost:8081", "http://localhost:9000", False),
        ("127.0.0.1", "localhost:8081", "null", False),
        ("127.0.0.1", "evil.example:8081", None, False),
        ("127.0.0.1", "evil.example:80@localhost", None, False),
        ("127.0.0.1", "127.0.0.1.evil.example", None, False),
        ("127.0.0.1", "", None, False),
        ("127.0.0.1", "[", None, False),
        ("127.0.0.1", "[::1", None, False),
        ("127.0.0.1", "127.0.0.1:8081", "http://[", False),
        ("192.168.1.5", "127.0.0.1:8081", None, False),
        ("", "127.0.0.1:8081", None, False),
    ],
)
def test_local_means_this_machine_and_no_web_page(client, host, origin, expected):
    """Row 29: a page that someone visits, or a rebound name, is not this machine."""
    assert is_local(client, host=host, origin=origin, origins=("http://mine.example",)) is expected


async def test_without_any_token_only_this_machine_is_served(app):
    """The same server, asked from elsewhere or under a foreign name, wants a token."""
    async with client_of(app) as api:
        assert (await api.get("/api/whoami")).json()["org_id"] == "self-host-org"
    async with client_of(app, client=("10.0.0.9", 1234)) as api:
        reply = await api.get("/api/whoami")
        assert reply.status_code == 401
        assert reply.headers["WWW-Authenticate"] == "Bearer"
        assert (await api.get("/health")).status_code == 200
    async with client_of(app, base_url="http://rebound.example") as api:
        assert (await api.get("/api/whoami")).status_code == 401


async def test_a_server_that_listens_outside_wants_a_token(tmp_path):
    """Row 29: bound to all addresses, no call is served without a token."""
    async with running(settings_in(tmp_path, host="0.0.0.0")) as app, client_of(app) as api:
        assert (await api.get("/api/whoami")).status_code == 401


async def test_once_a_token_was_made_every_call_needs_one(app):
    """Missing, unknown, malformed and revoked tokens are all 401; a valid one names its organisation."""
    token = await make_token(app, "org-a")
    async with client_of(app) as api:
        for headers in (
            {},
            {"Authorization": "Bearer sgc_unknown"},
            {"Authorization": "Bearer "},
            {"Authorization": f"Basic {token}"},
            {"Authorization": token},
            {"Authorization": "Bearer " + "x" * 5_000},
        ):
            reply = await api.get("/api/whoami", headers=headers)
            assert reply.status_code == 401, headers
            assert reply.json()["error"] == "Unauthorized"
    async with client_of(app, token=token) as api:
        assert (await api.get("/api/whoami")).json()["org_id"] == "org-a"
        async with app.state.runtime.storage.begin(Tenant(org_id=OrgId("org-a"))) as transaction:
            (kept,) = await transaction.tokens.list_page(limit=9)
            await transaction.tokens.revoke(kept.token_id)
        assert (await api.get("/api/whoami")).status_code == 401


async def test_an_unknown_token_is_refused_also_where_none_is_needed(api):
    """A client that believes to be someone is not served as someone else."""
    reply = await api.post(
        "/api/publish_interaction", json=turns("x"), headers={"Authorization": "Bearer old"}
    )
    assert reply.status_code == 401
    assert (await api.get("/api/get_all_interactions")).json()["interactions"] == []


async def test_curl_and_friends_are_served(api):
    """Row 35: no program is shut out by its name."""
    for agent in ("curl/8.0", "Googlebot", ""):
        assert (await api.get("/api/whoami", headers={"User-Agent": agent})).status_code == 200
