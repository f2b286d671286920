"""Sessions by cookie: what the cookie is, and which calls of other sites' pages it does not help."""

from pathlib import Path

import httpx

from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from support.accounts import EMAIL, PASSWORD, log_in, serving, sign_up
from support.api import client_of
from support.oidc_provider import CLIENT, SECRET, providing

HOME, APP = "https://memory.example.com", "https://app.example.com"
ME, COOKIE, VERIFY = "/api/auth/me", "/api/auth/cookie", "/api/auth/verify"
BODY = {"email": EMAIL, "password": PASSWORD}
SETTINGS = {
    "public_url": HOME,
    "cookie_sessions": True,
    "cors_origins": (APP,),
    "cors_credentials": True,
    "account_pages": APP,
}


async def status(api: httpx.AsyncClient, path: str = VERIFY, **headers: str) -> int:
    named = {name.replace("_", "-").encode(): value.encode("latin-1") for name, value in headers.items()}
    return (await api.post(path, headers=named)).status_code


async def test_a_cookie_is_a_session_of_this_servers_pages(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, **SETTINGS) as app,
        client_of(app, base_url=HOME) as api,
        client_of(app, base_url=HOME) as other,
    ):
        await sign_up(api)
        await sign_up(api, "ben@example.com")
        evil = await api.post(COOKIE, json=BODY, headers={"Origin": "https://evil.example"})
        assert (evil.status_code, "Set-Cookie" in evil.headers) == (403, False)
        began = await api.post(COOKIE, json=BODY, headers={"Origin": HOME})
        assert began.status_code == 200, began.text
        for word in ("__Host-sagacity=", "HttpOnly", "Secure", "SameSite=strict", "Path=/"):
            assert word in began.headers["Set-Cookie"]
        assert not {"access_token", "refresh_token"} & began.json().keys()
        csrf = began.json()["csrf_token"]
        of_ben = (await other.post(COOKIE, json=BODY | {"email": "ben@example.com"})).json()["csrf_token"]

        assert (await api.get(ME)).json()["email"] == EMAIL
        assert (await api.get("/api/auth/csrf")).json()["csrf_token"] == csrf
        assert [await status(api, X_CSRF_Token=one) for one in ("", "x", of_ben, "é", csrf)] == [403] * 4 + [
            200
        ]
        assert await status(api, X_CSRF_Token=csrf, Origin=APP) == 200
        assert await status(api, X_CSRF_Token=csrf, Origin="https://evil.example") == 403
        assert await status(api, X_CSRF_Token=csrf, Origin="null") == 403
        assert (await api.get(ME, headers={"Origin": "https://evil.example"})).status_code == 403
        asked = {"Origin": APP, "Access-Control-Request-Method": "POST"}
        preflight = await api.options(
            VERIFY, headers=asked | {"Access-Control-Request-Headers": "x-csrf-token"}
        )
        assert (preflight.status_code, preflight.headers["Access-Control-Allow-Credentials"]) == (200, "true")

        ben = await log_in(other, "ben@example.com")
        bearer = {"Authorization": f"Bearer {ben['access_token']}"}
        assert (await api.post(VERIFY, headers=bearer)).json()["email"] == "ben@example.com"
        cookie = dict(api.cookies)["__Host-sagacity"]
        as_bearer = client_of(app, token=cookie)
        assert (await as_bearer.get(ME)).status_code == 401
        as_cookie = client_of(app, base_url=HOME)
        as_cookie.headers["Cookie"] = f"__Host-sagacity={ben['access_token']}"
        assert (await as_cookie.get(ME)).status_code == 401
        as_cookie.headers["Cookie"] = f"__Host-sagacity={cookie}"

        ended = await api.post("/api/auth/logout", headers={"X-CSRF-Token": csrf})
        assert (ended.status_code, "Max-Age=0" in ended.headers["Set-Cookie"]) == (200, True)
        assert (await as_cookie.get(ME)).status_code == 401  # a copy of it, too


async def test_switching_by_cookie_replaces_the_cookie_and_hands_out_no_token(tmp_path: Path) -> None:
    """The session so far ends, also for who copied its cookie; a program's own session goes on as before."""
    async with serving(tmp_path, **SETTINGS) as app, client_of(app, base_url=HOME) as api:
        await sign_up(api)
        user_id = UserId((await log_in(api))["user"]["id"])
        async with app.state.runtime.storage.begin(Tenant(org_id=OrgId("team"))) as transaction:
            await transaction.organisation.ensure("Team")
            await transaction.members.put(user_id, Role.ADMIN, by="operator", target="user:1")
        csrf = (await api.post(COOKIE, json=BODY)).json()["csrf_token"]
        former = client_of(app, base_url=HOME)
        former.headers["Cookie"] = f"__Host-sagacity={dict(api.cookies)['__Host-sagacity']}"

        async def switch(where: str, **headers: str) -> httpx.Response:
            path = "/api/organizations/switch"
            return await api.post(path, json={"organization": where}, headers=headers)

        assert (await switch("team")).status_code == 403  # without the page's token
        refused = await switch("elsewhere", **{"X-CSRF-Token": csrf})
        assert (refused.status_code, "Set-Cookie" in refused.headers) == (403, False)
        assert (await former.get(ME)).status_code == 200
        switched = await switch("team", **{"X-CSRF-Token": csrf})
        told = switched.json()
        assert not {"access_token", "refresh_token"} & {name for name, value in told.items() if value}
        assert "eyJ" not in switched.text
        assert "HttpOnly" in switched.headers["Set-Cookie"]
        assert (await api.get("/api/whoami")).json()["org_id"] == "team"
        assert await status(api, X_CSRF_Token=told["csrf_token"]) == 200
        assert await status(api, X_CSRF_Token=csrf) == 403
        assert (await former.get(ME)).status_code == 401


async def test_a_provider_leads_to_a_cookie_too_and_without_the_setting_there_is_none(tmp_path: Path) -> None:
    """With cookies, nothing is in the address of the page; without them, a cookie is nothing."""
    with providing() as provider:
        oidc = {"oidc_issuer": provider.url, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
        async with serving(tmp_path, **SETTINGS, **oidc) as app, client_of(app, base_url=HOME) as api:
            begun = await api.get("/api/auth/oidc/start?return_to=/inbox")
            back = await api.get(provider.sign_in(begun.headers["Location"], sub="1", email=EMAIL))
            assert (back.status_code, back.headers["Location"]) == (303, f"{APP}/inbox")
            assert (await api.get(ME)).json()["email"] == EMAIL
            kept = dict(api.cookies)
        assert kept.keys() == {"__Host-sagacity"}
        async with serving(tmp_path) as app, client_of(app, base_url=HOME) as api:
            api.cookies.update(kept)
            assert (await api.get(ME)).status_code == 401
            assert (await api.post(COOKIE, json=BODY)).status_code == 403
            assert (await api.get("/api/auth/oidc/start")).status_code == 404


async def test_every_reply_tells_browsers_what_not_to_do(tmp_path: Path) -> None:
    """Also those to errors; a page of the description may load its scripts, and nothing may frame it."""
    async with serving(tmp_path, public_url=HOME) as app, client_of(app) as api:
        for path in ("/health", ME, "/api/nothing", "/api/auth/login"):
            headers = (await api.get(path)).headers
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Cache-Control"] == "no-store"
            assert headers["Strict-Transport-Security"].startswith("max-age=")
        page = (await api.get("/docs")).headers
        assert page["Content-Security-Policy"] == "frame-ancestors 'none'"
