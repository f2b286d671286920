"""`sagacity invitations`: list and send invitations, and accept one with the code of the e-mail."""

from typing import Annotated

import typer

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.members import role_of
from sagacity.cli.output import said, show, table

app = typer.Typer(no_args_is_help=True, help="Invitations to the organisation.")

InvitationId = Annotated[str, typer.Argument(help="The invitation; see `list`.", metavar="INVITATION_ID")]


@app.command("list")
def list_invitations(context: typer.Context, *, limit: options.Limit = 100) -> None:
    """
    List invitations that were not accepted yet.

    Example: sagacity invitations list
    """
    with connected(context, "reading") as client:
        found = client.get_invitations(limit=limit)
    rows = [(one.email, one.role, moment(one.expires_at), one.invitation_id) for one in found.invitations]
    show(context, found.invitations, table(("address", "role", "#until", "#id"), rows, empty="none"))


@app.command()
def create(
    context: typer.Context,
    email: Annotated[str, typer.Argument(help="Whom to invite.", metavar="EMAIL")],
    *,
    role: Annotated[str, typer.Option("--role", help="owner, admin, member or viewer.")] = "member",
) -> None:
    """
    Invite an address by e-mail.

    The e-mail carries a code that is good once, for seven days unless the server says otherwise.

    Example: sagacity invitations create ben@example.com --role viewer
    """
    wanted = role_of(role)
    with connected(context, "inviting") as client:
        reply = client.create_invitation(email, role=wanted)
    show(context, reply.invitation, said("an e-mail is on its way"))


@app.command()
def resend(context: typer.Context, invitation_id: InvitationId) -> None:
    """
    Send an invitation again with a new code.

    Example: sagacity invitations resend 0199c2e4-…
    """
    with connected(context, "inviting") as client:
        reply = client.resend_invitation(invitation_id)
    show(context, reply.invitation, said("an e-mail is on its way"))


@app.command()
def revoke(context: typer.Context, invitation_id: InvitationId) -> None:
    """
    Withdraw an invitation; its code becomes invalid.

    Example: sagacity invitations revoke 0199c2e4-…
    """
    with connected(context, "revoking") as client:
        client.revoke_invitation(invitation_id)
    show(context, {"invitation_id": invitation_id, "revoked": True}, said("revoked"))


@app.command()
def accept(
    context: typer.Context,
    code: Annotated[str, typer.Argument(help="The code in the e-mail.", metavar="CODE")],
) -> None:
    """
    Become a member of the organisation that invited your address.

    Example: sagacity invitations accept inv_tH0FisbAD7AV…
    """
    with connected(context, "accepting") as client:
        joined = client.accept_invitation(code)
    show(context, joined, said(f"you are {joined.role} of {joined.org_id}"))
