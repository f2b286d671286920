"""Accounts over HTTP: sign up, in and out; tokens that are used twice; passwords; deletion; and whoever may not."""

import asyncio
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from sagacity.accounts import sign_in
from sagacity.accounts.change import change_password
from sagacity.accounts.cookies import switch_by_cookie
from sagacity.accounts.sign_in import principal_of
from sagacity.auth.account_tokens import AccountTokens, SessionToken, TokenUse
from sagacity.auth.passwords import PasswordCost, Passwords
from sagacity.domain.errors import ConfigError, Unauthorized, WrongCredentials
from sagacity.domain.ids import UserId
from sagacity.domain.member import CODE_PREFIX
from support.accounts import (
    EMAIL,
    PASSWORD,
    log_in,
    mail_server,
    mailed,
    plain_text,
    serving,
    sign_up,
    signed_in,
)
from support.api import client_of, make_token, running, settings_in
from support.aws import ENVIRONMENT
from support.parts import StoppedClock
from support.ses import ses_endpoint
from support.waiting import until

ME = "/api/auth/me"
BODIES: dict[str, dict[str, Any]] = {
    "POST /api/auth/logout": {},
    "GET /api/auth/me": {},
    "POST /api/auth/verify": {},
    "POST /api/auth/password/update": {"current_password": PASSWORD, "new_password": "Three-Lions-5"},
    "GET /api/auth/totp": {},
    "POST /api/auth/totp": {"password": PASSWORD},
    "POST /api/auth/totp/confirm": {"code": "492039"},
    "POST /api/auth/totp/recovery_codes": {"password": PASSWORD, "code": "492039"},
    "POST /api/auth/totp/disable": {"password": PASSWORD, "code": "492039"},
    "DELETE /api/auth/account": {"password": PASSWORD},
    "DELETE /api/account": {"password": PASSWORD},
}
"""The routes of somebody who signed in."""
OPEN = {
    "POST /api/auth/signup": {"email": EMAIL, "password": PASSWORD},
    "POST /api/auth/login": {"email": EMAIL, "password": PASSWORD},
    "POST /api/auth/login/code": {"challenge": "a.b.c", "code": "492039"},
    "POST /api/auth/refresh": {"refresh_token": "a.b.c"},
    "POST /api/verify-email": {"code": "none"},
    "POST /api/resend-verification": {"email": EMAIL},
    "POST /api/auth/password/reset": {"email": EMAIL},
    "POST /api/forgot-password": {"email": EMAIL},
    "POST /api/reset-password": {"code": "none", "new_password": PASSWORD},
    "POST /api/register": {"email": EMAIL, "password": PASSWORD},
    "POST /token": {"username": EMAIL, "password": PASSWORD},
}
"""The routes of everybody."""


async def called(api: httpx.AsyncClient, call: str, body: Any, **given: Any) -> httpx.Response:
    method, path = call.split()
    return await api.request(method, path, json=body, **given)


async def status(api: httpx.AsyncClient, call: str, body: Any) -> int:
    return (await called(api, call, body)).status_code


async def refreshed(api: httpx.AsyncClient, tokens: dict[str, Any]) -> httpx.Response:
    return await api.post("/api/auth/refresh", json={"refresh_token": tokens["refresh_token"]})


async def test_an_account_from_sign_up_to_deletion(tmp_path: Path) -> None:
    """By e-mail from a real server; what is said belongs to the account's user, and goes with it."""
    with mail_server() as (url, mailbox):
        async with serving(tmp_path, mail_url=url) as app, client_of(app) as api:
            user_id = await sign_up(api, "Ana@Example.com", full_name="Ana")
            early = await api.post("/api/auth/login", json={"email": EMAIL, "password": PASSWORD})
            assert early.status_code == 401
            assert "confirm" in early.json()["message"]
            await mailed(app, mailbox, 1)
            [code] = mailbox.codes()
            assert mailbox.letters[0]["From"] == "sagacity@example.com"
            assert (await api.post("/api/verify-email", json={"code": code})).status_code == 200
            assert (await api.post("/api/verify-email", json={"code": code})).status_code == 400
            tokens = await log_in(api)
            assert tokens["user"]["id"] == user_id
            async with signed_in(app, tokens) as ana:
                me = (await ana.get(ME)).json()
                assert (me["email"], me["full_name"], me["email_verified"]) == (EMAIL, "Ana", True)
                said = await ana.post("/api/chat/send", json={"content": "My cat is Tom.", "stream": False})
                assert said.status_code == 200, said.text
                assert (await ana.get("/api/get_config")).status_code == 403
                wrong = await called(ana, "DELETE /api/auth/account", {"password": "wrong"})
                assert (wrong.status_code, wrong.json()["error"]) == (400, "WrongCredentials")
                assert await status(ana, "DELETE /api/auth/account", {"password": PASSWORD}) == 204
                assert (await ana.get(ME)).status_code == 401
            gone = await api.post("/api/auth/login", json={"email": EMAIL, "password": PASSWORD})
            assert gone.status_code == 401
            operator = client_of(app, token=await make_token(app, "self-host-org"))

            async def is_erased() -> bool:
                [erasure] = (await operator.get("/api/erasures")).json()["erasures"]
                return erasure.get("finished_at") is not None

            await until(is_erased)
            [erasure] = (await operator.get("/api/erasures")).json()["erasures"]
            report = (await operator.get(f"/api/erasures/{erasure['erasure_id']}")).json()["report"]
            assert report["deleted"]["interactions"] == 2


@pytest.mark.both_databases
async def test_a_refresh_token_is_good_once(tmp_path: Path, database_url: str) -> None:
    """One that is used again ends its session, at once and with every token; the other session goes on."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, database_url=database_url) as app, client_of(app) as api:
        await sign_up(api)
        first, other = await log_in(api), await log_in(api)
        second = (await refreshed(api, first)).json()
        third = (await refreshed(api, second)).json()
        async with signed_in(app, third) as ana, signed_in(app, other) as elsewhere:
            assert (await ana.get(ME)).status_code == 200
            assert (await refreshed(api, first)).status_code == 401
            assert (await ana.get(ME)).status_code == 401
            assert (await refreshed(api, third)).status_code == 401
            assert (await elsewhere.get(ME)).status_code == 200
            as_access = client_of(app, token=other["refresh_token"])
            assert (await as_access.get(ME)).status_code == 401
            both = await asyncio.gather(refreshed(api, other), refreshed(api, other))
            assert sorted(one.status_code for one in both) == [200, 401]
            assert (await elsewhere.get(ME)).status_code == 401
        fresh = await log_in(api)
        clock.advance(timedelta(minutes=15).total_seconds())
        async with signed_in(app, fresh) as ana:
            assert "expired" in (await ana.get(ME)).json()["message"]
        assert (await refreshed(api, fresh)).status_code == 200


@pytest.mark.both_databases
async def test_passwords_are_changed_and_reset(tmp_path: Path, database_url: str) -> None:
    """A change ends the other sessions, a reset all of them; its code is good once, and not after another change."""
    with mail_server() as (url, mailbox):
        async with (
            serving(tmp_path, database_url=database_url, mail_url=url, verify_email=False) as app,
            client_of(app) as api,
        ):
            await sign_up(api)
            here, there = await log_in(api), await log_in(api)
            change = {"current_password": PASSWORD, "new_password": "Three-Lions-5"}
            async with signed_in(app, here) as ana, signed_in(app, there) as elsewhere:
                assert await status(ana, "POST /api/auth/password/update", change) == 200
                assert await status(ana, "POST /api/auth/password/update", change) == 400
                assert (await ana.get(ME)).status_code == 200
                assert (await elsewhere.get(ME)).status_code == 401
                known = await api.post("/api/auth/password/reset", json={"email": EMAIL})
                unknown = await api.post("/api/forgot-password", json={"email": "nobody@example.com"})
                assert (known.status_code, known.json()) == (unknown.status_code, unknown.json())
                await mailed(app, mailbox, 1)
                [code] = mailbox.codes()
                reset = {"code": code, "new_password": "Four-Lions-6"}
                assert await status(api, "POST /api/verify-email", {"code": code}) == 400
                assert await status(api, "POST /api/reset-password", reset) == 200
                assert await status(api, "POST /api/reset-password", reset) == 400
                assert (await ana.get(ME)).status_code == 401
            await log_in(api, password="Four-Lions-6")
            assert len(mailbox.letters) == 1


class HeldPasswords:
    """Real passwords; new hashes are held until they are released."""

    def __init__(self, inner: Passwords) -> None:
        self._inner = inner
        self.is_asked, self.go_on = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def hash(self, password: str) -> str:
        self.is_asked.set()
        await self.go_on.wait()
        return await self._inner.hash(password)


@pytest.mark.both_databases
async def test_a_password_that_was_replaced_meanwhile_changes_nothing(
    tmp_path: Path, database_url: str
) -> None:
    """Whoever knew the former one cannot undo what its owner did, however close together both calls come."""
    async with serving(tmp_path, database_url=database_url) as app, client_of(app) as api:
        await sign_up(api)
        parts = app.state.runtime.accounts.parts
        owners, thiefs = [
            await principal_of(parts, tokens["access_token"])
            for tokens in (await log_in(api), await log_in(api))
        ]
        held = HeldPasswords(parts.passwords)
        stolen = asyncio.create_task(
            change_password(replace(parts, passwords=held), thiefs, PASSWORD, "Thiefs-Word-1", address="t")
        )
        await held.is_asked.wait()
        await change_password(parts, owners, PASSWORD, "Three-Lions-5", address="o")
        held.go_on.set()
        with pytest.raises(WrongCredentials):
            await stolen
        costlier = HeldPasswords(Passwords(PasswordCost(passes=2, memory_kib=64), at_once=1))
        late = asyncio.create_task(
            sign_in.log_in(replace(parts, passwords=costlier), EMAIL, "Three-Lions-5", address="t")
        )
        await costlier.is_asked.wait()  # the hash is to be renewed, as passwords cost more now
        await change_password(parts, owners, "Three-Lions-5", "Four-Lions-6", address="o")
        costlier.go_on.set()
        with pytest.raises(Unauthorized):
            await late
        costlier.close()
        with pytest.raises(Unauthorized, match="ended"):
            await sign_in.switch(parts, thiefs, "self-host-org")
        with pytest.raises(Unauthorized, match="ended"):
            await switch_by_cookie(parts, thiefs, "self-host-org")
        await log_in(api, password="Four-Lions-6")
        for former in (PASSWORD, "Thiefs-Word-1", "Three-Lions-5"):
            reply = await api.post("/api/auth/login", json={"email": EMAIL, "password": former})
            assert reply.status_code == 401


@pytest.mark.both_databases
async def test_an_address_is_not_told_to_have_an_account(tmp_path: Path, database_url: str) -> None:
    """The same answers, as many hashes, and as many tries counted; the owner gets an e-mail instead."""
    with mail_server() as (url, mailbox):
        async with serving(tmp_path, database_url=database_url, mail_url=url) as app, client_of(app) as api:
            await sign_up(api)
            await mailed(app, mailbox, 1)
            await api.post("/api/verify-email", json={"code": mailbox.codes()[0]})
            passwords = app.state.runtime.accounts.parts.passwords
            answers = []
            for email in (EMAIL, "nobody@example.com"):
                before = passwords.computed
                made = await api.post("/api/auth/signup", json={"email": email, "password": PASSWORD})
                wrong = await api.post("/api/auth/login", json={"email": email, "password": "Wrong-1-wrong"})
                again = await api.post("/api/resend-verification", json={"email": email})
                shown = made.json() | {"user_id": "", "email": ""}
                answers.append((shown, wrong.json()["message"], again.json(), passwords.computed - before))
            assert answers[0] == answers[1]
            await mailed(app, mailbox, 3)
            assert [one["Subject"] for one in mailbox.letters if one["To"] == EMAIL] == [
                "Confirm your e-mail address",
                "You have an account already",
            ]
            log_in_as_before = await log_in(api)
            assert log_in_as_before["user"]["email"] == EMAIL


async def test_answers_about_addresses_come_at_even_times(tmp_path: Path) -> None:
    """At a multiple of the step, whatever there was to do; an error, too."""
    async with serving(tmp_path, answer_step_seconds=0.2) as app, client_of(app) as api:
        now = asyncio.get_running_loop().time
        for path, body in (
            ("/api/auth/signup", {"email": EMAIL, "password": PASSWORD}),
            (
                "/api/auth/signup",
                {"email": EMAIL, "password": PASSWORD, "invitation_code": f"{CODE_PREFIX}x"},
            ),
            ("/api/forgot-password", {"email": EMAIL}),
            ("/api/resend-verification", {"email": "nobody@example.com"}),
        ):
            began = now()
            await api.post(path, json=body)
            assert now() - began >= 0.2, path


@pytest.mark.both_databases
async def test_wrong_passwords_have_to_wait(tmp_path: Path, database_url: str) -> None:
    """Longer each time, for an account as for an address that has none; many at once are no way around it."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, database_url=database_url) as app, client_of(app) as api:
        await sign_up(api)
        for email in (EMAIL, "nobody@example.com"):
            wrong = {"email": email, "password": "Wrong-1-wrong"}
            tries = await asyncio.gather(*(api.post("/api/auth/login", json=wrong) for _ in range(9)))
            assert sorted(one.status_code for one in tries) == [401] * 5 + [429] * 4
            waits = []
            for _ in range(3):
                refused = await api.post("/api/auth/login", json=wrong)
                assert refused.status_code == 429
                waits.append(int(refused.headers["Retry-After"]))
                clock.advance(waits[-1])
                assert (await api.post("/api/auth/login", json=wrong)).status_code == 401
            assert waits == [1, 2, 4]
        clock.advance(8)
        await log_in(api)


@pytest.mark.both_databases
async def test_e_mails_survive_what_fails(tmp_path: Path, database_url: str) -> None:
    """One that the server refuses is tried again, one that was left by a process that died is sent, each once."""
    clock = StoppedClock()
    given = {"database_url": database_url}
    with mail_server() as (url, mailbox):
        mailbox.refuses = 1
        async with serving(tmp_path, clock, mail_url=url, **given) as app, client_of(app) as api:
            await sign_up(api)
            await until(lambda: _next_due_in(app, 30))
            assert mailbox.letters == []
            clock.advance(31)
            await mailed(app, mailbox, 1)
            parts = app.state.runtime.accounts.parts
            await api.post("/api/auth/password/reset", json={"email": EMAIL})
            await mailed(app, mailbox, 2)
            await until(
                lambda: _next_due_in(app, None)
            )  # or the mark of the second would count for the third
            async with parts.storage.begin(parts.tenant) as transaction:
                [user_id] = {await _user_of(transaction)}
                await transaction.account_mails.ask(user_id, "reset_password")
                await transaction.account_mails.claim(until=clock.now() + timedelta(minutes=2))
        async with serving(tmp_path, clock, mail_url=url, **given) as app:
            await app.state.runtime.accounts.mails.send_due()
            assert len(mailbox.letters) == 2
            clock.advance(121)
            await mailed(app, mailbox, 3)
            await app.state.runtime.accounts.mails.send_due()
            assert len(mailbox.letters) == 3
            async with client_of(app) as api:
                older, newer = mailbox.codes()[-2:]
                assert (
                    await status(api, "POST /api/reset-password", {"code": older, "new_password": PASSWORD})
                    == 400
                )
                clock.advance(3_601)
                assert (
                    await status(api, "POST /api/reset-password", {"code": newer, "new_password": PASSWORD})
                    == 400
                )


async def test_e_mails_go_out_by_ses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the configured language; one that is refused waits in the outbox, and its link works when it arrives."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    clock = StoppedClock()
    given = {"mail_language": "de", "account_pages": "https://app.example.com"}
    with ses_endpoint() as endpoint:
        endpoint.refuses = ["TooManyRequestsException"]
        async with (
            serving(tmp_path, clock, mail_url=endpoint.mail_url, **given) as app,
            client_of(app) as api,
        ):
            await sign_up(api)
            await until(lambda: _next_due_in(app, 30))
            clock.advance(31)
            await app.state.runtime.accounts.mails.send_due()
            [letter] = endpoint.letters
            assert letter["Subject"] == "Bestätigen Sie Ihre E-Mail-Adresse"
            [link] = re.findall(r"https://\S+", plain_text(letter))
            page, code = link.split("#code=")
            assert page == "https://app.example.com/verify-email"
            assert await status(api, "POST /api/verify-email", {"code": code}) == 200
            await log_in(api)


async def _next_due_in(app: Any, seconds: float | None) -> bool:
    """Whether the next e-mail is due in exactly so many *seconds*; None: whether none is due at all."""
    parts = app.state.runtime.accounts.parts
    async with parts.storage.read(parts.tenant) as snapshot:
        return await snapshot.account_mails.seconds_to_next(most=999) == (999 if seconds is None else seconds)


async def _user_of(transaction: Any) -> UserId:
    return (await transaction.accounts.find_by_email(EMAIL)).user_id


async def test_who_may_not_is_refused_by_every_route(tmp_path: Path) -> None:
    """Without a token, or with one that expired, ended, is signed by another, of an API token, or a bad body."""
    clock = StoppedClock()
    async with serving(tmp_path, clock) as app, client_of(app) as api:
        user_id = await sign_up(api)
        await sign_up(api, "ben@example.com")
        ended, old = await log_in(api), await log_in(api)
        async with signed_in(app, ended) as ana:
            assert await status(ana, "POST /api/auth/logout", {}) == 200
        clock.advance(901)
        ben = await log_in(api, "ben@example.com")
        forger = AccountTokens(lambda: b"another secret of thirty-two bytes", clock)
        later = clock.now() + timedelta(hours=1)
        forged = forger.issue(
            TokenUse.ACCESS, SessionToken(user_id=UserId(user_id), session_id="x"), expires_at=later
        )
        real = app.state.runtime.accounts.parts.tokens
        session = await real.read(TokenUse.ACCESS, ben["access_token"])
        stolen = real.issue(
            TokenUse.ACCESS, session.model_copy(update={"user_id": UserId(user_id)}), expires_at=later
        )
        refused = {
            "": 401,
            ended["access_token"]: 401,
            old["access_token"]: 401,
            forged: 401,
            stolen: 401,
            await make_token(app, "second-team"): 403,
        }
        for call, body in BODIES.items():
            for token, code in refused.items():
                async with client_of(app, token=token or None) as caller:
                    reply = await called(caller, call, body)
                    assert reply.status_code == code, (call, token, reply.text)
        async with signed_in(app, ben) as caller:
            assert (await caller.get("/api/profile", params={"user_id": user_id})).status_code == 403
            for call, body in BODIES.items():
                for bad in ([], dict.fromkeys(body, 1), dict.fromkeys(body, "\x00")) if body else ():
                    assert await status(caller, call, bad) == 422, (call, bad)
            assert (await caller.get(ME)).json()["email"] == "ben@example.com"
        for call, body in OPEN.items():
            for bad in ([], {}, {name: ["x"] for name in body}, dict.fromkeys(body, "x" * 20000)):
                reply = await called(api, call, bad)
                assert reply.status_code == 422, (call, bad, reply.text)
                assert "x" * 100 not in reply.text
            broken = await api.request(
                call.split()[0], call.split()[1], content=b"{", headers={"Content-Type": "application/json"}
            )
            assert broken.status_code == 422


async def test_sign_up_is_closed_unless_it_is_opened(tmp_path: Path) -> None:
    """And with an invitation only for whoever knows it; weak passwords and what is no address are refused."""
    new = {"email": EMAIL, "password": PASSWORD}
    async with running(settings_in(tmp_path / "closed")) as app, client_of(app) as api:
        assert await status(api, "POST /api/auth/signup", new) == 403
        assert (await api.get("/api/whoami")).status_code == 200
    invited = {"sign_up": "invited", "invitation_code": "lion"}
    async with serving(tmp_path / "invited", **invited) as app, client_of(app) as api:
        assert await status(api, "POST /api/auth/signup", new) == 403
        assert await status(api, "POST /api/auth/signup", new | {"invitation_code": "tiger"}) == 403
        assert await status(api, "POST /api/register", new | {"invitation_code": "lion"}) == 201
        assert (await api.get("/api/whoami")).status_code == 401
        for password in ("Ab1", "alllower1", "ALLUPPER1", "NoDigits", "A1" + "b" * 127):
            assert await status(api, "POST /api/auth/signup", new | {"password": password}) == 422
        for email in (
            "ana",
            "ana@localhost",
            "a@b.example\r\nBcc: c@d.example",
            "ána@example.com",
            "@example.com",
        ):
            assert await status(api, "POST /api/auth/signup", new | {"email": email}) == 422
    for wrong in (
        {"sign_up": "open"},
        {"sign_up": "invited", "verify_email": False},
        {"mail_url": "ftp://x"},
    ):
        with pytest.raises((ConfigError, ValueError)):
            settings_in(tmp_path, **wrong)
