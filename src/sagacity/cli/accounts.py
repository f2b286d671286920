"""`sagacity account`: sign up, in and out of a server that has accounts."""

from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import facts, said, show
from sagacity.domain.errors import CodeNeeded, Unauthorized

if TYPE_CHECKING:
    from sagacity.schemas.accounts import MessageReply, SessionTokens, SwitchedSession

app = typer.Typer(no_args_is_help=True, help="Your account on a server that lets people sign up.")

Email = Annotated[str, typer.Argument(help="The account's address.", metavar="EMAIL")]
Password = Annotated[
    str,
    typer.Option("--password", prompt=True, hide_input=True, help="The password; asked for if not given."),
]
NewPassword = Annotated[
    str,
    typer.Option(
        "--new-password",
        prompt=True,
        hide_input=True,
        confirmation_prompt=True,
        help="The new password; asked for if not given.",
    ),
]
Code = Annotated[str, typer.Argument(help="The code in the e-mail.", metavar="CODE")]


@app.command()
def register(
    context: typer.Context,
    email: Email,
    *,
    password: Password,
    full_name: Annotated[str, typer.Option("--full-name", help="What you are called.")] = "",
    invitation_code: Annotated[
        str, typer.Option("--invitation-code", help="Of an invitation, or where the server asks for one.")
    ] = "",
) -> None:
    """
    Make an account.

    Example: sagacity account register ana@example.com
    """
    with connected(context, "signing up") as client:
        made = client.sign_up(email, password, full_name=full_name, invitation_code=invitation_code)
    show(context, made, said(made.message))


@app.command()
def verify(context: typer.Context, code: Code) -> None:
    """
    Confirm your address.

    Example: sagacity account verify tH0FisbAD7AV…
    """
    with connected(context, "confirming") as client:
        _tell(context, client.verify_email(code))


@app.command()
def resend(context: typer.Context, email: Email) -> None:
    """
    Send the code that confirms your address again.

    Example: sagacity account resend ana@example.com
    """
    with connected(context, "asking for an e-mail") as client:
        _tell(context, client.resend_verification(email))


@app.command()
def login(
    context: typer.Context,
    email: Annotated[
        str | None, typer.Argument(help="The account's address, unless there is a code.", metavar="EMAIL")
    ] = None,
    *,
    password: Annotated[
        str | None, typer.Option("--password", help="The password; asked for if not given.")
    ] = None,
    code: Annotated[
        str | None,
        typer.Option(
            "--code",
            help="Of your authenticator app, asked for if it is needed; without EMAIL, what a sign-in at the server's "
            "provider showed you.",
        ),
    ] = None,
    organization: Annotated[
        str | None, typer.Option("--organization", help="Where to act. Default: the one chosen last.")
    ] = None,
) -> None:
    """
    Sign in, and print the tokens. Nothing is kept on this machine.

    Where the server has an OpenID Connect provider, open /api/auth/oidc/start in a browser to get a code.

    Example: sagacity account login ana@example.com
    """
    if email is None and (code is None or password or organization):
        raise typer.BadParameter("give the account's address, or else a code by itself")
    if email is not None and password is None:
        password = typer.prompt("Password", hide_input=True)
    try:
        with connected(context, "signing in") as client:
            signed_in: SessionTokens = (
                client.exchange_code(code or "")
                if email is None
                else client.log_in(email, password or "", organization=organization)
            )
    except CodeNeeded as error:
        code = code or str(typer.prompt("Code of the authenticator app, or a recovery code", err=True))
        with connected(context, "signing in") as client:
            signed_in = client.log_in_with_code(error.challenge, code)
    except Unauthorized as error:
        error.advice = (
            "Open /api/auth/oidc/start in a browser again for a new code: one is good once, for two minutes."
            if email is None
            else "`sagacity account forgot` sends a code for a new password."
        )
        raise
    show(context, signed_in, facts(shown_tokens(signed_in)))


@app.command()
def refresh(
    context: typer.Context,
    refresh_token: Annotated[str, typer.Argument(help="The newest refresh token.", metavar="TOKEN")],
) -> None:
    """
    Exchange a refresh token for new tokens; it works once.

    Example: sagacity account refresh eyJhbGciOiJIUzI1NiJ9…
    """
    with connected(context, "refreshing") as client:
        tokens = client.refresh_session(refresh_token)
    show(context, tokens, facts(shown_tokens(tokens)))


@app.command()
def me(context: typer.Context) -> None:
    """
    Show the account that the token belongs to.

    Example: sagacity account me
    """
    with connected(context, "reading") as client:
        account = client.get_account()
    shown = {
        "user": account.id,
        "address": account.email,
        "name": account.full_name or "",
        "confirmed": "yes" if account.email_verified else "no",
        "made": moment(account.created_at),
    }
    show(context, account, facts(shown))


@app.command()
def logout(context: typer.Context) -> None:
    """
    End the session that the token belongs to.

    Example: sagacity account logout
    """
    with connected(context, "signing out") as client:
        _tell(context, client.log_out())


@app.command()
def totp(context: typer.Context) -> None:
    """
    Show whether signing in asks for a code.

    Example: sagacity account totp
    """
    with connected(context, "reading") as client:
        state = client.get_totp()
    shown = {
        "asks for a code": "yes" if state.enabled else "no",
        "recovery codes left": state.recovery_codes_left,
    }
    show(context, state, facts(shown))


@app.command("totp-begin")
def totp_begin(context: typer.Context, *, password: Password) -> None:
    """
    Make a secret for an authenticator app. Nothing changes until `totp-confirm`.

    Example: sagacity account totp-begin
    """
    with connected(context, "making a secret") as client:
        begun = client.begin_totp(password)
    show(context, begun, facts({"secret": begun.secret, "for a QR code": begun.url}))


@app.command("totp-confirm")
def totp_confirm(
    context: typer.Context,
    code: Annotated[str, typer.Argument(help="What the authenticator app shows.", metavar="CODE")],
) -> None:
    """
    Require a code when you sign in, and print recovery codes.

    Keep them apart from your phone. Each works once, in case the app is lost.

    Example: sagacity account totp-confirm 492039
    """
    with connected(context, "confirming") as client:
        codes = client.confirm_totp(code)
    show(context, codes, said("\n".join(codes.recovery_codes)))


_AskedCode = Annotated[
    str,
    typer.Option(
        "--code", prompt=True, help="Of the authenticator app, or a recovery code; asked for if not given."
    ),
]


@app.command("totp-renew")
def totp_renew(context: typer.Context, *, password: Password, code: _AskedCode) -> None:
    """
    Print new recovery codes. The former ones stop working.

    Example: sagacity account totp-renew
    """
    with connected(context, "making recovery codes") as client:
        codes = client.renew_recovery_codes(password, code)
    show(context, codes, said("\n".join(codes.recovery_codes)))


@app.command("totp-disable")
def totp_disable(context: typer.Context, *, password: Password, code: _AskedCode) -> None:
    """
    Stop requiring a code when you sign in.

    Example: sagacity account totp-disable
    """
    with connected(context, "disabling") as client:
        _tell(context, client.disable_totp(password, code))


@app.command()
def forgot(context: typer.Context, email: Email) -> None:
    """
    Request an e-mail with a code for a new password.

    Example: sagacity account forgot ana@example.com
    """
    with connected(context, "asking for an e-mail") as client:
        _tell(context, client.request_password_reset(email))


@app.command()
def reset(context: typer.Context, code: Code, *, new_password: NewPassword) -> None:
    """
    Set a new password with the code that was sent to you.

    Example: sagacity account reset tH0FisbAD7AV…
    """
    with connected(context, "setting the password") as client:
        _tell(context, client.reset_password(code, new_password))


@app.command()
def password(context: typer.Context, *, password: Password, new_password: NewPassword) -> None:
    """
    Set a new password in place of the current one.

    Example: sagacity account password
    """
    with connected(context, "setting the password") as client:
        _tell(context, client.change_password(password, new_password))


@app.command()
def delete(context: typer.Context, *, password: Password, yes: options.Yes = False) -> None:
    """
    Delete your account with all that is stored of you. It cannot be undone.

    Example: sagacity account delete
    """
    confirm(context, "Delete the account with all that is stored of you? It cannot be undone.", yes=yes)
    with connected(context, "deleting") as client:
        client.delete_account(password)
    show(context, {"deleted": True}, said("deleted; what is stored is being erased"))


def _tell(context: typer.Context, told: "MessageReply") -> None:
    show(context, told, said(told.message))


def shown_tokens(tokens: "SessionTokens | SwitchedSession") -> dict[str, object]:
    """Return the tokens of a session as they are printed."""
    return {
        "SAGACITY_API_KEY": tokens.access_token,
        "refresh token": tokens.refresh_token,
        "good for": f"{tokens.expires_in} seconds",
    }
