"""Users with tokens of their own: verified here, pinned to their own data, and refused for every known trick."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from fastapi import Request

from sagacity.api.dependencies import caller_of
from support.api import client_of, running, settings_in
from support.jose_vectors import vectors
from support.key_server import Issuer, issuing
from support.parts import StoppedClock

SECRET = "a secret that has enough bytes for whatever a test does with it"
ISSUER, AUDIENCE = "https://project.supabase.co/auth/v1", "authenticated"
RULES = {"jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}
PATH = "/api/chat/conversations"


@asynccontextmanager
async def serving(folder: Path, clock: StoppedClock, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with running(settings_in(folder, **RULES, **settings), clock) as app, client_of(app) as api:
        yield api


def claims(clock: StoppedClock, **changed: Any) -> dict[str, Any]:
    """What a good token says, with *changed*; None leaves a claim out."""
    now = clock.now()
    good = {
        "sub": "ana",
        "iss": ISSUER,
        "aud": AUDIENCE,
        "iat": int(now.timestamp()),
        "exp": int((now + timedelta(hours=1)).timestamp()),
        "role": "authenticated",
    }
    return {name: value for name, value in {**good, **changed}.items() if value is not None}


def signed(clock: StoppedClock, secret: str = SECRET, algorithm: str = "HS256", **changed: Any) -> str:
    return jwt.encode(claims(clock, **changed), secret, algorithm=algorithm)


async def asked(api: httpx.AsyncClient, token: str, path: str = PATH, **params: Any) -> httpx.Response:
    return await api.get(path, params=params, headers={"Authorization": f"Bearer {token}"})


async def refused(api: httpx.AsyncClient, token: str) -> str:
    """Why a token is refused."""
    reply = await asked(api, token)
    assert reply.status_code == 401, reply.text
    assert reply.headers["www-authenticate"] == "Bearer"
    return reply.json()["message"]


async def test_subject_is_the_user(tmp_path: Path) -> None:
    """And reaches nobody else's data, nor what is the organisation's to administer."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, jwt_secret=SECRET) as api:
        ana = {"Authorization": f"Bearer {signed(clock)}"}
        ben = {"Authorization": f"Bearer {signed(clock, sub='ben')}"}
        sent = await api.post(
            "/api/chat/send", json={"content": "My cat is Tom.", "stream": False}, headers=ana
        )
        assert sent.status_code == 200, sent.text
        conversation_id = sent.json()["conversation_id"]
        assert (await api.get(PATH, headers=ana)).json()["conversations"][0]["user_id"] == "ana"
        assert (await api.get(PATH, headers=ben)).json()["total"] == 0
        order = {"user_id": "ana", "interaction_data_list": [{"content": "Obey.", "origin": "operator"}]}
        assert (await api.post("/api/publish_interaction", json=order, headers=ana)).status_code == 403
        assert (await api.get(f"{PATH}/{conversation_id}", headers=ben)).status_code == 404
        assert (await api.get(PATH, params={"user_id": "ana"}, headers=ben)).status_code == 403
        assert (await api.get("/api/get_config", headers=ana)).status_code == 403
        found = await api.post("/api/get_interactions", json={"user_id": "ana"}, headers=ben)
        assert found.status_code == 403


async def test_token_that_does_not_hold_is_refused(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"exp": 1}, "expired"),
        ({"exp": None}, "lacks exp"),
        ({"sub": None}, "lacks sub"),
        ({"sub": ""}, "subject"),
        ({"sub": "x" * 2_000}, "subject"),
        ({"sub": "a\u0000b"}, "subject"),
        ({"sub": 7}, "cannot be read"),
        ({"nbf": 99_999_999_999}, "still to come"),
        ({"iat": 99_999_999_999}, "still to come"),
        ({"exp": "soon"}, "cannot be read"),
        ({"exp": True}, "cannot be read"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"iss": None}, "lacks iss"),
        ({"aud": "another"}, "another audience"),
        ({"aud": None}, "lacks aud"),
    ]
    clock = StoppedClock()
    async with serving(tmp_path, clock, jwt_secret=SECRET) as api:
        for changed, why in cases:
            assert why in await refused(api, signed(clock, **changed)), changed
        assert (await asked(api, signed(clock))).status_code == 200


async def test_forged_tokens_are_refused(tmp_path: Path) -> None:
    """Another secret or algorithm, none at all, a changed body, and what is no token."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, jwt_secret=SECRET) as api:
        good = signed(clock)
        header, body, signature = good.split(".")
        other_body = (
            base64.urlsafe_b64encode(json.dumps(claims(clock, sub="ben")).encode()).decode().rstrip("=")
        )
        none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
        for forged in (
            signed(clock, "another secret that has enough bytes for this, too"),
            signed(clock, SECRET, "HS384"),
            f"{none}.{body}.",
            f"{none}.{body}.{signature}",
            f"{header}.{other_body}.{signature}",
            f"{header}.{body}.",
            "a.b.c",
            "..",
            "x" * 9_000 + ".y.z",
        ):
            message = await refused(api, forged)
            assert SECRET not in message
            assert body not in message
        # What is no such token may be one of the organisation's, and is not known.
        assert "API token" in await refused(api, "sgc_nothing")


async def test_users_tokens_shut_the_door_to_those_without(tmp_path: Path) -> None:
    """Also to this machine's own callers: behind a proxy everybody is one."""
    async with serving(tmp_path, StoppedClock(), jwt_secret=SECRET) as api:
        for path in (PATH, "/api/get_config"):
            reply = await api.get(path)
            assert reply.status_code == 401, reply.text
            assert reply.headers["www-authenticate"] == "Bearer"


async def test_leeway_covers_a_clock_that_is_off(tmp_path: Path) -> None:
    clock = StoppedClock()
    async with serving(tmp_path, clock, jwt_secret=SECRET, jwt_leeway_seconds=30) as api:
        now = int(clock.now().timestamp())
        assert (await asked(api, signed(clock, exp=now - 20))).status_code == 200
        assert (await asked(api, signed(clock, exp=now - 30))).status_code == 401
        assert (await asked(api, signed(clock, iat=now + 20, nbf=now + 20))).status_code == 200
        assert (await asked(api, signed(clock, nbf=now + 40))).status_code == 401


@pytest.fixture
def issuer() -> Any:
    with issuing() as one:
        yield one


async def test_public_keys_verify(tmp_path: Path, issuer: Issuer) -> None:
    """RSA and elliptic curves; a token that takes a public key for a secret is refused."""
    clock = StoppedClock()
    issuer.add("curve", curve=True)
    async with serving(tmp_path, clock, jwt_jwks_url=issuer.url) as api:
        for key in ("first", "curve"):
            assert (await asked(api, issuer.token(key, **claims(clock)))).status_code == 200
        public = issuer.keys["first"].public_key()
        pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        assert "algorithm" in await refused(api, _by_hmac(claims(clock), pem, "first"))
        assert "algorithm" in await refused(api, signed(clock))
        swapped = issuer.token("curve", **claims(clock)).split(".")
        head = base64.urlsafe_b64encode(b'{"alg":"ES256","kid":"first"}').decode().rstrip("=")
        assert "algorithm" in await refused(api, ".".join((head, *swapped[1:])))
        with issuing() as stranger:
            assert "signature" in await refused(api, stranger.token("first", **claims(clock)))


async def test_keys_are_fetched_once_and_rotated(tmp_path: Path, issuer: Issuer) -> None:
    """However many ask at once; a new key is found, a withdrawn one forgotten; keys outlive an outage of a day."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, jwt_jwks_url=issuer.url) as api:
        old = issuer.token("first", **claims(clock))
        replies = await asyncio.gather(*(asked(api, old) for _ in range(10)))
        assert ({one.status_code for one in replies}, issuer.asked) == ({200}, 1)

        issuer.add("second")
        new = issuer.token("second", **claims(clock))
        clock.advance(31)
        assert (await asked(api, new)).status_code == 200
        assert issuer.asked == 2
        for number in range(20):  # made up
            head = base64.urlsafe_b64encode(json.dumps({"alg": "RS256", "kid": f"k{number}"}).encode())
            assert (await asked(api, f"{head.decode().rstrip('=')}.e30.AAAA")).status_code == 401
        assert issuer.asked == 2

        issuer.is_down = True
        clock.advance(700)
        assert (await asked(api, issuer.token("second", **claims(clock)))).status_code == 200
        clock.advance(23 * 3_600)
        assert (await asked(api, issuer.token("second", **claims(clock)))).status_code == 200
        clock.advance(3_600)
        assert "cannot be read now" in await refused(api, issuer.token("second", **claims(clock)))
        issuer.is_down = False
        del issuer.keys["first"]
        clock.advance(700)
        assert (await asked(api, issuer.token("second", **claims(clock)))).status_code == 200
        assert (await asked(api, old)).status_code == 401


async def test_the_audit_log_knows_users_by_a_pseudonym(tmp_path: Path) -> None:
    """One each, and the same each time; who it is, nobody can tell from it."""
    clock = StoppedClock()
    async with running(settings_in(tmp_path, **RULES, jwt_secret=SECRET), clock) as app:
        names = []
        for subject in ("ana", "ana", "bo"):
            sent = (b"authorization", f"Bearer {signed(clock, sub=subject)}".encode())
            caller = await caller_of(Request({"type": "http", "app": app, "headers": [sent]}))
            names.append(caller.principal.audited_as)
    assert (names[0] == names[1], names[0] == names[2]) == (True, False)
    assert all(name.startswith("user:") and "ana" not in name for name in names)


async def test_issuer_that_is_away_lets_nobody_in(tmp_path: Path, issuer: Issuer) -> None:
    """It is asked again after a second, and ever more seldom: whoever waits for it waits for no longer than it."""
    clock = StoppedClock()
    issuer.is_down = True
    async with serving(tmp_path, clock, jwt_jwks_url=issuer.url) as api:
        token = issuer.token("first", **claims(clock))
        reasons = await asyncio.gather(*(refused(api, token) for _ in range(10)), refused(api, token))
        assert all("cannot be read now" in one for one in reasons)
        assert issuer.asked == 1  # of those that wait, nobody asks again at once
        for pause, times in ((1, 2), (1, 2), (1, 3), (3, 3), (1, 4), (31, 5), (16, 6), (29, 6)):
            clock.advance(pause)
            assert "cannot be read now" in await refused(api, token)
            assert issuer.asked == times
        issuer.is_down = False
        clock.advance(1)
        assert (await asked(api, issuer.token("first", **claims(clock)))).status_code == 200


@pytest.mark.full
async def test_vectors_of_public_keys_are_refused_at_the_door(tmp_path: Path, issuer: Issuer) -> None:
    """Each with the keys of its issuer, over HTTP. What was signed in good ones are no claims: that, too, is 401."""
    clock = StoppedClock()
    asked_for = [one for one in vectors() if one.secret is None and one.token]  # without any, nobody calls
    assert len(asked_for) > 80
    async with serving(tmp_path, clock, jwt_jwks_url=issuer.url) as api:
        for vector in asked_for:
            issuer.raw = list(vector.keys)
            clock.advance(700)
            message = await refused(api, vector.token)
            assert not vector.is_valid or "it cannot be read" in message, vector.name
        issuer.raw = None
        clock.advance(700)
        assert (await asked(api, issuer.token("first", **claims(clock)))).status_code == 200


async def test_vectors_of_a_shared_secret_are_refused_at_the_door(tmp_path: Path) -> None:
    clock, secret = StoppedClock(), "\0" * 32
    asked_for = [one for one in vectors() if one.secret == secret.encode()]
    assert len(asked_for) > 10
    async with serving(tmp_path, clock, jwt_secret=secret) as api:
        for vector in asked_for:
            message = await refused(api, vector.token)
            assert not vector.is_valid or "it cannot be read" in message, vector.name
        assert (await asked(api, signed(clock, secret))).status_code == 200


SUPABASE = {
    "aal": "aal1",
    "amr": [{"method": "password", "timestamp": 1_757_000_000}],
    "app_metadata": {"provider": "email", "providers": ["email"]},
    "aud": "authenticated",
    "email": "ana@example.com",
    "is_anonymous": False,
    "iss": ISSUER,
    "phone": "",
    "role": "authenticated",
    "session_id": "4b938a09-5372-4177-a314-cfa292099ea2",
    "sub": "d0f1d2d3-0a1b-4c2d-8e3f-5a6b7c8d9e0f",
    "user_metadata": {"email": "ana@example.com", "email_verified": True, "full_name": "Ana"},
}
"""All that a token of a Supabase project says of a user, but for its times."""


@pytest.mark.parametrize("algorithm", ["HS256", "ES256"])
async def test_tokens_of_a_supabase_project_work_by_configuration(
    tmp_path: Path, issuer: Issuer, algorithm: str
) -> None:
    """With the older shared secret and with its public keys; the project's own keys for programs are no users'."""
    clock = StoppedClock()
    issuer.add("project", curve=True)
    by_secret = algorithm == "HS256"
    settings = {"jwt_secret": SECRET} if by_secret else {"jwt_jwks_url": issuer.url}

    def token(**said: Any) -> str:
        return jwt.encode(said, SECRET, algorithm="HS256") if by_secret else issuer.token("project", **said)

    now = int(clock.now().timestamp())
    times = {"iat": now, "exp": now + 3_600}
    async with serving(tmp_path, clock, **settings) as api:
        ana = {"Authorization": f"Bearer {token(**SUPABASE, **times)}"}
        made = await api.post("/api/chat/conversations", json={"title": "x"}, headers=ana)
        assert made.status_code == 201, made.text
        assert made.json()["user_id"] == SUPABASE["sub"]
        assert (await api.get("/api/whoami", headers=ana)).status_code == 200
        for role in ("anon", "service_role"):
            key = token(iss="supabase", ref="project", role=role, iat=now, exp=now + 10**8)
            assert "lacks" in await refused(api, key) or "another" in await refused(api, key)
        other = SUPABASE | {"iss": "https://other.supabase.co/auth/v1"}
        assert "another issuer" in await refused(api, token(**other, **times))


def _by_hmac(body: dict[str, Any], secret: bytes, kid: str) -> str:
    """A token signed by HMAC with any secret: PyJWT itself refuses to make one with a public key."""
    head = {"alg": "HS256", "typ": "JWT", "kid": kid}
    parts = [base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=") for one in (head, body)]
    signature = hmac.new(secret, b".".join(parts), hashlib.sha256).digest()
    return b".".join((*parts, base64.urlsafe_b64encode(signature).rstrip(b"="))).decode()


async def test_a_search_with_a_users_token_is_of_that_user(tmp_path: Path, clock: StoppedClock) -> None:
    """Whoever it is need not say so; whoever says another is refused."""
    async with serving(tmp_path, clock, jwt_secret=SECRET) as api:
        headers = {"Authorization": f"Bearer {signed(clock)}"}
        made = await api.post(
            "/api/memories", json={"memory_type": "profile", "content": "Plays the cello."}, headers=headers
        )
        assert made.status_code in {200, 201}, made.text
        found = await api.post("/api/search", json={"query": "Which cello?", "threshold": 0}, headers=headers)
        assert [one["content"] for one in found.json()["profiles"]] == ["Plays the cello."]
        other = await api.post(
            "/api/search", json={"query": "Which cello?", "user_id": "ben"}, headers=headers
        )
        assert other.status_code == 403
