"""The second step of signing in: turned on, asked for, thrown away codes, lost phones, and whoever may not."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pyotp
import pytest
from fastapi import FastAPI

from sagacity.accounts.change import change_password
from sagacity.accounts.sign_in import principal_of
from sagacity.accounts.totp import confirm, find_unreadable, seal_again
from sagacity.auth.key_ring import add_key, keep_first_key
from sagacity.domain.audit import AuditFilter
from sagacity.domain.errors import Unauthorized
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from sagacity.maintenance import rotate_config_key
from support.accounts import EMAIL, PASSWORD, log_in, mail_server, mailed, serving, sign_up, signed_in
from support.api import client_of, make_token
from support.parts import StoppedClock
from support.planted import bytes_with

LOGIN, ANSWER, TOTP = "/api/auth/login", "/api/auth/login/code", "/api/auth/totp"
HOME = "https://memory.example.com"
STEP = 30
BODY = {"email": EMAIL, "password": PASSWORD}


class Phone:
    """An authenticator app with the time of the tests, and what it was given to keep."""

    def __init__(self, secret: str, clock: StoppedClock) -> None:
        self.secret, self.codes, self._clock = secret, pyotp.TOTP(secret), clock
        self.recovery: list[str] = []

    def code(self, steps: int = 0) -> str:
        return self.codes.at(int(self._clock.now().timestamp()) + STEP * steps)

    def next_code(self) -> str:
        """One that nobody used yet."""
        self._clock.advance(STEP)
        return self.code()

    def wrong(self) -> str:
        """Six digits that are not right now."""
        right = {self.code(steps) for steps in (-1, 0, 1)}
        return next(one for one in ("000000", "111111", "222222", "333333") if one not in right)


async def with_phone(app: FastAPI, clock: StoppedClock, email: str = EMAIL) -> Phone:
    """Set up an app for an account that can sign in."""
    async with client_of(app) as api, signed_in(app, await log_in(api, email)) as ana:
        begun = (await ana.post(TOTP, json={"password": PASSWORD})).json()
        phone = Phone(begun["secret"], clock)
        confirmed = await ana.post(f"{TOTP}/confirm", json={"code": phone.code()})
        assert confirmed.status_code == 200, confirmed.text
        phone.recovery = confirmed.json()["recovery_codes"]
        return phone


async def challenged(api: httpx.AsyncClient, path: str = LOGIN, **given: str) -> str:
    """Take the first step, and return what the second one needs."""
    reply = await api.post(path, json=BODY | given)
    assert (reply.status_code, reply.json()["error"]) == (401, "CodeNeeded"), reply.text
    return reply.json()["challenge"]


async def answered(api: httpx.AsyncClient, challenge: str, code: str, path: str = ANSWER) -> httpx.Response:
    return await api.post(path, json={"challenge": challenge, "code": code})


async def actions(app: FastAPI) -> list[str]:
    """What the audit log says, oldest first."""
    parts = app.state.runtime.accounts.parts
    async with parts.storage.read(parts.tenant) as snapshot:
        return [
            str(one.action) for one in reversed(await snapshot.audit.list_newest(AuditFilter(), limit=99))
        ]


@pytest.mark.both_databases
async def test_signing_in_takes_the_password_and_a_code(tmp_path: Path, database_url: str) -> None:
    """From the first code of the app on, until it is turned off with both; a wrong code leaves all as it is."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, database_url=database_url) as app, client_of(app) as api:
        await sign_up(api)
        async with signed_in(app, await log_in(api)) as ana:
            assert (await ana.get(TOTP)).json()["enabled"] is False
            wrong = await ana.post(TOTP, json={"password": "Wrong-1-wrong"})
            assert (wrong.status_code, wrong.json()["error"]) == (400, "WrongCredentials")
            early = await ana.post(f"{TOTP}/confirm", json={"code": "123456"})
            assert (early.status_code, early.json()["error"]) == (409, "Conflict")
            begun = (await ana.post(TOTP, json={"password": PASSWORD})).json()
            assert begun["url"].startswith("otpauth://totp/Sagacity:ana%40example.com?secret=")
            phone = Phone(begun["secret"], clock)
            assert (await ana.post(f"{TOTP}/confirm", json={"code": phone.wrong()})).status_code == 400
            await log_in(api)  # the app was not confirmed, so nothing is asked for
            confirmed = await ana.post(f"{TOTP}/confirm", json={"code": phone.code()})
            assert len(confirmed.json()["recovery_codes"]) == 10
            state = (await ana.get(TOTP)).json()
            assert (state["enabled"], state["recovery_codes_left"]) == (True, 10)
            for path, body in ((TOTP, {"password": PASSWORD}), (f"{TOTP}/confirm", {"code": phone.code()})):
                assert (await ana.post(path, json=body)).status_code == 409

            challenge = await challenged(api)
            used = await answered(api, challenge, phone.code())
            assert (used.status_code, used.json()["error"]) == (400, "WrongCredentials")
            clock.advance(STEP)
            assert (await answered(api, challenge, phone.wrong())).status_code == 400
            spaced = f"{phone.code()[:3]} {phone.code()[3:]}"
            tokens = (await answered(api, challenge, spaced)).json()
            assert tokens["user"]["email"] == EMAIL
            async with signed_in(app, tokens) as here:
                assert (await here.get("/api/auth/me")).status_code == 200
            refreshed = await api.post("/api/auth/refresh", json={"refresh_token": tokens["refresh_token"]})
            assert refreshed.status_code == 200
            clock.advance(STEP)
            again = await answered(api, challenge, phone.code())
            assert (again.status_code, again.json()["error"]) == (401, "Unauthorized")

            off = {"password": PASSWORD, "code": phone.wrong()}
            assert (await ana.post(f"{TOTP}/disable", json=off)).status_code == 400
            off = {"password": "Wrong-1-wrong", "code": phone.code()}
            assert (await ana.post(f"{TOTP}/disable", json=off)).status_code == 400
            off = {"password": PASSWORD, "code": phone.code()}
            assert (await ana.post(f"{TOTP}/disable", json=off)).status_code == 200
            assert (await ana.post(f"{TOTP}/disable", json=off)).status_code == 400
        await log_in(api)
        assert await actions(app) == ["account.signed_up", "member.added"] + [
            f"account.totp_{one}" for one in ("enabled", "disabled")
        ]


@pytest.mark.both_databases
async def test_a_code_and_a_challenge_are_good_once(tmp_path: Path, database_url: str) -> None:
    """Ten at once, through two servers over one database: one gets in, and no code of that time again."""
    clock, given = StoppedClock(), {"database_url": database_url}
    async with (
        serving(tmp_path, clock, **given) as first,
        serving(tmp_path, clock, **given) as second,
        client_of(first) as one,
        client_of(second) as two,
    ):
        await sign_up(one)
        phone = await with_phone(first, clock)
        challenges = [await challenged(one) for _ in range(4)]
        clock.advance(STEP)
        at_once = await asyncio.gather(
            *(answered(api, challenge, phone.code()) for challenge in challenges[:2] for api in (one, two))
        )
        assert sorted(reply.status_code for reply in at_once)[:2] in ([200, 400], [200, 401])
        assert (await answered(two, challenges[2], phone.code())).status_code == 400
        assert (await answered(two, challenges[2], phone.code(-1))).status_code == 400
        assert (await answered(two, challenges[2], phone.code(1))).status_code == 200
        recovery = phone.recovery[0]
        used = [await answered(api, challenges[3], recovery.upper()) for api in (one, two)]
        assert [reply.status_code for reply in used] == [200, 401]
        assert (await answered(two, await challenged(two), recovery)).status_code == 400


@pytest.mark.both_databases
async def test_codes_that_are_tried_have_to_wait(tmp_path: Path, database_url: str) -> None:
    """Longer each time, whichever challenge they come with, up to an hour; counting goes on for a day."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, database_url=database_url) as app, client_of(app) as api:
        await sign_up(api)
        phone = await with_phone(app, clock)
        challenges = [await challenged(api) for _ in range(3)]
        tries = await asyncio.gather(
            *(answered(api, challenge, phone.wrong()) for challenge in challenges for _ in range(3))
        )
        assert sorted(one.status_code for one in tries) == [400] * 5 + [429] * 4
        waits = []
        for _ in range(14):
            challenge = await challenged(api)
            refused = await answered(api, challenge, phone.code())
            assert refused.status_code == 429
            waits.append(int(refused.headers["Retry-After"]))
            clock.advance(waits[-1])
            assert (await answered(api, await challenged(api), phone.wrong())).status_code == 400
        assert waits == [2**one for one in range(12)] + [3_600] * 2
        clock.advance(3_600)
        assert (await answered(api, await challenged(api), phone.code())).status_code == 200
        assert (await answered(api, await challenged(api), phone.wrong())).status_code == 400


async def test_a_challenge_is_good_for_nothing_else_and_not_for_long(tmp_path: Path) -> None:
    """It is no token, ends with another password and after five minutes, and other tokens are no challenges."""
    clock = StoppedClock()
    async with serving(tmp_path, clock) as app, client_of(app) as api:
        await sign_up(api)
        await sign_up(api, "ben@example.com")
        here, ben = await log_in(api), await log_in(api, "ben@example.com")
        phone = await with_phone(app, clock)
        challenge = await challenged(api)
        async with client_of(app, token=challenge) as as_token:
            assert (await as_token.get("/api/auth/me")).status_code == 401
        as_refresh = await api.post("/api/auth/refresh", json={"refresh_token": challenge})
        assert as_refresh.status_code == 401
        for other in (here["access_token"], ben["refresh_token"], f"{challenge}x", "x", "é"):
            assert (await answered(api, other, phone.next_code())).status_code == 401
        late = await challenged(api)
        clock.advance(301)
        assert (await answered(api, late, phone.code())).status_code == 401
        challenge = await challenged(api)
        async with signed_in(app, ben) as theirs:
            of_ben = {"password": PASSWORD, "code": phone.next_code()}
            clock.advance(-301)
            assert (await theirs.post(f"{TOTP}/disable", json=of_ben)).status_code in {400, 401}
        clock.advance(301)
        refreshed = await api.post("/api/auth/refresh", json={"refresh_token": here["refresh_token"]})
        async with signed_in(app, refreshed.json()) as ana:
            new = {"current_password": PASSWORD, "new_password": "Three-Lions-5"}
            assert (await ana.post("/api/auth/password/update", json=new)).status_code == 200
        assert (await answered(api, challenge, phone.next_code())).status_code == 401
        changed = await challenged(api, password="Three-Lions-5")
        assert (await answered(api, changed, phone.next_code())).status_code == 200


@pytest.mark.parametrize(
    "code", ["", "12345", "1" * 41, "12345\ud800", "12345é", "------", None, 123456, ["123456"]]
)
async def test_what_is_no_code_is_refused_before_anything_is_done(tmp_path: Path, code: Any) -> None:
    """As a fault of the body, and no try is counted."""
    async with serving(tmp_path) as app, client_of(app) as api:
        for path in (ANSWER, "/api/auth/cookie/code"):
            sent = b'{"challenge": "x", "code": "12345\\ud800"}' if code == "12345\ud800" else None
            body = {"content": sent, "headers": {"Content-Type": "application/json"}} if sent else {}
            reply = await api.post(path, **(body or {"json": {"challenge": "x", "code": code}}))
            assert reply.status_code == 422, reply.text


async def test_the_password_alone_changes_nothing(tmp_path: Path) -> None:
    """Not even in which organisation the next session acts; the second step does, as the first one asked."""
    clock, team = StoppedClock(), Tenant(org_id=OrgId("team"))
    async with serving(tmp_path, clock) as app, client_of(app) as api:
        user_id = UserId(await sign_up(api))
        parts = app.state.runtime.accounts.parts
        async with parts.storage.begin(team) as transaction:
            await transaction.organisation.ensure()
            await transaction.members.put(user_id, Role.VIEWER, by="operator", target="user:x")
        phone = await with_phone(app, clock)

        async def chosen() -> str:
            async with parts.storage.read(parts.tenant) as snapshot:
                account = await snapshot.accounts.find(user_id)
            assert account is not None
            return account.chosen_org

        challenge = await challenged(api, organization="team")
        assert await chosen() == "self-host-org"
        tokens = (await answered(api, challenge, phone.next_code())).json()
        assert await chosen() == "team"
        async with signed_in(app, tokens) as ana:
            assert (await ana.get("/api/whoami")).json()["org_id"] == "team"


async def test_older_clients_and_browsers_take_the_same_second_step(tmp_path: Path) -> None:
    """`/token` and the cookie answer with a challenge, which either way of going on takes; a page of others may not."""
    clock = StoppedClock()
    given = {"public_url": HOME, "cookie_sessions": True}
    async with serving(tmp_path, clock, **given) as app, client_of(app, base_url=HOME) as api:
        await sign_up(api)
        phone = await with_phone(app, clock)
        older = await api.post("/token", json={"username": EMAIL, "password": PASSWORD})
        assert (older.status_code, older.json()["error"]) == (401, "CodeNeeded")
        tokens = await answered(api, older.json()["challenge"], phone.next_code())
        assert tokens.status_code == 200
        wrong = await api.post("/token", json={"username": EMAIL, "password": "Wrong-1-wrong"})
        assert "challenge" not in wrong.json()
        challenge = await challenged(api, "/api/auth/cookie")
        path = "/api/auth/cookie/code"
        body = {"challenge": challenge, "code": phone.next_code()}
        evil = await api.post(path, json=body, headers={"Origin": "https://evil.example"})
        assert (evil.status_code, "Set-Cookie" in evil.headers) == (403, False)
        began = await api.post(path, json=body, headers={"Origin": HOME})
        assert began.status_code == 200, began.text
        assert "HttpOnly" in began.headers["Set-Cookie"]
        clock.advance(86_400)  # as long as the cookie lasts, and not as long as the challenge did
        assert (await api.get("/api/auth/me")).json()["email"] == EMAIL


async def test_a_wrong_password_is_answered_alike_with_a_second_step_and_without(tmp_path: Path) -> None:
    """The same words, as many hashes, and nothing of the second step is looked up."""
    clock = StoppedClock()
    async with serving(tmp_path, clock) as app, client_of(app) as api:
        await sign_up(api)
        await sign_up(api, "ben@example.com")
        await with_phone(app, clock)
        passwords, answers = app.state.runtime.accounts.parts.passwords, []
        for email in (EMAIL, "ben@example.com", "nobody@example.com"):
            before = passwords.computed
            reply = await api.post(LOGIN, json={"email": email, "password": "Wrong-1-wrong"})
            said = {name: one for name, one in reply.json().items() if not name.endswith("_id")}
            answers.append((reply.status_code, said, passwords.computed - before))
        assert answers[0] == answers[1] == answers[2]
        assert answers[0][0] == 401


async def test_a_new_password_leaves_the_second_step_on(tmp_path: Path) -> None:
    """Who reads the owner's e-mails has a password, and no code; unless nobody ever showed whose the address is."""
    clock = StoppedClock()
    with mail_server() as (url, mailbox):
        async with (
            serving(tmp_path, clock, mail_url=url, verify_email=False) as app,
            client_of(app) as api,
        ):
            user_id = await sign_up(api)
            await with_phone(app, clock)
            for number, is_on in enumerate((False, True), 1):
                await api.post("/api/forgot-password", json={"email": EMAIL})
                await mailed(app, mailbox, number)
                new = {"code": mailbox.codes()[-1], "new_password": PASSWORD}
                assert (await api.post("/api/reset-password", json=new)).status_code == 200
                if is_on:
                    await challenged(api)
                else:  # whoever signed up may not have been the address's owner, who has it now
                    await log_in(api)
                    await with_phone(app, clock)
            log = await actions(app)
            assert [one for one in log if "totp" in one] == [
                f"account.totp_{one}" for one in ("enabled", "disabled", "enabled")
            ]
            assert user_id


@pytest.mark.both_databases
async def test_a_session_that_has_ended_meanwhile_turns_no_codes_on(
    tmp_path: Path, database_url: str
) -> None:
    """Or whoever had the former password would lock the owner out, with an app of their own."""
    clock = StoppedClock()
    async with serving(tmp_path, database_url=database_url, clock=clock) as app, client_of(app) as api:
        await sign_up(api)
        parts = app.state.runtime.accounts.parts
        owners_tokens, thiefs_tokens = await log_in(api), await log_in(api)
        owner = await principal_of(parts, owners_tokens["access_token"])
        thief = await principal_of(parts, thiefs_tokens["access_token"])  # the call has come in
        async with signed_in(app, thiefs_tokens) as browser:
            phone = Phone((await browser.post(TOTP, json={"password": PASSWORD})).json()["secret"], clock)
        await change_password(parts, owner, PASSWORD, "Three-Lions-5", address="o")
        with pytest.raises(Unauthorized, match="ended"):
            await confirm(parts, thief, phone.code(), address="t")
        await log_in(api, password="Three-Lions-5")


@pytest.mark.both_databases
async def test_recovery_codes_are_replaced_all_at_once(tmp_path: Path, database_url: str) -> None:
    """By the password and a code; a wrong one leaves them, and after it no former one is good."""
    clock, codes = StoppedClock(), f"{TOTP}/recovery_codes"
    async with serving(tmp_path, clock, database_url=database_url) as app, client_of(app) as api:
        await sign_up(api)
        phone = await with_phone(app, clock)
        tokens = (await answered(api, await challenged(api), phone.recovery[0])).json()
        async with signed_in(app, tokens) as ana:
            for password, code in (
                (PASSWORD, phone.wrong()),
                (PASSWORD, phone.recovery[0]),
                ("Wrong-1", phone.code()),
            ):
                refused = await ana.post(codes, json={"password": password, "code": code})
                assert (refused.status_code, refused.json()["error"]) == (400, "WrongCredentials")
            assert (await ana.get(TOTP)).json()["recovery_codes_left"] == 9
            reply = await ana.post(codes, json={"password": PASSWORD, "code": phone.next_code()})
            renewed = reply.json()["recovery_codes"]
            assert len(set(renewed) - set(phone.recovery)) == 10
            assert (await ana.get(TOTP)).json()["recovery_codes_left"] == 10
        assert (await actions(app))[-1] == "account.recovery_codes_renewed"
        challenge = await challenged(api)
        assert (await answered(api, challenge, phone.recovery[1])).status_code == 400
        assert (await answered(api, challenge, renewed[1])).status_code == 200


@pytest.mark.both_databases
async def test_secrets_are_sealed_and_go_with_the_account(tmp_path: Path, database_url: str) -> None:
    """Neither the secret nor a recovery code is stored; a row of one account is of no use to another."""
    clock = StoppedClock()
    async with serving(tmp_path, clock, database_url=database_url) as app, client_of(app) as api:
        user_id = await sign_up(api)
        other_id = await sign_up(api, "ben@example.com")
        phone = await with_phone(app, clock)
        await with_phone(app, clock, "ben@example.com")
        parts = app.state.runtime.accounts.parts
        async with parts.storage.begin(parts.tenant) as transaction:
            mine = await transaction.account_totp.find(user_id)
            theirs = await transaction.account_totp.find(other_id)
            assert mine is not None
            assert theirs is not None
            stored = f"{mine.sealed} {mine.recovery_hashes}"
            assert not [one for one in (phone.secret, *phone.recovery) if one in stored]
            await transaction.account_totp.seal_again(other_id, theirs.sealed, mine.sealed)
        swapped = await challenged(api, email="ben@example.com")
        assert (await answered(api, swapped, phone.next_code())).json()["error"] == "CodeUnavailable"
        tokens = (await answered(api, await challenged(api), phone.recovery[3])).json()
        log = await actions(app)
        assert log[-1] == "account.recovery_code_used"
        async with signed_in(app, tokens) as ana:
            assert (await ana.get(TOTP)).json()["recovery_codes_left"] == 9
            assert (
                await ana.request("DELETE", "/api/auth/account", json={"password": PASSWORD})
            ).status_code == 204
        async with parts.storage.read(parts.tenant) as snapshot:
            assert await snapshot.account_totp.find(user_id) is None
            assert await snapshot.account_totp.find(other_id) is not None
    if (file := parts.storage.backend.file) is not None:
        assert bytes_with(file, phone.secret, *phone.recovery) == []


async def test_another_key_encrypts_secrets_after_a_rotation(tmp_path: Path) -> None:
    """The former one is needed no more; a key that is lost is told, makes no new one, and recovery codes still work."""
    clock, key = StoppedClock(), tmp_path / "config.key"
    async with serving(tmp_path, clock) as app, client_of(app) as api:
        await sign_up(api)
        phone = await with_phone(app, clock)
        parts = app.state.runtime.accounts.parts
        add_key(key)
        for count in (1, 0):
            assert await seal_again(parts.storage, [parts.tenant], parts.open_ring) == (count, [])
        keep_first_key(key)
        assert (await answered(api, await challenged(api), phone.next_code())).status_code == 200
        done = await rotate_config_key(app.state.settings, is_new=True, drops_old=True)
        assert (done.apps, done.failed, len(key.read_text().split())) == (1, (), 1)
        assert (await answered(api, await challenged(api), phone.next_code())).status_code == 200
        key.unlink()
        [told] = (await seal_again_failed(parts)) or [""]
        assert "config.key" in told
        count, unreadable = await find_unreadable(parts.storage, [parts.tenant], parts.open_ring)
        assert (count, unreadable) == (0, told)
        refused = await answered(api, await challenged(api), phone.next_code())
        assert (refused.status_code, refused.json()["error"]) == (503, "CodeUnavailable")
        assert "recovery code" in refused.json()["message"]
        assert "SAGACITY_" not in refused.text  # whoever signs in is not told how the server keeps its keys
        ben = await sign_up(api, "ben@example.com")
        async with signed_in(app, await log_in(api, "ben@example.com")) as other:
            refused = await other.post(TOTP, json={"password": PASSWORD})
            assert (refused.status_code, refused.json()["error"]) == (503, "CodeUnavailable")
        assert ben
        assert not key.exists()
        assert (await answered(api, await challenged(api), phone.recovery[0])).status_code == 200


async def seal_again_failed(parts: Any) -> list[str]:
    _, failed = await seal_again(parts.storage, [parts.tenant], parts.open_ring)
    return failed


async def test_tokens_of_organisations_have_no_second_step(tmp_path: Path) -> None:
    """They are of no account, so every call of these is refused."""
    async with serving(tmp_path) as app, client_of(app, token=await make_token(app, "self-host-org")) as api:
        assert (await api.get(TOTP)).status_code == 403
        assert (await api.post(TOTP, json={"password": PASSWORD})).status_code == 403
        assert (await api.post(f"{TOTP}/confirm", json={"code": "123456"})).status_code == 403
        off = {"password": PASSWORD, "code": "123456"}
        assert (await api.post(f"{TOTP}/disable", json=off)).status_code == 403
