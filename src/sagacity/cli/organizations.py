"""`sagacity organizations`: those that your account is a member of, and going from one to another."""

from typing import Annotated

import typer

from sagacity.cli.accounts import shown_tokens
from sagacity.cli.invocation import connected
from sagacity.cli.output import facts, show, table

app = typer.Typer(no_args_is_help=True, help="The organisations that your account is a member of.")


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
