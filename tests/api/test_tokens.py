"""API tokens and the audit log over HTTP: given, used, replaced, taken back, and what is said of it afterwards."""

import httpx
import pytest
from fastapi import FastAPI

from sagacity.domain.audit import AuditEntry, ChainCheck
from sagacity.domain.ids import OrgId
from support.accounts import EMAIL, PASSWORD, log_in, serving, sign_up, signed_in
from support.api import client_of, make_token, publish, turns
from support.parts import StoppedClock

ORG = "self-host-org"

NONSENSE = [
    ("POST /api/tokens", {}),
    ("POST /api/tokens", {"scopes": []}),
    ("POST /api/tokens", {"scopes": ["god"]}),
    ("POST /api/tokens", {"scopes": "admin"}),
    ("POST /api/tokens", {"scopes": [["admin"]]}),
    ("POST /api/tokens", {"scopes": ["read"], "name": "a\nb"}),
    ("POST /api/tokens", {"scopes": ["read"], "name": "\x00"}),
    ("POST /api/tokens", {"scopes": ["read"], "name": "x" * 201}),
    ("POST /api/tokens", {"scopes": ["read"], "user_id": " "}),
    ("POST /api/tokens", {"scopes": ["read"], "expires_in_seconds": 0}),
    ("POST /api/tokens", {"scopes": ["read"], "expires_in_seconds": 10**30}),
    ("POST /api/tokens", {"scopes": ["read"], "expires_in": 60}),
    ("POST /api/tokens", {"scopes": ["admin"], "user_id": "anna"}),
    ("POST /api/tokens/none/rotate", {"grace_seconds": -1}),
    ("POST /api/tokens/none/rotate", {"grace_seconds": 10**9}),
    ("POST /api/tokens/%00/rotate", {}),
    ("DELETE /api/tokens/%00", None),
    ("GET /api/tokens?after=%00", None),
    ("GET /api/tokens?limit=0", None),
    ("GET /api/audit?action=signed", None),
    ("GET /api/audit?actor=%00", None),
    ("GET /api/audit?before=1&after=1", None),
    ("GET /api/audit?after=-1", None),
    ("GET /api/audit?after=99999999999999999999", None),
    ("GET /api/audit?start_time=2026-01-02&end_time=2026-01-01", None),
]


@pytest.fixture
def api_clock() -> StoppedClock:
    return StoppedClock()


async def made(api: httpx.AsyncClient, *scopes: str, **body: object) -> dict:
    reply = await api.post("/api/tokens", json={"scopes": scopes, **body})
    assert reply.status_code == 200, reply.text
    return reply.json()


async def log_of(api: httpx.AsyncClient, org: str = ORG) -> list[dict]:
    """The whole log, oldest first, a row a page; its chain holds."""
    rows: list[dict] = []
    check, after = ChainCheck(OrgId(org)), 0
    while after is not None:
        page = (await api.get("/api/audit", params={"after": after, "limit": 1})).json()
        check.see(AuditEntry.model_validate(one) for one in page["entries"])
        rows += page["entries"]
        after = page["next"]
    assert check.result.broken is None
    return rows


async def test_a_token_from_its_first_call_to_its_last(app: FastAPI, api_clock: StoppedClock) -> None:
    """Given before there was any; used, replaced and revoked; its secret is shown once and is in no list or log."""
    async with client_of(app) as local:
        first = await made(local, "admin", name="laptop")
        assert (await local.get("/api/tokens")).status_code == 401  # from now on every call needs one
    async with client_of(app, token=first["secret"]) as admin:
        shop = await made(admin, "publish", "read", name="shop", expires_in_seconds=3_600)
        token = shop["token"]
        assert (token["scopes"], token["is_live"]) == (["publish", "read"], True)
        assert token["expires_at"] == "2026-05-01T11:00:00Z"
        path = f"/api/tokens/{token['token_id']}"
        async with client_of(app, token=shop["secret"]) as agent:
            await publish(agent, "I like tea.")
            for call, url in (("GET", "/api/tokens"), ("GET", "/api/audit"), ("DELETE", path)):
                assert (await agent.request(call, url)).status_code == 403
            assert (await agent.post("/api/tokens", json={"scopes": ["read"]})).status_code == 403
            assert (await agent.post(f"{path}/rotate", json={})).status_code == 403
            assert (await agent.post("/api/set_config", json={"batch_size": 8})).status_code == 403
        second = (await admin.post(f"{path}/rotate", json={"grace_seconds": 60})).json()
        await app.state.runtime.token_store._uses.flush()
        found = (await admin.get("/api/tokens")).json()["tokens"]
        assert [one.get("last_used_at") for one in found] == ["2026-05-01T10:00:00Z"] * 2
        page = (await admin.get("/api/tokens", params={"limit": 1})).json()
        rest = (await admin.get("/api/tokens", params={"after": page["next"]})).json()
        assert page["tokens"] + rest["tokens"] == found
        assert rest.get("next") is None

        async def statuses() -> list[int]:
            sent = [client_of(app, token=one["secret"]) for one in (shop, second)]
            return [(await one.get("/api/whoami")).status_code for one in sent]

        assert await statuses() == [200, 200]
        api_clock.advance(60)
        assert await statuses() == [401, 200]
        assert (await admin.delete(path)).json()["token"]["revoked_at"] == "2026-05-01T10:01:00Z"
        assert await statuses() == [401, 401]
        assert (await admin.delete(path)).status_code == 200
        assert (await admin.post(f"{path}/rotate", json={})).status_code == 409
        last = await admin.delete(f"/api/tokens/{first['token']['token_id']}")
        assert (last.status_code, last.json()["error"]) == (409, "Conflict")
        expiring = await made(admin, "read", expires_in_seconds=1)
        api_clock.advance(1)
        async with client_of(app, token=expiring["secret"]) as late:
            assert (await late.get("/api/whoami")).status_code == 401
        log = await log_of(admin)
        said = [(one["action"].removeprefix("token."), one["actor"]) for one in log]
        me = f"token:{first['token']['token_id']}"
        acts = ("created", "rotated", "revoked", "created")
        assert said == [("created", "local"), *((act, me) for act in acts)]
        everything = f"{log} {(await admin.get('/api/tokens')).text}"
        assert not any(one["secret"][9:] in everything for one in (first, shop, second, expiring))


async def test_a_token_for_one_user_reaches_that_user_alone(app: FastAPI) -> None:
    """As if the user had signed in, by whatever it names; nothing of the organisation's."""
    async with client_of(app, token=await make_token(app, ORG)) as admin:
        anna = await made(admin, "publish", user_id="anna")
        reader = await made(admin, "read", user_id="anna")
        await publish(admin, "Ben's secret", user_id="ben")
        async with client_of(app, token=anna["secret"]) as api:
            await publish(api, "I like tea.")
            refused = await api.post("/api/publish_interaction", json=turns("x", user_id="ben"))
            assert refused.status_code == 403
            assert (await api.post("/api/get_interactions", json={"user_id": "ben"})).status_code == 403
            seen = (await api.post("/api/get_interactions", json={"user_id": "anna"})).text
            assert ("I like tea." in seen, "secret" in seen) == (True, False)
            assert (await api.get("/api/quarantines")).status_code == 403
        async with client_of(app, token=reader["secret"]) as api:
            assert (await api.post("/api/publish_interaction", json=turns("x"))).status_code == 403
            assert (await api.post("/api/get_interactions", json={"user_id": "anna"})).status_code == 200


async def test_what_makes_no_sense_is_refused(api: httpx.AsyncClient) -> None:
    """With 422, whatever is wrong with it; nothing is stored."""
    for call, body in NONSENSE:
        method, path = call.split()
        reply = await api.request(method, path, json=body)
        assert reply.status_code == 422, (call, body, reply.text)
    for path in ("none", "x" * 512):
        assert (await api.delete(f"/api/tokens/{path}")).status_code == 404
    assert (await api.post("/api/tokens/none/rotate", json={})).status_code == 404
    assert await log_of(api) == []


async def test_changes_of_all_kinds_are_in_the_log(app: FastAPI) -> None:
    """With who did them; without a value, a reason or a name. What changes nothing is not in it."""
    async with client_of(app, token=await make_token(app, "a")) as api:
        secret = {"openai": {"api_key": "sk-very-secret"}}
        config = (await api.get("/api/get_config")).json()
        changed = config | {"batch_size": 8, "api_key_config": secret, "agent_context_prompt": "of Anna"}
        for _ in range(2):
            assert (await api.post("/api/set_config", json=changed)).status_code == 200
        held = await api.post("/api/quarantines", json={"target": "user", "value": "anna", "reason": "Anna!"})
        for _ in range(2):
            await api.post(
                f"/api/quarantines/{held.json()['quarantine_id']}/release", json={"reason": "Anna"}
            )
        erased = await api.delete("/api/users/anna", params={"wait_for_response": False})
        log = await log_of(api, "a")
        assert [one["action"] for one in log] == [
            "token.created",
            "config.changed",
            "quarantine.placed",
            "quarantine.released",
            "user.erasure_ordered",
        ]
        assert sorted(log[1]["details"]["fields"]) == ["agent_context_prompt", "api_key_config", "batch_size"]
        assert log[2]["target"] == log[3]["target"] == held.json()["quarantine_id"]
        assert log[4]["target"] == erased.json()["operation_id"]
        assert len({one["actor"] for one in log[1:]}) == 1
        assert not any(word in f"{log}" for word in ("anna", "Anna", "sk-very"))
        newest = (await api.get("/api/audit", params={"limit": 2})).json()
        assert ([one["seq"] for one in newest["entries"]], newest["next"]) == ([5, 4], 4)
        older = (await api.get("/api/audit", params={"before": 4, "action": "token.created"})).json()
        assert [one["seq"] for one in older["entries"]] == [1]


async def test_accounts_are_in_the_log_by_a_pseudonym(tmp_path) -> None:
    """One for each person, and the same for all that the person does; it stays when the account is gone."""
    async with serving(tmp_path) as app, client_of(app) as api:
        user_id = await sign_up(api)
        await sign_up(api, "ben@example.com")
        await sign_up(api)  # who has an account signs up again: nothing changes
        async with signed_in(app, await log_in(api)) as anna:
            new = {"current_password": PASSWORD, "new_password": "Three-Lions-5"}
            assert (await anna.post("/api/auth/password/update", json=new)).status_code == 200
            gone = await anna.request("DELETE", "/api/auth/account", json={"password": "Three-Lions-5"})
            assert gone.status_code == 204
            assert (await anna.get("/api/audit")).status_code in {401, 403}
        async with client_of(app, token=await make_token(app, ORG)) as admin:
            log = await log_of(admin)
        person = log[0]["actor"]
        assert person.startswith("user:")
        assert [one["action"] for one in log if one["actor"] == person] == [
            "account.signed_up",
            "member.added",
            "account.password_changed",
            "user.erasure_ordered",
            "member.removed",
            "account.deleted",
        ]
        assert len({one["actor"] for one in log}) == 3
        assert not any(word in f"{log}" for word in (user_id, EMAIL, "example.com"))
