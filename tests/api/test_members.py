"""Members, roles and invitations over HTTP: who gets in, what a role allows, and when it ends."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pyotp
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from sagacity.accounts.invitations import invite, revoke, send_again
from sagacity.accounts.members import add_member, change_role, remove_member
from sagacity.accounts.sign_in import principal_of
from sagacity.domain.audit import OPERATOR
from sagacity.domain.errors import Forbidden
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.principal import CallerKind, Principal
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from sagacity.storage.schema.tables import organisations
from support.accounts import (
    PASSWORD,
    Mailbox,
    log_in,
    mail_server,
    mailed,
    serving,
    sign_up,
    signed_in,
)
from support.api import client_of, make_token, publish
from support.parts import StoppedClock
from support.waiting import until

HOME, TEAM, OTHER = "self-host-org", "team", "other"
THIEFS = "Thiefs-Word-1"
OLGA, ADA, MIA, VIC = (f"{name}@example.com" for name in ("olga", "ada", "mia", "vic"))


async def made_owner(app: FastAPI, email: str, org: str = TEAM) -> None:
    """What `sagacity members add EMAIL --role owner` does."""
    operator = Principal(tenant=Tenant(org_id=OrgId(org)), kind=CallerKind.OPERATOR, audited_as=OPERATOR)
    assert await add_member(app.state.runtime.accounts.parts, operator, email, Role.OWNER) is not None


async def told(api: httpx.AsyncClient, call: str, body: Any = None, *, status: int = 200) -> Any:
    """What a call answers, whose status is known."""
    method, path = call.split()
    reply = await api.request(method, f"/api/{path}", json=body)
    assert reply.status_code == status, (call, reply.text)
    return reply.json() if reply.content else None


async def invited(app: FastAPI, api: httpx.AsyncClient, mailbox: Mailbox, email: str, role: str) -> str:
    """Invite an address; returns the code of the e-mail."""
    before = len(mailbox.codes(email))
    await told(api, "POST invitations", {"email": email, "role": role})
    await mailed(app, mailbox, len(mailbox.letters) + 1)
    return mailbox.codes(email)[before]


async def roles(api: httpx.AsyncClient) -> dict[str, str]:
    return {one["email"]: one["role"] for one in (await told(api, "GET members"))["members"]}


@pytest.mark.both_databases
async def test_an_organisation_from_its_first_owner_on(tmp_path: Path, database_url: str) -> None:
    """An owner invites; who accepts acts by the role in the one organisation, until it is taken away."""
    with mail_server() as (url, mailbox):
        async with (
            serving(tmp_path, database_url=database_url, mail_url=url, verify_email=False) as app,
            client_of(app) as api,
        ):
            await make_token(app, TEAM)
            await sign_up(api, OLGA)
            await made_owner(app, OLGA)
            mia_id = await sign_up(api, MIA)
            olga = signed_in(app, await told(api, "POST auth/login", signs_in(OLGA, TEAM)))
            [home, team] = (await told(olga, "GET organizations"))["organizations"]
            assert [(one["org_id"], one["role"], one["is_current"]) for one in (home, team)] == [
                (HOME, "member", False),
                (TEAM, "owner", True),
            ]

            code = await invited(app, olga, mailbox, MIA, "member")
            at_home = signed_in(app, await log_in(api, MIA))
            await told(at_home, "GET members", status=403)
            joined = await told(at_home, "POST invitations/accept", {"code": code})
            assert (joined["org_id"], joined["role"]) == (TEAM, "member")
            await told(at_home, "POST invitations/accept", {"code": code}, status=400)
            await publish(at_home, "I live at home.", user_id=mia_id)
            tokens = await told(at_home, "POST organizations/switch", {"organization": TEAM})
            mia = signed_in(app, tokens)
            assert (await told(mia, "GET get_all_interactions"))["interactions"] == []
            await publish(mia, "I work in the team.", user_id=mia_id)
            await told(mia, "GET members", status=403)
            assert (await mia.post("/api/publish_interaction", json=said_for("ben"))).status_code == 403
            assert len((await told(at_home, "GET get_all_interactions"))["interactions"]) == 1

            code = await invited(app, olga, mailbox, VIC, "viewer")
            await sign_up(api, VIC, invitation_code=code)
            vic = signed_in(app, await log_in(api, VIC))  # a member of the team alone
            assert [one["org_id"] for one in (await told(vic, "GET organizations"))["organizations"]] == [
                TEAM
            ]
            assert len((await told(vic, "GET get_all_interactions"))["interactions"]) == 1
            assert (await vic.post("/api/publish_interaction", json=said_for("ben"))).status_code == 403
            await told(vic, "GET get_config", status=403)
            await told(vic, "DELETE members/" + mia_id, status=403)
            assert await roles(olga) == {OLGA: "owner", MIA: "member", VIC: "viewer"}

            await told(olga, f"PATCH members/{mia_id}", {"role": "admin"})
            assert (await roles(mia))[MIA] == "admin"  # with the token from before
            await told(mia, "GET get_config")
            await told(olga, f"DELETE members/{mia_id}")
            await told(mia, "GET get_all_interactions", status=401)
            await told(at_home, "GET get_all_interactions")
            await told(api, "POST auth/login", signs_in(MIA, TEAM), status=403)
            await told(vic, "POST auth/logout")
            log = (await told(olga, "GET audit"))["entries"]
            assert [(one["action"], one["details"].get("role")) for one in reversed(log)] == [
                ("token.created", None),
                ("member.added", "owner"),
                ("invitation.created", "member"),
                ("invitation.accepted", "member"),
                ("member.added", "member"),
                ("invitation.created", "viewer"),
                ("invitation.accepted", "viewer"),
                ("member.added", "viewer"),
                ("member.role_changed", "admin"),
                ("member.removed", None),
            ]
            assert not any(word in str(log) for word in (mia_id, "example.com"))


async def test_an_erased_account_leaves_nothing_in_any_organisation(tmp_path: Path) -> None:
    """Whoever asks for it: no role, no invitation to or by the address, no session; an owner without another stays."""
    with mail_server() as (url, mailbox):
        async with (
            serving(tmp_path, mail_url=url, verify_email=False) as app,
            client_of(app) as api,
            client_of(app, token=await make_token(app, HOME)) as home,
        ):
            for org in (TEAM, OTHER):
                await make_token(app, org)
            ids = {email: await sign_up(api, email) for email in (OLGA, MIA, VIC)}
            for org in (TEAM, OTHER):
                await made_owner(app, OLGA, org)
            olga, at_other = [
                signed_in(app, await told(api, "POST auth/login", signs_in(OLGA, org)))
                for org in (TEAM, OTHER)
            ]
            for email in (MIA, VIC):
                signs = signed_in(app, await log_in(api, email))
                code = await invited(app, olga, mailbox, email, "admin")
                await told(signs, "POST invitations/accept", {"code": code})
                acts = signed_in(app, await told(signs, "POST organizations/switch", {"organization": TEAM}))
                await told(acts, "POST invitations", {"email": f"friend-of-{email}", "role": "viewer"})
                await told(at_other, "POST invitations", {"email": email, "role": "viewer"})
            refused = await told(home, f"DELETE users/{ids[OLGA]}", status=409)
            assert "must make somebody else an owner first" in refused["message"]
            erased = await told(home, f"DELETE users/{ids[MIA]}?wait_for_response=true")
            assert erased["success"], erased
            await told(acts, "DELETE auth/account", {"password": PASSWORD}, status=204)
            await until(partial(ended, home, 2))
            assert await roles(olga) == {OLGA: "owner"}
            for of_org in (olga, at_other):
                assert (await told(of_org, "GET invitations"))["invitations"] == []
            await told(api, "POST auth/login", signs_in(MIA), status=401)
            log = [one["action"] for one in (await told(olga, "GET audit"))["entries"]]
            assert (log.count("member.removed"), log.count("invitation.revoked")) == (2, 2)


async def ended(api: httpx.AsyncClient, count: int) -> bool:
    """Whether so many erasures have ended."""
    found = (await told(api, "GET erasures"))["erasures"]
    return len([one for one in found if one.get("finished_at")]) == count


async def test_an_invitation_takes_an_account_that_nobody_confirmed_from_whoever_made_it(
    tmp_path: Path,
) -> None:
    """Its password, its sessions and its app are good no more; without the code of the e-mail, they never got in."""
    with mail_server() as (url, mailbox):
        async with serving(tmp_path, mail_url=url, verify_email=False) as app, client_of(app) as api:
            await make_token(app, TEAM)
            await sign_up(api, OLGA)
            await made_owner(app, OLGA)
            olga = signed_in(app, await told(api, "POST auth/login", signs_in(OLGA, TEAM)))
            mia_id = await sign_up(api, MIA, THIEFS)
            thief = signed_in(app, await log_in(api, MIA, THIEFS))
            code = await invited(app, olga, mailbox, MIA, "admin")
            await told(thief, "POST invitations/accept", {"code": f"{code[:-1]}?"}, status=400)
            await told(thief, "GET get_config", status=403)
            secret = (await told(thief, "POST auth/totp", {"password": THIEFS}))["secret"]
            await told(thief, "POST auth/totp/confirm", {"code": pyotp.TOTP(secret).now()})
            await sign_up(api, MIA, invitation_code=code)
            await told(thief, "GET auth/me", status=401)
            await told(api, "POST auth/login", signs_in(MIA) | {"password": THIEFS}, status=401)
            mia = signed_in(app, await told(api, "POST auth/login", signs_in(MIA, TEAM)))
            assert (await told(mia, "GET auth/me"))["id"] == mia_id
            assert await roles(mia) == {OLGA: "owner", MIA: "admin"}


async def test_invitations_expire_and_have_to_wait(tmp_path: Path) -> None:
    """After a week the code is nobody's; sent again, it is another. The fourth in a row has to wait, whoever asks."""
    clock = StoppedClock()
    with mail_server() as (url, mailbox):
        async with serving(tmp_path, clock, mail_url=url, verify_email=False) as app, client_of(app) as api:
            await make_token(app, TEAM)
            await sign_up(api, OLGA)
            await made_owner(app, OLGA)
            olga = signed_in(app, await told(api, "POST auth/login", signs_in(OLGA, TEAM)))
            old = await invited(app, olga, mailbox, MIA, "member")
            clock.advance(7 * 86_400 + 1)
            body = {"email": MIA, "password": PASSWORD, "invitation_code": old}
            await told(api, "POST auth/signup", body, status=400)
            await sign_up(api, MIA)
            mia = signed_in(app, await log_in(api, MIA))
            await told(mia, "POST invitations/accept", {"code": old}, status=400)

            olga = signed_in(app, await told(api, "POST auth/login", signs_in(OLGA, TEAM)))
            [waiting] = (await told(olga, "GET invitations"))["invitations"]
            await told(olga, f"POST invitations/{waiting['invitation_id']}/resend")
            await mailed(app, mailbox, len(mailbox.letters) + 1)
            await told(mia, "POST invitations/accept", {"code": old}, status=400)
            assert (await told(mia, "POST invitations/accept", {"code": mailbox.codes(MIA)[-1]}))[
                "org_id"
            ] == TEAM

            again = {"email": VIC, "role": "viewer"}
            for status in (200, 409, 409):
                await told(olga, "POST invitations", again, status=status)
            waits = await olga.post("/api/invitations", json=again)
            assert (waits.status_code, int(waits.headers["Retry-After"]) > 0) == (429, True)
            await told(olga, "POST invitations", {"email": ADA, "role": "viewer"})


@pytest.mark.both_databases
async def test_whoever_was_demoted_meanwhile_decides_nothing(tmp_path: Path, database_url: str) -> None:
    """A call that came in before is judged by the role that its caller has when it writes."""
    with mail_server() as (url, _):
        async with (
            serving(tmp_path, database_url=database_url, mail_url=url, verify_email=False) as app,
            client_of(app) as api,
        ):
            await make_token(app, TEAM)
            ids = {email: UserId(await sign_up(api, email)) for email in (OLGA, ADA, MIA)}
            for email in ids:
                await made_owner(app, email)
            parts = app.state.runtime.accounts.parts
            olga, ada = [
                await principal_of(
                    parts, (await told(api, "POST auth/login", signs_in(email, TEAM)))["access_token"]
                )
                for email in (OLGA, ADA)
            ]
            waiting = await invite(parts, olga, VIC, Role.MEMBER)

            async def refuses_ada() -> None:
                for attempt in (
                    change_role(parts, ada, ids[MIA], Role.ADMIN),
                    change_role(parts, ada, ids[ADA], Role.OWNER),
                    remove_member(parts, ada, ids[MIA]),
                    invite(parts, ada, "friend@example.com", Role.MEMBER),
                    send_again(parts, ada, waiting.invitation_id),
                    revoke(parts, ada, waiting.invitation_id),
                ):
                    with pytest.raises(Forbidden):
                        await attempt

            await change_role(parts, olga, ids[ADA], Role.MEMBER)
            await refuses_ada()
            await change_role(parts, olga, ids[ADA], Role.ADMIN)
            with pytest.raises(Forbidden, match="only an owner"):
                await change_role(parts, ada, ids[ADA], Role.OWNER)
            await remove_member(parts, olga, ids[ADA])
            await refuses_ada()
            client = client_of(app, token=await make_token(app, TEAM))
            assert await roles(client) == {OLGA: "owner", MIA: "owner"}
            assert [one["email"] for one in (await told(client, "GET invitations"))["invitations"]] == [VIC]


async def test_the_last_owner_stays_and_an_account_leaves_every_organisation(tmp_path: Path) -> None:
    """409 for whatever would leave nobody who may decide; once somebody else may, the account goes from both."""
    with mail_server() as (url, mailbox):
        async with serving(tmp_path, mail_url=url, verify_email=False) as app, client_of(app) as api:
            await make_token(app, TEAM)
            olga_id = await sign_up(api, OLGA)
            await made_owner(app, OLGA)
            olga = signed_in(app, await told(api, "POST auth/login", signs_in(OLGA, TEAM)))
            at_home = signed_in(app, await told(api, "POST auth/login", signs_in(OLGA, HOME)))
            await told(olga, f"PATCH members/{olga_id}", {"role": "admin"}, status=409)
            await told(olga, f"DELETE members/{olga_id}", status=409)
            for client in (olga, at_home):
                await told(client, "DELETE auth/account", {"password": PASSWORD}, status=409)
            assert await roles(olga) == {OLGA: "owner"}

            code = await invited(app, olga, mailbox, MIA, "owner")
            await sign_up(api, MIA, invitation_code=code)
            mia = signed_in(app, await log_in(api, MIA))
            await told(at_home, "DELETE auth/account", {"password": THIEFS}, status=400)
            assert await roles(mia) == {OLGA: "owner", MIA: "owner"}
            assert (
                await at_home.request("DELETE", "/api/auth/account", json={"password": PASSWORD})
            ).is_success
            for client in (olga, at_home):
                await told(client, "GET auth/me", status=401)
            for organization in (TEAM, HOME, None):
                await told(api, "POST auth/login", signs_in(OLGA, organization), status=401)
            assert await roles(mia) == {MIA: "owner"}
            mia_id = (await told(mia, "GET auth/me"))["id"]
            await told(mia, f"DELETE members/{mia_id}", status=409)


def signs_in(email: str, organization: str | None = None) -> dict[str, Any]:
    return {"email": email, "password": PASSWORD, "organization": organization}


def said_for(user_id: str) -> dict[str, Any]:
    return {"user_id": user_id, "interaction_data_list": [{"content": "x"}]}


@pytest.mark.both_databases
async def test_an_organisation_that_is_not_active_lets_nobody_in(tmp_path: Path, database_url: str) -> None:
    """By no session, token, code or invitation, old or new; once it is active again, all go on where they were."""
    clock = StoppedClock()
    with mail_server() as (url, mailbox):
        given = {"database_url": database_url, "mail_url": url, "verify_email": False}
        async with serving(tmp_path, clock, **given) as app, client_of(app) as api:
            of_team = await make_token(app, TEAM)
            await sign_up(api, OLGA)
            await sign_up(api, MIA)
            await made_owner(app, OLGA)
            tokens = await told(api, "POST auth/login", signs_in(OLGA, TEAM))
            olga, mia = signed_in(app, tokens), signed_in(app, await log_in(api, MIA))
            codes = [await invited(app, olga, mailbox, email, "viewer") for email in (MIA, VIC)]
            begun = await told(olga, "POST auth/totp", {"password": PASSWORD})
            await told(olga, "POST auth/totp/confirm", {"code": pyotp.TOTP(begun["secret"]).at(clock.now())})
            challenge = (await told(api, "POST auth/login", signs_in(OLGA, TEAM), status=401))["challenge"]
            await _set_status(app, TEAM, "closed")

            await told(olga, "GET whoami", status=401)
            await told(olga, "POST invitations", {"email": ADA, "role": "viewer"}, status=401)
            await told(client_of(app, token=of_team), "GET whoami", status=401)
            await told(api, "POST auth/login", signs_in(OLGA, TEAM), status=403)
            at_home = signed_in(
                app, await told(api, "POST auth/refresh", {"refresh_token": tokens["refresh_token"]})
            )
            await told(at_home, "GET whoami", status=401)
            clock.advance(30)
            answer = {"challenge": challenge, "code": pyotp.TOTP(begun["secret"]).at(clock.now())}
            late = signed_in(app, await told(api, "POST auth/login/code", answer))
            await told(late, "GET whoami", status=401)
            await told(mia, "POST organizations/switch", {"organization": TEAM}, status=403)
            assert [one["org_id"] for one in (await told(mia, "GET organizations"))["organizations"]] == [
                HOME
            ]
            await told(mia, "POST invitations/accept", {"code": codes[0]}, status=400)
            new = {"email": VIC, "password": PASSWORD, "invitation_code": codes[1]}
            await told(api, "POST auth/signup", new, status=400)
            sent = len(mailbox.letters)
            async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(TEAM))) as transaction:
                [first, *_] = await transaction.invitations.list_page(limit=9)
                later = clock.now() + timedelta(days=7)
                await transaction.invitations.send_again(first.invitation_id, expires_at=later, by="operator")
            await app.state.runtime.accounts.mails.send_due()
            assert len(mailbox.letters) == sent

            await _set_status(app, TEAM, "active")
            await told(at_home, "GET whoami")
            await told(client_of(app, token=of_team), "GET whoami")
            await mailed(app, mailbox, sent + 1)
            await told(mia, "POST invitations/accept", {"code": mailbox.codes(MIA)[-1]})
            await told(api, "POST auth/signup", new, status=201)
            assert await roles(late) == {OLGA: "owner", MIA: "viewer", VIC: "viewer"}


async def _set_status(app: FastAPI, org: str, status: str) -> None:
    """What an operator does in the database itself: there is no command for it."""
    async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(org))) as transaction:
        changed = sa.update(organisations).where(organisations.c.org_id == org).values(status=status)
        await transaction.organisation._scope.run(changed)
