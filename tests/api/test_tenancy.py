"""Two organisations with equal ids: whatever one calls, it sees and changes nothing of the other's."""

import asyncio
import json
import re
from uuid import uuid4

import pytest

from sagacity.api.vocabulary import OLDER_ROUTES
from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.cursor import Window
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from support.account_rows import invitation
from support.api import client_of, make_token, publish
from support.exchanges import exchange
from support.measured import measured

pytestmark = pytest.mark.both_databases
ANNA = "anna"
SPAN = {"start_time": "2020-01-01T00:00:00", "end_time": "2100-01-01T00:00:00"}


async def fill(app, api, org: str) -> None:
    """Give an organisation one of everything, under the ids that the other one uses too."""
    await publish(
        api, f"I live in {org}town.", "the zebra", request_id="r1", session_id="s1", force_extraction=True
    )
    await publish(api, "the zebra", request_id="r2")
    await api.post(
        "/api/add_user_profile",
        json={"user_profiles": [{"profile_id": "p1", "user_id": ANNA, "content": f"the zebra of {org}"}]},
    )
    for kind in ("user", "agent"):
        name = f"{kind}_playbook"
        playbook = {
            "user_id": ANNA,
            "agent_version": "v1",
            "playbook_name": "n",
            "content": f"the zebra of {org}",
        }
        await api.post(f"/api/add_{name}", json={f"{name}s": [playbook]})
    skill = {
        "skill_name": "zebras",
        "agent_version": "v1",
        "description": f"when zebras come to {org}",
        "instructions": f"The zebra of {org} comes first.",
        "skill_status": "approved",
    }
    assert (await api.post("/api/add_skill", json={"skills": [skill]})).status_code == 200
    await api.post("/api/set_config", json={"agent_context_prompt": f"We are {org}."})
    ids = [
        (await api.post("/api/entities", json={"user_id": ANNA, "name": f"{name} of {org}"})).json()[
            "entity"
        ]["entity_id"]
        for name in ("Ana", "Bea")
    ]
    tie = {
        "user_id": ANNA,
        "source_entity_id": ids[0],
        "relationship_type": "knows",
        "target_entity_id": ids[1],
    }
    assert (await api.post("/api/relationships", json=tie)).status_code == 200
    window = Window(user_id=UserId(ANNA), first_seq=1, last_seq=1, unread=())
    async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(org))) as transaction:
        await transaction.dead_letters.add("retired", window, attempts=5, error_kind="X", error=f"of {org}")
    for request_id in ("r1", "r2"):
        for _ in range(400):
            if (await api.get(f"/api/receipts/{request_id}")).json()["state"] == "learned":
                break
            await asyncio.sleep(0.05)


READS = {
    ("GET", "/api/get_all_interactions"): None,
    ("POST", "/api/get_interactions"): {"user_id": ANNA} | SPAN,
    ("POST", "/api/get_requests"): {"top_k": 100},
    ("GET", "/api/receipts/r1"): None,
    ("GET", "/api/learning_status?request_id=r1"): None,
    ("GET", f"/api/storage_stats?user_id={ANNA}"): None,
    ("POST", "/api/rerank_user_profiles"): {"user_id": ANNA, "query": "zebra", "profile_ids": ["p1"]},
    ("GET", "/api/get_all_profiles"): None,
    ("POST", "/api/get_profiles"): {"user_id": ANNA, "status_filter": [None, "pending", "archived"]},
    ("GET", "/api/get_profile_statistics"): None,
    ("GET", "/api/profile_change_log"): None,
    ("POST", "/api/get_user_playbooks"): {},
    ("POST", "/api/get_agent_playbooks"): {},
    ("GET", "/api/playbook_aggregation_change_logs?playbook_name=n&agent_version=v1"): None,
    ("POST", "/api/search"): {"query": "zebra", "user_id": ANNA, "top_k": 50},
    ("POST", "/api/context"): {"query": "zebra", "user_id": ANNA, "explain": False},
    ("POST", "/api/search_interactions"): {"query": "zebra", "user_id": ANNA, "top_k": 50},
    ("POST", "/api/search_profiles"): {"query": "zebra", "user_id": ANNA, "top_k": 50},
    ("POST", "/api/search_user_playbooks"): {"query": "zebra"},
    ("POST", "/api/search_agent_playbooks"): {"query": "zebra"},
    ("POST", "/api/get_skills"): {},
    ("POST", "/api/search_skills"): {"query": "zebra"},
    ("POST", "/api/export_skills"): {},
    ("GET", "/api/prompts"): None,
    ("GET", "/api/model_calls"): None,
    ("GET", "/api/model_call_totals?by=learner"): None,
    ("POST", "/api/get_agent_success_evaluation_results"): {},
    ("POST", "/api/get_dashboard_stats"): {},
    ("GET", "/api/v1/evaluations/shadow"): None,
    ("GET", "/api/v1/dashboard/series?by=agent_version"): None,
    ("GET", "/api/dead_letters"): None,
    ("GET", "/api/get_operation_status"): None,
    ("GET", "/api/operations"): None,
    ("GET", "/api/users"): None,
    ("GET", "/api/erasures"): None,
    ("GET", "/api/quarantines"): None,
    ("GET", "/api/audit"): None,
    ("GET", "/api/quotas"): None,
    ("GET", "/api/members"): None,
    ("GET", "/api/invitations"): None,
    ("POST", "/api/get_profile_diff"): {},
    ("POST", "/api/get_user_playbook_diff"): {},
    ("GET", f"/api/entities?user_id={ANNA}"): None,
    ("GET", f"/api/relationships?user_id={ANNA}"): None,
    ("GET", f"/api/chat/conversations?user_id={ANNA}"): None,
    ("GET", f"/api/memories?user_id={ANNA}"): None,
    ("GET", f"/api/memories/stats?user_id={ANNA}"): None,
    ("GET", f"/api/memories/type/procedural?user_id={ANNA}"): None,
    ("GET", f"/api/profile?user_id={ANNA}"): None,
    ("GET", f"/api/profile/memory-settings?user_id={ANNA}"): None,
    ("GET", "/api/whoami"): None,
    ("GET", "/api/my_config"): None,
    ("GET", "/api/get_config"): None,
    ("GET", "/api/config/versions"): None,
    ("GET", "/api/config/versions/1"): None,
    ("GET", "/api/config/diff?old=1"): None,
}


_SIGNS_IN = {"email": f"{ANNA}@example.com", "password": "Two-Lions-4"}
ACCOUNTS = {
    ("GET", "/api/auth/me"): None,
    ("POST", "/api/auth/signup"): _SIGNS_IN,
    ("POST", "/api/register"): _SIGNS_IN,
    ("POST", "/api/auth/login"): _SIGNS_IN,
    ("POST", "/api/auth/logout"): None,
    ("POST", "/api/auth/verify"): None,
    ("POST", "/api/auth/oidc/token"): {"code": "x"},
    ("POST", "/api/auth/cookie"): _SIGNS_IN,
    ("POST", "/api/auth/login/code"): {"challenge": "a.b.c", "code": "123456"},
    ("POST", "/api/auth/cookie/code"): {"challenge": "a.b.c", "code": "123456"},
    ("GET", "/api/auth/totp"): None,
    ("POST", "/api/auth/totp"): {"password": "Two-Lions-4"},
    ("POST", "/api/auth/totp/confirm"): {"code": "123456"},
    ("POST", "/api/auth/totp/recovery_codes"): {"password": "Two-Lions-4", "code": "123456"},
    ("POST", "/api/auth/totp/disable"): {"password": "Two-Lions-4", "code": "123456"},
    ("GET", "/api/auth/csrf"): None,
    ("POST", "/api/auth/refresh"): {"refresh_token": "a.b.c"},
    ("POST", "/api/verify-email"): {"code": "x"},
    ("POST", "/api/resend-verification"): {"email": f"{ANNA}@example.com"},
    ("POST", "/api/auth/password/reset"): {"email": f"{ANNA}@example.com"},
    ("POST", "/api/forgot-password"): {"email": f"{ANNA}@example.com"},
    ("POST", "/api/reset-password"): {"code": "x", "password": "Two-Lions-5"},
    ("POST", "/api/auth/password/update"): {"current_password": "Two-Lions-4", "new_password": "Two-Lions-5"},
    ("DELETE", "/api/auth/account"): {"password": "Two-Lions-4"},
    ("DELETE", "/api/account"): {"password": "Two-Lions-4"},
    ("GET", "/api/organizations"): None,
    ("POST", "/api/organizations/switch"): {"organization": "beta"},
    ("POST", "/api/invitations/accept"): {"code": "inv_x"},
}
"""Signing in is not an organisation's: whatever it is told, it shows nothing of one."""
ANALYTICS = "/api/v1/analytics"
REPORTS = ("requests", "summary", "latency", "retrieval", "timeseries?metric=requests", "daily")
"""What an organisation's own calls change; none is the same twice."""


def writes(other: dict) -> dict[tuple[str, str], dict | None]:
    """Every call that changes something, aimed at the ids of the *other* organisation's things."""
    turn, user_playbook, agent_playbook = other["turn"], other["user_playbook"], other["agent_playbook"]
    skill = other["skill"]
    entity, tie = f"/api/entities/{other['entity']}", f"/api/relationships/{other['tie']}"
    talk, spoken = (
        f"/api/chat/conversations/{other['conversation']}",
        {"conversation_id": other["conversation"]},
    )
    own, memory = {"user_id": ANNA}, f"/api/memories/{other['memory']}"
    quarantine = f"/api/quarantines/{other['quarantine']}"
    return {
        ("GET", f"{entity}?user_id={ANNA}"): None,
        ("GET", f"{entity}/graph?user_id={ANNA}"): None,
        ("POST", "/api/entities"): own | {"name": "changed"},
        ("PATCH", entity): own | {"name": "changed"},
        ("POST", f"{entity}/merge"): own | {"entity_ids": [other["entity"] + 1]},
        ("DELETE", f"{entity}?user_id={ANNA}"): None,
        ("GET", f"{tie}?user_id={ANNA}"): None,
        ("POST", "/api/relationships"): own
        | {"source_entity_id": 1, "target_entity_id": other["entity"], "relationship_type": "changed"},
        ("PATCH", tie): own | {"confidence": 0.1},
        ("DELETE", f"{tie}?user_id={ANNA}"): None,
        ("POST", f"/api/memories?user_id={ANNA}"): {"memory_type": "semantic", "content": "changed"},
        ("POST", f"/api/memories/bulk?user_id={ANNA}"): {
            "memories": [{"memory_type": "semantic", "content": "changed"}]
        },
        ("POST", f"/api/memories/search?user_id={ANNA}"): {"query": "the zebra"},
        ("GET", f"{memory}?user_id={ANNA}"): None,
        ("PATCH", f"{memory}?user_id={ANNA}"): {"content": "changed"},
        ("POST", f"{memory}/access?user_id={ANNA}"): None,
        ("DELETE", f"{memory}?user_id={ANNA}"): None,
        ("DELETE", f"/api/memories?user_id={ANNA}&confirm=true"): None,
        ("PATCH", f"/api/profile?user_id={ANNA}"): {"bio": "changed"},
        ("PATCH", f"/api/profile/memory-settings?user_id={ANNA}"): {"retention_days": 9},
        ("POST", f"/api/profile/memory-settings/reset?user_id={ANNA}"): None,
        ("DELETE", f"/api/profile?user_id={ANNA}"): None,
        ("POST", f"/api/chat/conversations?user_id={ANNA}"): {"title": "changed"},
        ("GET", f"{talk}?user_id={ANNA}"): None,
        ("GET", f"{talk}/messages?user_id={ANNA}"): None,
        ("PATCH", f"{talk}?user_id={ANNA}"): {"title": "changed"},
        ("POST", f"{talk}/archive?user_id={ANNA}"): None,
        ("POST", f"{talk}/unarchive?user_id={ANNA}"): None,
        ("DELETE", f"{talk}?user_id={ANNA}"): None,
        ("POST", f"/api/chat/send?user_id={ANNA}"): {"content": "changed", "stream": False} | spoken,
        ("POST", f"/api/chat/complete?user_id={ANNA}"): {"messages": [{"role": "user", "content": "changed"}]}
        | spoken,
        ("POST", f"/api/chat/retry?user_id={ANNA}"): {"stream": False} | spoken,
        ("POST", f"/api/chat/stop?user_id={ANNA}"): spoken,
        ("GET", f"/api/chat/exchanges/{other['exchange']}?user_id={ANNA}"): None,
        ("GET", f"/api/chat/exchanges/{other['exchange']}/events?user_id={ANNA}"): None,
        **{("GET", f"{ANALYTICS}/{report}"): None for report in REPORTS},
        ("GET", f"{ANALYTICS}/requests/{other['analytics']}"): None,
        ("POST", f"{ANALYTICS}/flush"): None,
        ("PUT", "/api/update_user_profile"): {"user_id": ANNA, "profile_id": "p1", "content": "changed"},
        ("PUT", "/api/update_user_playbook"): {"user_playbook_id": user_playbook, "content": "changed"},
        ("PUT", "/api/update_agent_playbook"): {"agent_playbook_id": agent_playbook, "content": "changed"},
        ("PUT", "/api/update_agent_playbook_status"): {
            "agent_playbook_id": agent_playbook,
            "playbook_status": "rejected",
        },
        ("POST", f"/api/dead_letters/{other['letter']}/replay"): None,
        ("GET", f"/api/memories/{user_playbook}/history"): None,
        ("POST", f"/api/memories/{user_playbook}/undo_merge"): None,
        ("PUT", "/api/update_skill"): {"skill_id": skill, "instructions": "changed"},
        ("PUT", "/api/update_skill_status"): {"skill_id": skill, "skill_status": "rejected"},
        ("POST", "/api/run_skill_generation"): {"playbook_name": "n", "agent_version": "v1"},
        ("POST", "/api/run_playbook_aggregation"): {"playbook_name": "n", "agent_version": "v1"},
        ("POST", "/api/add_skill"): {"skills": [{"skill_name": "changed", "instructions": "changed"}]},
        ("POST", "/api/preview_prompt"): {"prompt_id": "document_expansion", "variables": {}},
        ("PUT", "/api/update_prompt_version"): {"prompt_id": "profile_extraction", "version": 1},
        ("DELETE", "/api/delete_skill"): {"skill_id": skill},
        ("DELETE", "/api/delete_skills_by_ids"): {"skill_ids": [skill]},
        ("POST", "/api/rerun_profile_generation"): own,
        ("POST", "/api/manual_profile_generation"): own,
        ("POST", "/api/rerun_playbook_generation"): own,
        ("POST", "/api/manual_playbook_generation"): own,
        ("POST", "/api/cancel_operation"): {},
        ("POST", "/api/upgrade_all_profiles"): {},
        ("POST", "/api/downgrade_all_profiles"): {},
        ("POST", "/api/upgrade_all_user_playbooks"): {},
        ("POST", "/api/downgrade_all_user_playbooks"): {},
        ("POST", "/api/set_config"): {"agent_context_prompt": "changed"},
        ("POST", "/api/update_config"): {"agent_context_prompt": "changed again"},
        ("POST", "/api/config/rollback"): {"version": 1},
        ("POST", "/api/publish_interaction"): {
            "user_id": ANNA,
            "request_id": "r9",
            "interaction_data_list": [{"content": "changed"}],
        },
        ("POST", "/api/add_user_profile"): {
            "user_profiles": [{"profile_id": "p1", "user_id": ANNA, "content": "changed"}]
        },
        ("POST", "/api/add_user_playbook"): {"user_playbooks": [{"content": "changed"}]},
        ("POST", "/api/add_agent_playbook"): {"agent_playbooks": [{"content": "changed"}]},
        ("DELETE", "/api/delete_interaction"): {"user_id": ANNA, "interaction_id": turn},
        ("DELETE", "/api/delete_request"): {"request_id": "r2"},
        ("DELETE", "/api/delete_session"): {"session_id": "s1"},
        ("DELETE", "/api/delete_requests_by_ids"): {"request_ids": ["r1", "r2"]},
        ("DELETE", "/api/delete_profile"): {"user_id": ANNA, "search_query": "changed"},
        ("DELETE", "/api/delete_profiles_by_ids"): {"profile_ids": ["p1"]},
        ("DELETE", "/api/delete_user_playbook"): {"user_playbook_id": user_playbook},
        ("DELETE", "/api/delete_agent_playbook"): {"agent_playbook_id": agent_playbook},
        ("DELETE", "/api/delete_user_playbooks_by_ids"): {"user_playbook_ids": [user_playbook]},
        ("DELETE", "/api/delete_agent_playbooks_by_ids"): {"agent_playbook_ids": [agent_playbook]},
        ("DELETE", "/api/delete_all_interactions"): None,
        ("DELETE", "/api/delete_all_profiles"): None,
        ("DELETE", "/api/delete_all_user_playbooks"): None,
        ("DELETE", "/api/delete_all_agent_playbooks"): None,
        ("DELETE", "/api/delete_all_playbooks"): None,
        # what is read changes these
        ("POST", "/api/get_injection_stats"): {},
        ("POST", "/api/get_memory_review"): {"include_all_users": True},
        ("GET", "/api/memory_health?include_all_users=true"): None,
        ("POST", "/api/get_memory_review_actions"): {"include_all_users": True},
        ("POST", "/api/review_memory"): {"entity_id": user_playbook, "action": "archive"},
        ("POST", "/api/undo_memory_review"): {"entity_id": user_playbook},
        ("GET", "/api/v1/usage/effects"): None,
        ("GET", "/api/erasures/1"): None,
        ("POST", "/api/quarantines"): {"target": "source", "value": "changed"},
        ("GET", quarantine): None,
        ("GET", f"{quarantine}/held"): None,
        ("POST", f"{quarantine}/release"): {},
        ("GET", f"/api/users/{ANNA}/export"): None,
        ("DELETE", f"/api/users/{ANNA}"): None,
        ("POST", "/api/clear_user_data"): own,
        ("GET", "/api/tokens"): None,
        ("POST", "/api/tokens"): {"scopes": ["read"]},
        ("POST", f"/api/tokens/{other['token']}/rotate"): {},
        ("DELETE", f"/api/tokens/{other['token']}"): None,
        ("GET", "/api/site"): None,
        ("PUT", "/api/site/model.chat"): {"value": "openai/changed"},
        ("DELETE", "/api/site/model.chat"): None,
        ("GET", "/api/quotas/beta"): None,
        ("PUT", "/api/quotas/beta"): {"limits": {"users": 0}},
        ("PATCH", "/api/members/olga"): {"role": "viewer"},
        ("DELETE", "/api/members/olga"): None,
        ("POST", "/api/invitations"): {"email": "betatown@example.com"},
        ("POST", f"/api/invitations/{other['invitation']}/resend"): None,
        ("DELETE", f"/api/invitations/{other['invitation']}"): None,
    }


def with_older_names(calls: dict) -> dict:
    """Add each call under the older names of its route."""
    found = dict(calls)
    for (method, path), body in calls.items():
        for older, (successor, _) in OLDER_ROUTES.items():
            if path == f"/api{successor}":
                found[method, f"/api{older}"] = body
    return found


def template_of(path: str) -> str:
    """The path as the document names it."""
    bare = path.partition("?")[0]
    if bare.startswith("/api/receipts/"):
        return "/api/receipts/{request_id}"
    if bare.endswith("/replay"):
        return "/api/dead_letters/{dead_letter_id}/replay"
    if bare.endswith("/export"):
        return "/api/users/{user_id}/export"
    bare = re.sub(r"/erasures/.+", "/erasures/{erasure_id}", re.sub(r"/users/.+", "/users/{user_id}", bare))
    bare = re.sub(r"/conversations/[0-9a-f-]{36}", "/conversations/{conversation_id}", bare)
    bare = re.sub(r"/analytics/requests/[^/]+", "/analytics/requests/{analytics_id}", bare)
    bare = re.sub(r"/exchanges/[^/]+", "/exchanges/{exchange_id}", bare)
    bare = re.sub(r"/memories/([0-9a-f-]{36}|\d+)", "/memories/{memory_id}", bare)
    bare = bare.replace("/type/procedural", "/type/{memory_type}")
    bare = re.sub(r"/quarantines/[^/]+", "/quarantines/{quarantine_id}", bare)
    bare = re.sub(r"/site/[^/]+", "/site/{name}", bare)
    bare = re.sub(r"/quotas/[^/]+", "/quotas/{org_id}", bare)
    bare = re.sub(r"/config/versions/.+", "/config/versions/{version}", bare)
    bare = re.sub(r"/members/[^/]+", "/members/{user_id}", bare)
    bare = re.sub(r"/invitations/(?!accept)[^/]+", "/invitations/{invitation_id}", bare)
    bare = re.sub(r"/tokens/[^/]+", "/tokens/{token_id}", bare)
    bare = re.sub(r"/entities/\d+", "/entities/{entity_id}", bare)
    return re.sub(r"/relationships/\d+", "/relationships/{relationship_id}", bare)


async def answered_elsewhere(app, org: str, conversation_id: str) -> str:
    """Let a conversation be one in which another process answers; gives the exchange's id."""
    running = exchange(str(uuid4()), user_id=UserId(ANNA), session_id=conversation_id)
    async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(org))) as transaction:
        await transaction.exchanges.add(running.model_copy(update={"exchange_id": str(uuid4())}))
        last = await transaction.exchanges.last(UserId(ANNA), running.session_id)
    return last.exchange_id


async def measured_for(app, org: str) -> str:
    """Give an organisation a recorded call of its own, and a day; returns the call's id."""
    now = app.state.runtime.clock.now()
    call = measured(str(uuid4()), at=now, error_type=f"{org}town", conversation_id=f"{org}town")
    async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(org))) as transaction:
        await transaction.request_analytics.add([call])
        await transaction.analytics_days.sum_up(step_of(now, Granularity.DAY), limit=9)
    return call.id


async def member_of(app, org: str) -> str:
    """Give an organisation a member, and an invitation, whose id is returned."""
    async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(org))) as transaction:
        await transaction.members.put(UserId("olga"), Role.ADMIN, by="operator", target="user:x")
        await transaction.invitations.add(invitation(f"{org}town"))
    return f"{org}town"


async def seen(api) -> dict[str, object]:
    """All that an organisation can read, by call; times that move by themselves left out."""
    found = {}
    for (method, path), body in READS.items():
        reply = await api.request(method, path, json=body)
        assert reply.status_code == 200, (path, reply.text)
        answer = reply.json()
        found[path] = answer.get("context", answer)  # its scores fall as time passes
    return found


@pytest.mark.one_database
async def test_whatever_one_organisation_calls_the_other_is_untouched(app):
    """Row 32: every route there is, walked by one organisation, shows and changes nothing of the other's."""
    mine, theirs = await make_token(app, "alpha"), await make_token(app, "beta")
    async with client_of(app, token=mine) as api, client_of(app, token=theirs) as other:
        await fill(app, api, "alpha")
        await fill(app, other, "beta")
        made = await other.post(f"/api/chat/conversations?user_id={ANNA}", json={"title": "betatown talk"})
        held = await other.post("/api/quarantines", json={"target": "source", "value": "betatown.example"})
        exchange_id = await answered_elsewhere(app, "beta", made.json()["id"])
        invitation_id = await member_of(app, "beta")
        before = await seen(other)
        things = {
            "conversation": made.json()["id"],
            "exchange": exchange_id,
            "analytics": await measured_for(app, "beta"),
            "turn": before["/api/get_all_interactions"]["interactions"][0]["interaction_id"],
            "user_playbook": before["/api/get_user_playbooks"]["user_playbooks"][0]["user_playbook_id"],
            "agent_playbook": before["/api/get_agent_playbooks"]["agent_playbooks"][0]["agent_playbook_id"],
            "skill": before["/api/get_skills"]["skills"][0]["skill_id"],
            "letter": before["/api/dead_letters"]["dead_letters"][0]["dead_letter_id"],
            "entity": min(one["entity_id"] for one in before[f"/api/entities?user_id={ANNA}"]["entities"]),
            "memory": before[f"/api/memories/type/procedural?user_id={ANNA}"]["memories"][0]["id"],
            "quarantine": held.json()["quarantine_id"],
            "invitation": invitation_id,
            "token": (await other.get("/api/tokens")).json()["tokens"][0]["token_id"],
            "tie": before[f"/api/relationships?user_id={ANNA}"]["relationships"][0]["relationship_id"],
        }
        assert "betatown" in json.dumps(before)
        calls = with_older_names(READS | writes(things)) | ACCOUNTS
        walked = {template_of(path) for _, path in calls}
        assert walked == {path for path in app.openapi()["paths"] if path.startswith("/api/")}
        for (method, path), body in calls.items():
            reply = await api.request(method, path, json=body)
            assert reply.status_code < 500, (path, reply.text)
            assert "beta" not in reply.text, path
        assert await seen(other) == before


async def test_another_organisations_numbers_are_unknown(app):
    """Each call that names the other's thing by number is a 404, as if it did not exist."""
    mine, theirs = await make_token(app, "alpha"), await make_token(app, "beta")
    async with client_of(app, token=mine) as api, client_of(app, token=theirs) as other:
        await fill(app, other, "beta")
        before = await seen(other)
        turn = before["/api/get_all_interactions"]["interactions"][0]["interaction_id"]
        user_playbook = before["/api/get_user_playbooks"]["user_playbooks"][0]["user_playbook_id"]
        letter = before["/api/dead_letters"]["dead_letters"][0]["dead_letter_id"]
        entity = before[f"/api/entities?user_id={ANNA}"]["entities"][0]["entity_id"]
        tie = before[f"/api/relationships?user_id={ANNA}"]["relationships"][0]["relationship_id"]
        for method, path, body in (
            ("GET", "/api/receipts/r1", None),
            ("PUT", "/api/update_user_profile", {"user_id": ANNA, "profile_id": "p1", "content": "x"}),
            ("PUT", "/api/update_user_playbook", {"user_playbook_id": user_playbook, "content": "x"}),
            ("POST", f"/api/dead_letters/{letter}/replay", None),
            ("DELETE", "/api/delete_interaction", {"user_id": ANNA, "interaction_id": turn}),
            ("DELETE", "/api/delete_session", {"session_id": "s1"}),
            ("GET", f"/api/entities/{entity}?user_id={ANNA}", None),
            ("PATCH", f"/api/entities/{entity}", {"user_id": ANNA, "name": "x"}),
            ("POST", f"/api/entities/{entity}/merge", {"user_id": ANNA, "entity_ids": [entity + 1]}),
            ("DELETE", f"/api/entities/{entity}?user_id={ANNA}", None),
            ("PATCH", f"/api/relationships/{tie}", {"user_id": ANNA, "confidence": 0.1}),
            ("DELETE", f"/api/relationships/{tie}?user_id={ANNA}", None),
            ("DELETE", "/api/delete_profile", {"user_id": ANNA, "profile_id": "p1"}),
        ):
            assert (await api.request(method, path, json=body)).status_code == 404, path
        assert await seen(other) == before
