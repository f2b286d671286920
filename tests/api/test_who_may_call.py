"""Every route by every kind of caller, from what the routes declare: who gets in, and who is refused how."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from sagacity.access.tokens import create_token, revoke_token
from sagacity.api import accounts, health, oidc, totp
from sagacity.api.app import SERVED
from sagacity.api.dependencies import Needs
from sagacity.api.openapi import examples
from sagacity.api.route import PREFIX
from sagacity.api.vocabulary import OLDER_ROUTES
from sagacity.auth.tokens import new_token
from sagacity.domain.api_token import NewToken, TokenScope, permissions_of
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.member import ACCESS_OF
from sagacity.domain.principal import OF_END_USERS, Permission, Principal
from sagacity.domain.role import Role
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.accounts import log_in, serving, sign_up
from support.api import client_of
from support.parts import StoppedClock
from support.routes import address, described

ADMIN = Principal(tenant=Tenant(org_id=LOCAL_ORG), audited_as="token:x")
OF_ACCOUNTS = ("/api/auth/", "/api/account", "/api/organizations", "/api/invitations/accept")
"""Routes of whoever signed in, which API tokens are refused by."""
LEAVES = "DELETE /api/members/{user_id}"
"""Everybody may take out themselves; others are taken out by those who administer."""
SWITCHED_OFF = "GET /api/auth/csrf"
"""Nobody has a session by cookie, unless the settings let web pages sign in with one."""
SEVERAL = "POST /api/search_profiles"
"""It takes several users; a caller who acts for one finds that one's."""
PARTS = 4
"""Shares of the table; each has every caller and every route."""


class Caller(NamedTuple):
    """Somebody who calls."""

    token: str | None
    permissions: frozenset[Permission] | None
    """None: it is nobody."""
    is_account: bool = False
    is_one_user: bool = False


def declared() -> dict[str, Permission]:
    """What each route needs, as it says itself."""
    open_to_all = (health.router, accounts.public, accounts.root, oidc.public, oidc.pages, totp.public)
    found = {
        f"{method} {route.path}".replace(":path}", "}"): one.call.permission
        for router in SERVED
        if all(router is not one for one in open_to_all)
        for route in router.routes
        if isinstance(route, APIRoute) and route.path.removeprefix(PREFIX) not in OLDER_ROUTES
        for method in route.methods
        for one in walk(route.dependant)
        if isinstance(one.call, Needs)
    }
    assert len(found) > 130
    return found


def walk(dependant: Any) -> list[Any]:
    below = [one for child in dependant.dependencies for one in walk(child)]
    return [*dependant.dependencies, *below]


async def callers_of(app: FastAPI, api: httpx.AsyncClient, clock: StoppedClock) -> dict[str, Caller]:
    """One of each kind, of one organisation."""
    runtime = app.state.runtime

    async def token(*scopes: TokenScope, **given: Any) -> Any:
        new = NewToken(scopes=frozenset(scopes), **given)
        return await create_token(runtime.token_store, ADMIN, new)

    found: dict[str, Caller] = {"nobody": Caller(None, None), "unknown": Caller(new_token(), None)}
    for scope in TokenScope:
        found[scope] = Caller((await token(scope)).secret, permissions_of([scope]))
    of_user = await token(TokenScope.PUBLISH, user_id=UserId("mia"))
    found["of a user"] = Caller(of_user.secret, OF_END_USERS, is_one_user=True)
    expired = await token(TokenScope.ADMIN, lasts=timedelta(seconds=1))
    revoked = await token(TokenScope.ADMIN)
    await revoke_token(runtime.token_store, ADMIN, revoked.token.token_id)
    clock.advance(2)
    found |= {"expired": Caller(expired.secret, None), "revoked": Caller(revoked.secret, None)}
    team = Tenant(org_id=OrgId("team"))
    for role in (*Role, None):
        email = f"{role or 'former'}@example.com"
        user_id = UserId(await sign_up(api, email))
        async with runtime.storage.begin(team if role is None else ADMIN.tenant) as transaction:
            await transaction.organisation.ensure()
            await transaction.members.put(user_id, role or Role.ADMIN, by="operator", target="user:x")
        if role is not None:
            access, signed_in = ACCESS_OF[role], await log_in(api, email)
            found[f"account, {role}"] = Caller(
                signed_in["access_token"],
                access.permissions,
                is_account=True,
                is_one_user=not access.of_all_users,
            )
            continue
        body = {"email": email, "password": "Two-Lions-4", "organization": "team"}
        elsewhere = (await api.post("/api/auth/login", json=body)).json()
        async with runtime.storage.begin(team) as transaction:
            await transaction.members.remove(user_id, by="operator", target="user:x")
        found["of an organisation no more"] = Caller(elsewhere["access_token"], None)
    return found


def expected(call: str, needed: Permission, caller: Caller) -> set[int] | None:
    """The answers that a call may have; None: any but a refusal."""
    if caller.permissions is None:
        return {401}
    if needed not in caller.permissions:
        return {403}
    path = call.split()[1]
    if path.startswith(OF_ACCOUNTS) and not caller.is_account:
        return {403, 422}
    if call == SWITCHED_OFF:
        return {403}
    if call == LEAVES and Permission.ADMIN not in caller.permissions:
        return {403}
    return None


@pytest.mark.parametrize("part", [0, *(pytest.param(one, marks=pytest.mark.full) for one in range(1, PARTS))])
async def test_every_route_lets_in_whom_it_says_and_nobody_else(tmp_path: Path, part: int) -> None:
    """401 for whoever is nobody (any more), 403 for who may not, and neither for who may: a share of the pairs."""
    clock = StoppedClock()
    routes = sorted(declared().items(), key=lambda one: "logout" in one[0])
    async with serving(tmp_path, clock) as app, client_of(app) as api:
        wrong: list[str] = []
        for row, (name, caller) in enumerate((await callers_of(app, api, clock)).items()):
            headers = {} if caller.token is None else {"Authorization": f"Bearer {caller.token}"}
            for call, needed in routes[(part + row) % PARTS :: PARTS]:
                method, path = call.split()
                reply = await api.request(method, address(path), json=[], headers=headers)
                allowed = expected(call, needed, caller)
                refused = {401} if caller.is_one_user else {401, 403}
                is_right = (
                    reply.status_code not in refused if allowed is None else reply.status_code in allowed
                )
                if not is_right or reply.status_code >= 500:
                    wrong.append(f"{name}: {call} gave {reply.status_code}: {reply.text[:100]}")
        assert wrong == []


async def test_whoever_acts_for_one_user_reaches_no_other(tmp_path: Path) -> None:
    """A member: each call of the examples that names another user is refused."""
    clock = StoppedClock()
    async with serving(tmp_path, clock) as app, client_of(app) as api:
        callers = await callers_of(app, api, clock)
        wrong: list[str] = []
        tried = 0
        for name in ("account, member",):
            headers = {"Authorization": f"Bearer {callers[name].token}"}
            for call in declared():
                method, path = call.split()
                body = examples()[call].request
                names = [
                    one["name"] for one in described()["paths"][path][method.lower()].get("parameters", ())
                ]
                query = {"user_id": "anna"} if "user_id" in names and "{user_id}" not in path else {}
                if not query and '"anna"' not in json.dumps(body):
                    continue
                tried += 1
                reply = await api.request(method, address(path), params=query, json=body, headers=headers)
                found_nothing = call == SEVERAL and reply.json()["user_profiles"] == []
                if reply.status_code not in {403, 404} and not found_nothing:
                    wrong.append(f"{name}: {call} gave {reply.status_code}: {reply.text[:100]}")
        assert (wrong, tried > 50) == ([], True)
