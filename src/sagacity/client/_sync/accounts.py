# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""People who sign in with an address and a password, where the server's settings let them."""

from collections.abc import Mapping

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.schemas.accounts import (
    AccountView,
    ChangePasswordBody,
    CodeBody,
    EmailBody,
    LoggedIn,
    LogInBody,
    MessageReply,
    RefreshBody,
    ResetPasswordBody,
    SessionTokens,
    SignedUp,
    SignInCodeBody,
    SignUpBody,
    VerifiedToken,
)
from sagacity.schemas.totp import (
    AnswerBody,
    BeginTotpBody,
    ConfirmTotpBody,
    DisableTotpBody,
    RecoveryCodes,
    RenewRecoveryCodesBody,
    TotpBegun,
    TotpState,
)


def log_out(connection: Connection) -> MessageReply:
    """End the session of the access token or cookie at once, with all its tokens."""
    return connection.send("POST", "/api/auth/logout", MessageReply)


def get_account(connection: Connection) -> AccountView:
    """Return the account of the access token."""
    return connection.get("/api/auth/me", AccountView)


def verify_token(connection: Connection) -> VerifiedToken:
    """Return whose access token it is; an invalid one gets 401."""
    return connection.send("POST", "/api/auth/verify", VerifiedToken, repeatable=True)


def change_password(connection: Connection, current_password: str, new_password: str) -> MessageReply:
    """
    Replace the current password; the account's other sessions end.

    Args:
        connection: to the server.
        current_password: the password to replace.
        new_password: 8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit.
    """
    body = checked(ChangePasswordBody, {"current_password": current_password, "new_password": new_password})
    return connection.send("POST", "/api/auth/password/update", MessageReply, body=body)


def sign_up(
    connection: Connection,
    email: str,
    password: str,
    *,
    full_name: str | None = None,
    metadata: Mapping[str, object] | None = None,
    invitation_code: str | None = None,
) -> SignedUp:
    """
    Create an account, if the server's settings let people sign up, or with the code of an invitation.

    The answer is the same for an address that has an account; its owner is told by e-mail.

    Args:
        connection: to the server.
        email: the address, in any case; only ASCII.
        password: 8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit.
        full_name: what the person is called.
        metadata: anything else to keep with the account.
        invitation_code: required if the server asks for it. The code of an invitation to the address is always
            accepted.
    """
    body = checked(
        SignUpBody,
        {
            "email": email,
            "password": password,
            "full_name": full_name,
            "metadata": metadata,
            "invitation_code": invitation_code,
        },
    )
    return connection.send("POST", "/api/auth/signup", SignedUp, body=body)


def log_in(connection: Connection, email: str, password: str, *, organization: str | None = None) -> LoggedIn:
    """
    Begin a session, by address and password, in one of the account's organisations.

    401 with the error `CodeNeeded` and a `challenge` means that the password is right and the account also asks
    for a code: send both to `POST /api/auth/login/code`.

    After five wrong passwords for an account each further try has to wait twice as long as the one before, up to
    five minutes; `Retry-After` says how long.

    Args:
        connection: to the server.
        email: the account's address.
        password: its password.
        organization: the organisation in which the session begins. Default: the one last chosen.
    """
    body = checked(LogInBody, {"email": email, "password": password, "organization": organization})
    return connection.send("POST", "/api/auth/login", LoggedIn, body=body)


def refresh_session(connection: Connection, refresh_token: str) -> SessionTokens:
    """
    Exchange a refresh token for the next access token and the next refresh token.

    A refresh token that is used twice must have been copied, so it ends the session with all its tokens.

    Args:
        connection: to the server.
        refresh_token: the newest refresh token of the session; each can be exchanged once.
    """
    body = checked(RefreshBody, {"refresh_token": refresh_token})
    return connection.send("POST", "/api/auth/refresh", SessionTokens, body=body)


def verify_email(connection: Connection, code: str) -> MessageReply:
    """
    Confirm an address with the code sent to it.

    Args:
        connection: to the server.
        code: the code in the e-mail, which can be used once.
    """
    body = checked(CodeBody, {"code": code})
    return connection.send("POST", "/api/verify-email", MessageReply, body=body)


def resend_verification(connection: Connection, email: str) -> MessageReply:
    """
    Send the code that confirms an address again; the answer is the same for an address without an account.

    Args:
        connection: to the server.
        email: the account's address.
    """
    body = checked(EmailBody, {"email": email})
    return connection.send("POST", "/api/resend-verification", MessageReply, body=body)


def request_password_reset(connection: Connection, email: str) -> MessageReply:
    """
    Send a code for a new password; the answer is the same for an address without an account.

    Args:
        connection: to the server.
        email: the account's address.
    """
    body = checked(EmailBody, {"email": email})
    return connection.send("POST", "/api/auth/password/reset", MessageReply, body=body)


def reset_password(connection: Connection, code: str, new_password: str) -> MessageReply:
    """
    Set a new password with the code sent by e-mail; every session of the account ends.

    Args:
        connection: to the server.
        code: the code in the e-mail, which can be used once.
        new_password: 8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit.
    """
    body = checked(ResetPasswordBody, {"code": code, "new_password": new_password})
    return connection.send("POST", "/api/reset-password", MessageReply, body=body)


def get_totp(connection: Connection) -> TotpState:
    """Return whether signing in to the account asks for a code of an authenticator app."""
    return connection.get("/api/auth/totp", TotpState)


def begin_totp(connection: Connection, password: str) -> TotpBegun:
    """
    Create a secret for an authenticator app; the password is required again.

    Signing in asks for no code until the app's first one was sent to `POST /api/auth/totp/confirm`. Calling this
    again creates another secret. 409 if signing in asks for codes already.

    Args:
        connection: to the server.
        password: the account's password.
    """
    body = checked(BeginTotpBody, {"password": password})
    return connection.send("POST", "/api/auth/totp", TotpBegun, body=body)


def confirm_totp(connection: Connection, code: str) -> RecoveryCodes:
    """
    Turn codes on with the app's first code; signing in asks for one from now on. Returns ten recovery codes.

    Args:
        connection: to the server.
        code: six digits.
    """
    body = checked(ConfirmTotpBody, {"code": code})
    return connection.send("POST", "/api/auth/totp/confirm", RecoveryCodes, body=body)


def renew_recovery_codes(connection: Connection, password: str, code: str) -> RecoveryCodes:
    """
    Replace all recovery codes by ten new ones; the password and a code are required again.

    Args:
        connection: to the server.
        password: the account's password.
        code: six digits of the authenticator app, or a recovery code.
    """
    body = checked(RenewRecoveryCodesBody, {"password": password, "code": code})
    return connection.send("POST", "/api/auth/totp/recovery_codes", RecoveryCodes, body=body)


def disable_totp(connection: Connection, password: str, code: str) -> MessageReply:
    """
    Turn codes off; the password and a code are required again.

    Args:
        connection: to the server.
        password: the account's password.
        code: six digits of the authenticator app, or a recovery code.
    """
    body = checked(DisableTotpBody, {"password": password, "code": code})
    return connection.send("POST", "/api/auth/totp/disable", MessageReply, body=body)


def log_in_with_code(connection: Connection, challenge: str, code: str) -> LoggedIn:
    """
    Begin a session with a code and the challenge from signing in with the password.

    The code comes from the account's authenticator app or is a recovery code; each works once. A wrong one gets
    400 and leaves the challenge valid. After five for an account, each further try must wait twice as long as the
    one before, up to an hour.

    Args:
        connection: to the server.
        challenge: the `challenge` from the first step, valid for five minutes and one correct code.
        code: six digits of the authenticator app, or a recovery code; each works once.
    """
    body = checked(AnswerBody, {"challenge": challenge, "code": code})
    return connection.send("POST", "/api/auth/login/code", LoggedIn, body=body)


def exchange_code(connection: Connection, code: str, *, code_verifier: str | None = None) -> SessionTokens:
    """
    Exchange the code of a sign-in at an OpenID Connect provider for the first tokens of its session.

    The code works once, within two minutes. A second exchange ends the session, with all its tokens. A page sends
    the verifier whose hash it began the sign-in with.

    Args:
        connection: to the server.
        code: the code, which can be used once within two minutes.
        code_verifier: the verifier with which the page began the sign-in; empty if a program did.
    """
    body = checked(SignInCodeBody, {"code": code, "code_verifier": code_verifier})
    return connection.send("POST", "/api/auth/oidc/token", SessionTokens, body=body)
