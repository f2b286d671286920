"""Accounts: signing up, in and out, addresses confirmed, passwords, deletion."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response

from sagacity.accounts import change, sign_in
from sagacity.accounts import sign_up as signing_up
from sagacity.accounts.parts import AccountParts
from sagacity.api import cookies
from sagacity.api.dependencies import Reads, RuntimeDep, address_of
from sagacity.api.errors import not_json
from sagacity.api.middleware.body import FAULT
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.schemas.accounts import (
    AccountToken,
    AccountView,
    ChangePasswordBody,
    CodeBody,
    DeleteAccountBody,
    EmailBody,
    LoggedIn,
    LogInBody,
    MessageReply,
    RefreshBody,
    ResetPasswordBody,
    SessionTokens,
    SignedUp,
    SignUpBody,
    TokenBody,
    VerifiedToken,
    account_view,
)

router = resource("accounts")
public = resource("accounts")
"""Routes for callers without a token."""
root = resource("accounts", prefix="")
"""The same routes at the paths of older clients."""

_ON_ITS_WAY = "if the address has an account, an e-mail with a code is on its way"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A caller who is not identified yet."""

    parts: AccountParts
    address: str


async def _visitor(http_request: Request, runtime: RuntimeDep) -> Visitor:
    """
    Return the network address of a call.

    Raises:
        RequestValidationError: the body is not JSON.
    """
    fault: str | None = getattr(http_request.state, FAULT, None)
    if fault is not None:
        raise not_json(fault)
    return Visitor(runtime.accounts.parts, address_of(http_request))


async def _origin(http_request: Request) -> str:
    """Return the network address of a call."""
    return address_of(http_request)


Visits = Annotated[Visitor, Depends(_visitor)]
Address = Annotated[str, Depends(_origin)]


@public.post("/register", name="register", status_code=201, openapi_extra=sdk(generated=False))
@public.post("/auth/signup", status_code=201)
@limited(Rate.WRITE)
async def sign_up(body: SignUpBody, visitor: Visits) -> SignedUp:
    """
    Create an account, if the server's settings let people sign up, or with the code of an invitation.

    The answer is the same for an address that has an account; its owner is told by e-mail.
    """
    account = await signing_up.sign_up(
        visitor.parts,
        body.email,
        body.password,
        address=visitor.address,
        full_name=body.full_name,
        metadata=body.metadata,
        invitation_code=body.invitation_code,
    )
    verifies = visitor.parts.policy.verifies_email and account.verified_at is None
    return SignedUp(
        message="confirm the address with the code that was sent to it" if verifies else "sign in",
        user_id=account.user_id,
        email=account.email,
        requires_verification=verifies,
    )


@public.post("/auth/login")
@limited(Rate.WRITE)
async def log_in(body: LogInBody, visitor: Visits) -> LoggedIn:
    """
    Begin a session, by address and password, in one of the account's organisations.

    401 with the error `CodeNeeded` and a `challenge` means that the password is right and the account also asks for a
    code: send both to `POST /api/auth/login/code`.

    After five wrong passwords for an account each further try has to wait twice as long as the one before, up to five
    minutes; `Retry-After` says how long.
    """
    account, tokens = await sign_in.log_in(
        visitor.parts,
        body.email,
        body.password,
        address=visitor.address,
        organization=body.organization,
    )
    return LoggedIn(
        access_token=tokens.access_token,
        refresh_token=tokens.refresh_token,
        expires_in=tokens.expires_in,
        user=account_view(account),
    )


@root.post("/token", name="get_token", openapi_extra=sdk(generated=False))
@limited(Rate.WRITE)
async def token(body: TokenBody, visitor: Visits) -> AccountToken:
    """Begin a session as older clients do, who keep an access token as their API token until it expires."""
    _, tokens = await sign_in.log_in(visitor.parts, body.username, body.password, address=visitor.address)
    return AccountToken(
        api_key=tokens.access_token, access_token=tokens.access_token, expires_in=tokens.expires_in
    )


@public.post("/auth/refresh")
@limited(Rate.WRITE)
async def refresh_session(body: RefreshBody, visitor: Visits) -> SessionTokens:
    """
    Exchange a refresh token for the next access token and the next refresh token.

    A refresh token that is used twice must have been copied, so it ends the session with all its tokens.
    """
    tokens = await sign_in.refresh(visitor.parts, body.refresh_token)
    return SessionTokens(
        access_token=tokens.access_token, refresh_token=tokens.refresh_token, expires_in=tokens.expires_in
    )


@public.post("/verify-email")
@limited(Rate.WRITE)
async def verify_email(body: CodeBody, visitor: Visits) -> MessageReply:
    """Confirm an address with the code sent to it."""
    await signing_up.verify_email(visitor.parts, body.code)
    return MessageReply(message="the address is confirmed; sign in")


@public.post("/resend-verification")
@limited(Rate.RUN)
async def resend_verification(body: EmailBody, visitor: Visits) -> MessageReply:
    """Send the code that confirms an address again; the answer is the same for an address without an account."""
    await signing_up.resend_verification(visitor.parts, body.email, address=visitor.address)
    return MessageReply(message=_ON_ITS_WAY)


@public.post("/forgot-password", name="forgot_password", openapi_extra=sdk(generated=False))
@public.post("/auth/password/reset")
@limited(Rate.RUN)
async def request_password_reset(body: EmailBody, visitor: Visits) -> MessageReply:
    """Send a code for a new password; the answer is the same for an address without an account."""
    await change.forgot_password(visitor.parts, body.email, address=visitor.address)
    return MessageReply(message=_ON_ITS_WAY)


@public.post("/reset-password")
@limited(Rate.RUN)
async def reset_password(body: ResetPasswordBody, visitor: Visits) -> MessageReply:
    """Set a new password with the code sent by e-mail; every session of the account ends."""
    await change.reset_password(visitor.parts, body.code, body.new_password)
    return MessageReply(message="the password is set; sign in")


@router.post("/auth/logout")
async def log_out(caller: Reads, reply: Response) -> MessageReply:
    """End the session of the access token or cookie at once, with all its tokens."""
    await sign_in.log_out(caller.runtime.accounts.parts, caller.principal)
    if caller.runtime.settings.cookie_sessions:
        cookies.forget(reply, caller.runtime.settings, cookies.SESSION)
    return MessageReply(message="signed out")


@router.get("/auth/me")
async def get_account(caller: Reads) -> AccountView:
    """Return the account of the access token."""
    return account_view(await sign_in.account_of(caller.runtime.accounts.parts, caller.principal))


@router.post("/auth/verify", openapi_extra=sdk(repeatable=True))
async def verify_token(caller: Reads) -> VerifiedToken:
    """Return whose access token it is; an invalid one gets 401."""
    account = await sign_in.account_of(caller.runtime.accounts.parts, caller.principal)
    return VerifiedToken(user_id=account.user_id, email=account.email)


@router.post("/auth/password/update")
@limited(Rate.RUN)
async def change_password(body: ChangePasswordBody, caller: Reads, address: Address) -> MessageReply:
    """Replace the current password; the account's other sessions end."""
    await change.change_password(
        caller.runtime.accounts.parts,
        caller.principal,
        body.current_password,
        body.new_password,
        address=address,
    )
    return MessageReply(message="the password is changed")


@router.delete("/account", name="delete_own_account", status_code=204, openapi_extra=sdk(generated=False))
@router.delete("/auth/account", status_code=204, openapi_extra=sdk(generated=False))
@limited(Rate.RUN)
async def delete_account(body: DeleteAccountBody, caller: Reads, address: Address) -> Response:
    """
    Delete the account for good, and erase all that is stored of its user.

    The password is required again. All sessions end at once; the erasure continues in the background until nothing is
    left, and writes a report for the operator. The last owner of an organisation gets 409.
    """
    await change.delete_account(
        caller.runtime.accounts.parts,
        caller.principal,
        body.password,
        address=address,
        erasing=caller.runtime.parts,
    )
    return Response(status_code=204)
