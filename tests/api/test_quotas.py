"""Quotas over HTTP: set by the operator alone, seen by those who see the whole organisation, and in force."""

from pathlib import Path

from sagacity.access.quotas import make_organisation
from sagacity.config.settings import Settings
from sagacity.domain.api_token import TokenScope
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.quota import LARGEST_QUOTA
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, make_token, running, settings_in
from support.tokens import with_token

ACME = "/api/quotas/acme"
TURNS = [{"role": "User", "content": "I live in Oslo."}]


def published(number: int, count: int = 1) -> dict:
    return {"user_id": "ana", "request_id": f"r{number}", "interaction_data_list": TURNS * count}


async def test_the_operator_sets_quotas_and_calls_keep_to_them(tmp_path: Path) -> None:
    """409 with the limit, the use and what to do; 429 until midnight; 422 and 404 for what is no limit or nobody's."""
    settings = settings_in(tmp_path, quota_tokens=9, quota_interactions_per_day=3)
    async with running(settings) as app:
        tenant = Tenant(org_id=OrgId("acme"))
        async with app.state.runtime.storage.begin(tenant) as transaction:
            await make_organisation(transaction, tenant, settings.default_quotas)
            await with_token(transaction, "x", TokenScope.PUBLISH, secret="of ana", user_id=UserId("ana"))
        operator, acme = await make_token(app, LOCAL_ORG), await make_token(app, "acme")
        async with client_of(app, token=operator) as api, client_of(app, token=acme) as theirs:
            assert (await theirs.get(ACME)).status_code == 403
            assert (await theirs.put(ACME, json={"limits": {"users": 5}})).status_code == 403
            assert (await client_of(app, token="of ana").get("/api/quotas")).status_code == 403
            told = {one["name"]: one for one in (await theirs.get("/api/quotas")).json()["quotas"]}
            assert told["tokens"] == {"name": "tokens", "limit": 9, "used": 2}
            assert told["members"] == {"name": "members", "limit": None, "used": 0}

            limits = {"interactions": 4, "memories": 0, "members": None}
            assert (await api.put(ACME, json={"limits": limits})).status_code == 200
            assert (await theirs.post("/api/publish_interaction", json=published(1, 3))).status_code == 200
            late = await theirs.post("/api/publish_interaction", json=published(2))
            assert (late.status_code, late.json()["error"]) == (429, "RateLimited")
            assert 0 < int(late.headers["Retry-After"]) <= 86_401
            assert (await theirs.post("/api/publish_interaction", json=published(1, 3))).status_code == 200
            assert (await api.put(ACME, json={"limits": {"interactions_per_day": None}})).status_code == 200
            over = await theirs.post("/api/publish_interaction", json=published(2, 2))
            assert (over.status_code, over.json()["error"]) == (409, "QuotaExceeded")
            for word in ("interactions", "is 4", "it has 3", "add 2", "the operator"):
                assert word in over.json()["message"]
            memory = {"content": "Lives in Oslo.", "memory_type": "semantic"}
            full = await theirs.post("/api/memories?user_id=ana", json=memory)
            assert (full.status_code, full.json()["error"]) == (409, "QuotaExceeded"), full.text
            found = (await api.get(ACME)).json()
            assert {one["name"]: one["used"] for one in found["quotas"]}["interactions"] == 3
            assert (await theirs.get("/api/audit?action=quota.set")).json()["entries"] != []

            for body in (
                {},
                {"limits": {}},
                {"limits": {"users": -1}},
                {"limits": {"users": LARGEST_QUOTA + 1}},
                {"limits": {"users": "5"}},
                {"limits": {"users": True}},
                {"limits": {"disk": 5}},
            ):
                assert (await api.put(ACME, json=body)).status_code == 422, body
            assert (await api.put("/api/quotas/nobody", json={"limits": {"users": 5}})).status_code == 404
            assert (await api.get("/api/quotas/no%00body")).status_code == 422


def test_settings_say_with_what_new_organisations_begin() -> None:
    """Only those that are set; 0 is a limit."""
    assert Settings().default_quotas == {}
    assert Settings(quota_users=0, quota_memories=7).default_quotas == {"users": 0, "memories": 7}
