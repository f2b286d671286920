"""Signing in at an OpenID Connect provider that runs here: linked by address, once; and every way to cheat."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from fastapi import FastAPI

from sagacity.accounts.oidc.flow import challenge_of
from sagacity.auth.tokens import hash_token
from sagacity.domain.audit import AuditFilter
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.member import CODE_PREFIX, Invitation
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from support.accounts import EMAIL, PASSWORD, serving, sign_up, signed_in
from support.api import client_of
from support.oidc_provider import CLIENT, SECRET, Provider, providing

HOME = "https://memory.example.com"
PAGES = "https://app.example.com/account"
START, TOKEN = "/api/auth/oidc/start", "/api/auth/oidc/token"
VERIFIER = "a-verifier-that-only-the-page-has-0123456789"
CHALLENGE = "code_challenge=" + challenge_of(VERIFIER)
ANA = {"sub": "248289", "email": EMAIL, "name": "Ana"}


@asynccontextmanager
async def serving_with(provider: Provider, folder: Path, **given: Any) -> AsyncIterator[FastAPI]:
    oidc = {"oidc_issuer": provider.url, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
    usual = {"public_url": HOME, "account_pages": PAGES}
    async with serving(folder, **(usual | oidc | given)) as app:
        yield app


def browser(app: FastAPI) -> httpx.AsyncClient:
    """A browser with cookies of its own."""
    return client_of(app, base_url=HOME)


async def came_back(
    api: httpx.AsyncClient, provider: Provider, start: str = "", **person: Any
) -> httpx.Response:
    """The reply to a browser whose owner signed in at the provider."""
    begun = await api.get(f"{START}{start or '?'}&{CHALLENGE}")
    assert begun.status_code == 303, begun.text
    return await api.get(provider.sign_in(begun.headers["Location"], **person))


def code_of(reply: httpx.Response) -> str:
    assert reply.status_code == 303, reply.text
    page, _, code = reply.headers["Location"].partition("#code=")
    assert page.startswith("https://app.example.com/")
    return code


async def exchanged(api: httpx.AsyncClient, code: str, verifier: str = VERIFIER) -> httpx.Response:
    return await api.post(TOKEN, json={"code": code, "code_verifier": verifier})


async def me_of(app: FastAPI, reply: httpx.Response) -> dict[str, Any]:
    async with signed_in(app, reply.json()) as person:
        return (await person.get("/api/auth/me")).json()


async def account_of(app: FastAPI, email: str = EMAIL) -> Any:
    parts = app.state.runtime.accounts.parts
    async with parts.storage.read(parts.tenant) as snapshot:
        return await snapshot.accounts.find_by_email(email)


@pytest.mark.both_databases
async def test_an_account_is_made_and_found_again_by_the_subject(tmp_path: Path, database_url: str) -> None:
    """The code is good once; the subject counts, whatever the address becomes; another subject does not get in."""
    with providing() as provider:
        async with serving_with(provider, tmp_path, database_url=database_url) as app, browser(app) as api:
            reply = await came_back(api, provider, "?return_to=/inbox", **ANA)
            assert reply.headers["Location"].startswith("https://app.example.com/inbox#code=")
            code = code_of(reply)
            first = await exchanged(api, code)
            me = await me_of(app, first)
            assert (me["email"], me["full_name"], me["email_verified"]) == (EMAIL, "Ana", True)
            assert (await exchanged(api, code)).status_code == 401  # copied: its session ends
            async with signed_in(app, first.json()) as ana:
                assert (await ana.get("/api/auth/me")).status_code == 401
            moved = await came_back(
                api, provider, **(ANA | {"email": "else@example.com", "email_verified": False})
            )
            again = await exchanged(api, code_of(moved))
            assert (await me_of(app, again))["id"] == me["id"]
            other = await came_back(api, provider, **(ANA | {"sub": "another"}))
            assert (other.status_code, other.json()["error"]) == (403, "Forbidden")
            parts = app.state.runtime.accounts.parts
            async with parts.storage.read(parts.tenant) as snapshot:
                rows = await snapshot.audit.list_oldest(AuditFilter(), after=0, limit=99)
            assert sum(row.action == "account.linked" for row in rows) == 1


async def test_an_account_whose_address_nobody_confirmed_is_given_to_its_owner(tmp_path: Path) -> None:
    """Whoever made it beforehand knows its password no more; one that was confirmed keeps its own."""
    with providing() as provider:
        async with serving_with(provider, tmp_path) as app, browser(app) as api:
            user_id = await sign_up(api)
            body = {"email": EMAIL, "password": PASSWORD}
            thief = (await api.post("/api/auth/login", json=body)).json()
            reply = await exchanged(api, code_of(await came_back(api, provider, **ANA)))
            assert (await me_of(app, reply))["id"] == user_id
            assert (await api.post("/api/auth/login", json=body)).status_code == 401
            async with signed_in(app, thief) as client:
                assert (await client.get("/api/auth/me")).status_code == 401
            ben = {"email": "ben@example.com", "password": PASSWORD}
            ben_id = UserId(await sign_up(api, ben["email"]))
            parts = app.state.runtime.accounts.parts
            async with parts.storage.begin(parts.tenant) as transaction:
                await transaction.accounts.verify(ben_id)
            await came_back(api, provider, sub="ben", email="BEN@example.com")
            assert (await account_of(app, ben["email"])).subject == "ben"
            assert (await api.post("/api/auth/login", json=ben)).status_code == 200


async def test_every_way_to_cheat_is_refused(tmp_path: Path) -> None:
    """And none of them makes an account."""
    with providing() as provider:
        async with serving_with(provider, tmp_path) as app, browser(app) as api, browser(app) as other:
            public = provider.issuer.keys["first"].public_key()
            pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            provider.issuer.add("unpublished")
            unpublished = provider.issuer.keys.pop("unpublished")

            def changed(**claims: Any) -> Any:
                return lambda said: provider.signed({**said, **claims})

            forged = {
                "no signature": lambda said: jwt.encode(said, None, algorithm="none"),
                "the public key as a secret": lambda said: _hs256(said, pem),
                "another key": lambda said: jwt.encode(said, unpublished, "RS256", {"kid": "first"}),
                "another issuer": changed(iss="https://evil.example"),
                "another audience": changed(aud="another"),
                "another party": changed(aud=[CLIENT, "another"], azp="another"),
                "no party": changed(aud=[CLIENT, "another"]),
                "another nonce": changed(nonce="of another"),
                "no nonce": changed(nonce=None),
                "too old": changed(exp=int(datetime.now(UTC).timestamp()) - 60),
                "no subject": changed(sub=""),
            }
            for name, forge in forged.items():
                provider.forge = forge
                reply = await came_back(api, provider, **ANA)
                assert reply.status_code == 401, (name, reply.text)
            provider.forge = provider.signed
            for person in ({"email_verified": False}, {"email_verified": "true"}, {"email": "no address"}):
                assert (await came_back(api, provider, **(ANA | person))).status_code == 403, person
            await _wrong_returns(api, other, provider)
            assert await account_of(app) is None
            for code in ("x", "a.b.c", "x" * 9_000):
                assert (await exchanged(api, code)).status_code in {401, 422}


async def test_a_code_is_of_use_to_the_page_alone_that_began(tmp_path: Path) -> None:
    """Whoever sends others a link with a code of the own sign-in signs nobody in; nor does a page begin without."""
    with providing() as provider:
        async with serving_with(provider, tmp_path) as app, browser(app) as api:
            for start in ("", "?code_challenge=x", f"?code_challenge={'=' * 43}"):
                assert (await api.get(f"{START}{start}")).status_code == 422, start
            code = code_of(await came_back(api, provider, **ANA))
            for verifier in ("", "x" * 43, challenge_of(VERIFIER)):
                assert (await exchanged(api, code, verifier)).status_code == 401, verifier
            assert (await exchanged(api, code, "\u00fc" * 43)).status_code == 422
            assert (await exchanged(api, code)).status_code == 200
        async with serving_with(provider, tmp_path, account_pages="") as app, browser(app) as api:
            begun = await api.get(START)
            shown = await api.get(provider.sign_in(begun.headers["Location"], **ANA))
            for verifier, status in ((VERIFIER, 401), ("", 200)):
                assert (await exchanged(api, shown.text, verifier)).status_code == status


async def _wrong_returns(api: httpx.AsyncClient, other: httpx.AsyncClient, provider: Provider) -> None:
    """What does not come back to the browser that it began in, as it should, is refused."""
    begun = (await api.get(f"{START}?{CHALLENGE}")).headers["Location"]
    back = provider.sign_in(begun, **ANA)
    state = parse_qs(urlsplit(begun).query)["state"][0]
    await other.get(f"{START}?{CHALLENGE}")
    for client, address in (
        (other, back),  # another browser's
        (api, back.replace(state, state.swapcase())),
        (api, back.replace("iss=", "iss=x")),
        (api, back.partition("?")[0]),
        (api, f"{back.partition('?')[0]}?error=access_denied&state={state}"),
    ):
        assert (await client.get(address)).status_code == 401, address
    code = parse_qs(urlsplit(back).query)["code"][0]
    del provider.codes[code]  # as if it was used
    used = await api.get(back)
    assert (used.status_code, "Location" in used.headers) == (401, False)


def _hs256(said: dict[str, Any], pem: bytes) -> str:
    """A token signed with a public key as if it were a secret, which PyJWT refuses to make."""
    signer = jwt.PyJWS()
    signer._algorithms["HS256"].prepare_key = lambda key: key  # pyright: ignore[reportAttributeAccessIssue]
    return signer.encode(jwt.api_jws.json.dumps(said).encode(), pem, "HS256", {"kid": "first"})


async def test_browsers_are_sent_nowhere_else(tmp_path: Path) -> None:
    """Neither by `return_to` nor by the `Host` header; and no provider that is not itself is asked."""
    with providing() as provider:
        async with serving_with(provider, tmp_path) as app, browser(app) as api:
            for page in (
                "https://evil.example/",
                "//evil.example",
                "/\\evil.example",
                "https://app.example.com@evil.example/",
                "https://app.example.com.evil.example/",
                "http://app.example.com/",
                "javascript:alert(1)",
                "/a\r\nSet-Cookie: x",
                "/a#code=x",
                "https://app.example.com:444/",
                "/" + "x" * 2_000,
            ):
                reply = await api.get(
                    START, params={"return_to": page, "code_challenge": challenge_of(VERIFIER)}
                )
                assert (reply.status_code, "Location" in reply.headers) == (422, False), page
            begun = await api.get(
                f"{START}?{CHALLENGE}", headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
            )
            asked = parse_qs(urlsplit(begun.headers["Location"]).query)
            assert asked["redirect_uri"] == [f"{HOME}/api/auth/oidc/callback"]
            cookie = begun.headers["Set-Cookie"]
            for word in ("__Host-sagacity-sign-in=", "HttpOnly", "Secure", "SameSite=lax", "Path=/"):
                assert word in cookie
            slash = await api.get("/api/auth/me/", headers={"Host": "evil.example"})
            assert (slash.status_code, "Location" in slash.headers) == (404, False)
        provider.discovery = {"issuer": "https://evil.example"}
        async with serving_with(provider, tmp_path) as app, browser(app) as api:
            assert (await api.get(f"{START}?{CHALLENGE}")).status_code == 502
            provider.discovery = {"token_endpoint": "file:///etc/passwd"}
            assert (await api.get(f"{START}?{CHALLENGE}")).status_code == 502


async def test_where_sign_up_is_closed_an_invitation_lets_in(tmp_path: Path) -> None:
    """And without pages the code is shown, to be pasted into the program."""
    with providing() as provider:
        async with (
            serving_with(provider, tmp_path, account_pages="", sign_up="closed") as app,
            browser(app) as api,
        ):
            assert (await came_back(api, provider, **ANA)).status_code == 403
            assert (await api.get(START, params={"return_to": "/inbox"})).status_code == 422
            parts, team, code = (
                app.state.runtime.accounts.parts,
                Tenant(org_id=OrgId("team")),
                f"{CODE_PREFIX}x",
            )
            now = parts.clock.now()
            later = now.replace(year=now.year + 1)
            new = Invitation(
                invitation_id="i",
                email=EMAIL,
                role=Role.VIEWER,
                created_at=now,
                created_by="local",
                expires_at=later,
            )
            async with parts.storage.begin(team) as transaction:
                await transaction.organisation.ensure()
                await transaction.invitations.add(new)
                await transaction.invitations.put_code("i", hash_token(code), expires_at=later)
            stranger = await came_back(
                api, provider, f"?invitation_code={code}", sub="s", email="s@example.com"
            )
            assert stranger.status_code == 400
            shown = await came_back(api, provider, f"?invitation_code={code}", **ANA)
            assert (shown.status_code, shown.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
            reply = await exchanged(api, shown.text)
            async with signed_in(app, reply.json()) as ana:
                [mine] = (await ana.get("/api/organizations")).json()["organizations"]
            assert (mine["org_id"], mine["role"]) == ("team", "viewer")
