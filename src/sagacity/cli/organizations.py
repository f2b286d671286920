"""`sagacity organizations`: the organisations that your account is a member of, switching, and quotas."""

from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.accounts import shown_tokens
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, facts, show, table
from sagacity.domain.errors import InvalidInput
from sagacity.domain.quota import QuotaName
from sagacity.domain.suggest import no_such

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sagacity.schemas.quotas import QuotaView

app = typer.Typer(no_args_is_help=True, help="Organisations of your account, and quotas.")


@app.command("list")
def list_organizations(context: typer.Context) -> None:
    """
    List your organisations, and in which one the token works.

    Example: sagacity organizations list
    """
    with connected(context, "reading") as client:
        found = client.get_organizations().organizations
    rows = [(one.org_id, one.name, one.role, "yes" if one.is_current else "") for one in found]
    show(context, found, table(("organisation", "+name", "role", "current"), rows, empty="none"))


@app.command()
def switch(
    context: typer.Context,
    organization: Annotated[str, typer.Argument(help="Where to go on; see `list`.", metavar="ORGANIZATION")],
) -> None:
    """
    Begin a session in another organisation, and print its tokens.

    The session so far goes on.

    Example: sagacity organizations switch acme
    """
    with connected(context, "switching") as client:
        tokens = client.switch_organization(organization)
    show(context, tokens, facts(shown_tokens(tokens)))


@app.command()
def quota(
    context: typer.Context,
    organization: Annotated[
        str | None, typer.Argument(help="The organisation; only the operator may name another.", metavar="ID")
    ] = None,
) -> None:
    """
    Show the limits of an organisation, and how much is used.

    Example: sagacity organizations quota

    Example: sagacity organizations quota acme
    """
    with connected(context, "reading") as client:
        found = client.get_quotas() if organization is None else client.get_quotas_of(organization)
    show(context, found.quotas, _shown(found.quotas))


@app.command()
def set_quota(
    context: typer.Context,
    organization: Annotated[str, typer.Argument(help="The organisation.", metavar="ID")],
    limits: Annotated[
        list[str],
        typer.Argument(help="`members=10`, or `members=none` for no limit.", metavar="NAME=LIMIT..."),
    ],
) -> None:
    """
    Set what an organisation may have at most. Only the operator may.

    Example: sagacity organizations set-quota acme members=10 memories=none
    """
    wanted = dict(map(_limit, limits))
    with connected(context, "writing") as client:
        found = client.set_quotas(organization, wanted)
    show(context, found.quotas, _shown(found.quotas))


def _shown(quotas: "Sequence[QuotaView]") -> Render:
    rows = [(one.name, "none" if one.limit is None else one.limit, one.used) for one in quotas]
    return table(("quota", "#limit", "#used"), rows, empty="none")


def _limit(text: str) -> "tuple[str, int | None]":
    """
    Read a limit as it is given.

    Raises:
        InvalidInput: it is none.
    """
    name, _, most = text.partition("=")
    if name not in set(QuotaName):
        raise InvalidInput(no_such("quota", name, [str(one) for one in QuotaName]))
    if most == "none":
        return name, None
    if not (most.isascii() and most.isdecimal()):
        raise InvalidInput(f"{name}: a limit is a number, or none")
    return name, int(most)
