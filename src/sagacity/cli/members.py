"""`sagacity members`: who belongs to the organisation, and in which role. `add` opens the database itself."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli import options
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import said, show, table
from sagacity.cli.progress import working
from sagacity.domain.errors import InvalidInput
from sagacity.domain.role import Role

if TYPE_CHECKING:
    from sagacity.domain.member import Invitation, Member

app = typer.Typer(no_args_is_help=True, help="Members of the organisation, and their roles.")

DEFAULT_ORG = "self-host-org"
UserId = Annotated[str, typer.Argument(help="The member's account; see `list`.", metavar="USER_ID")]
RoleName = Annotated[str, typer.Argument(help="owner, admin, member or viewer.", metavar="ROLE")]


@app.command("list")
def list_members(context: typer.Context, *, limit: options.Limit = 100) -> None:
    """
    List members with their roles.

    Example: sagacity members list
    """
    with connected(context, "reading") as client:
        found = client.get_members(limit=limit)
    rows = [
        (one.email or "", one.full_name or "", one.role, f"{one.created_at:%Y-%m-%d}", one.user_id)
        for one in found.members
    ]
    show(context, found.members, table(("address", "+name", "role", "+#since", "#id"), rows, empty="nobody"))


@app.command()
def add(
    context: typer.Context,
    email: Annotated[str, typer.Argument(help="The account's address.", metavar="EMAIL")],
    *,
    role: Annotated[str, typer.Option("--role", help="owner, admin, member or viewer.")] = "member",
    org: options.OrgId = DEFAULT_ORG,
) -> None:
    """
    Add an account as a member, on the server's machine.

    This is how an organisation gets its first owner.

    An address without an account is invited; the server sends the e-mail. A member gets the role.

    Example: sagacity members add ana@example.com --role owner
    """
    found = asyncio.run(_add(email, role_of(role), org))
    is_invited = "invitation_id" in found.model_fields_set
    told = f"{email} was invited as {role}" if is_invited else f"{email} is {role} of {org}"
    show(context, {"email": email, "org_id": org, "role": role, "is_invited": is_invited}, said(told))


@app.command()
def role(context: typer.Context, user_id: UserId, role: RoleName) -> None:
    """
    Give a member another role, from the next call on.

    Example: sagacity members role 0199c2e4-… viewer
    """
    wanted = role_of(role)
    with connected(context, "changing") as client:
        reply = client.change_role(user_id, role=wanted)
    show(context, reply.member, said(f"the role is {reply.member.role}"))


@app.command()
def remove(context: typer.Context, user_id: UserId, *, yes: options.Yes = False) -> None:
    """
    Remove a member, from the next call on; the data stays. With your own id you leave.

    Example: sagacity members remove 0199c2e4-…
    """
    confirm(context, "Take the account out of the organisation?", yes=yes)
    with connected(context, "removing") as client:
        client.remove_member(user_id)
    show(context, {"user_id": user_id, "removed": True}, said("removed"))


def role_of(name: str) -> Role:
    """
    Return the role of a name.

    Raises:
        InvalidInput: there is none.
    """
    if name not in set(Role):
        raise InvalidInput(f"there is no role {name!r}, only {', '.join(Role)}")
    return Role(name)


@app.command("forget-app")
def forget_app(
    context: typer.Context,
    email: Annotated[str, typer.Argument(help="The account's address.", metavar="EMAIL")],
    *,
    yes: options.Yes = False,
) -> None:
    """
    Turn codes off for somebody who lost the authenticator app.

    Signing in then needs only the password, until another app is set up. This works on the database
    itself, on the server's machine. First make sure who asks.

    Example: sagacity members forget-app ana@example.com
    """
    confirm(context, f"Have {email} sign in with the password alone?", yes=yes)
    had_one = asyncio.run(_forget_app(email))
    show(
        context,
        {"forgotten": had_one},
        said("signing in asks for the password only" if had_one else "no code was asked for"),
    )


async def _forget_app(email: str) -> bool:
    from sagacity.accounts.open import open_accounts  # noqa: PLC0415  it loads the whole server
    from sagacity.accounts.totp import forget_app  # noqa: PLC0415  with it
    from sagacity.bootstrap import open_database  # noqa: PLC0415  with it
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  with it
    from sagacity.domain.ids import TimeOrderedIds  # noqa: PLC0415  with it

    settings = load_settings()
    with working("opening the database"):
        async with open_database(settings) as storage:
            accounts = open_accounts(settings, storage, clock=SystemClock(), ids=TimeOrderedIds())
            return await forget_app(accounts.parts, email)


async def _add(email: str, role: Role, org: str) -> "Member | Invitation":
    from sagacity.access.quotas import make_organisation  # noqa: PLC0415  it loads the whole server
    from sagacity.accounts.invitations import invite  # noqa: PLC0415  with it
    from sagacity.accounts.members import add_member  # noqa: PLC0415  with it
    from sagacity.accounts.open import open_accounts  # noqa: PLC0415  with it
    from sagacity.bootstrap import open_database  # noqa: PLC0415  with it
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.audit import OPERATOR  # noqa: PLC0415  with it
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  with it
    from sagacity.domain.ids import OrgId, TimeOrderedIds  # noqa: PLC0415  with it
    from sagacity.domain.principal import CallerKind, Principal  # noqa: PLC0415  with it
    from sagacity.domain.tenant import Tenant  # noqa: PLC0415  with it

    tenant = Tenant(org_id=OrgId(org))
    operator = Principal(tenant=tenant, kind=CallerKind.OPERATOR, audited_as=OPERATOR)
    settings = load_settings()
    with working("opening the database"):
        async with open_database(settings) as storage:
            parts = open_accounts(settings, storage, clock=SystemClock(), ids=TimeOrderedIds()).parts
            for one in (tenant, parts.tenant):
                async with storage.begin(one) as transaction:
                    await make_organisation(transaction, one, settings.default_quotas)
            known = await add_member(parts, operator, email, role)
            return known or await invite(parts, operator, email, role)
