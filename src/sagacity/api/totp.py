"""The second step of signing in: enable, use and disable codes of an authenticator app."""

from sagacity.accounts import totp
from sagacity.api.accounts import Address, Visits
from sagacity.api.dependencies import Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.auth.totp import as_typed
from sagacity.schemas.accounts import LoggedIn, MessageReply, account_view
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

router = resource("accounts")
public = resource("accounts")
"""Routes for callers without a token."""


@public.post("/auth/login/code")
@limited(Rate.WRITE)
async def log_in_with_code(body: AnswerBody, visitor: Visits) -> LoggedIn:
    """
    Begin a session with a code and the challenge from signing in with the password.

    The code comes from the account's authenticator app or is a recovery code; each works once. A wrong one gets 400 and
    leaves the challenge valid. After five for an account, each further try must wait twice as long as the one before,
    up to an hour.
    """
    account, tokens = await totp.log_in_with_code(
        visitor.parts, body.challenge, body.code, address=visitor.address
    )
    return LoggedIn(
        access_token=tokens.access_token,
        refresh_token=tokens.refresh_token,
        expires_in=tokens.expires_in,
        user=account_view(account),
    )


@router.get("/auth/totp")
async def get_totp(caller: Reads) -> TotpState:
    """Return whether signing in to the account asks for a code of an authenticator app."""
    state = await totp.state_of(caller.runtime.accounts.parts, caller.principal)
    return TotpState(
        enabled=state.since is not None,
        enabled_at=state.since,
        recovery_codes_left=state.recovery_codes_left,
    )


@router.post("/auth/totp")
@limited(Rate.RUN)
async def begin_totp(body: BeginTotpBody, caller: Reads, address: Address) -> TotpBegun:
    """
    Create a secret for an authenticator app; the password is required again.

    Signing in asks for no code until the app's first one was sent to `POST /api/auth/totp/confirm`. Calling this again
    creates another secret. 409 if signing in asks for codes already.
    """
    begun = await totp.begin(caller.runtime.accounts.parts, caller.principal, body.password, address=address)
    return TotpBegun(secret=as_typed(begun.secret), url=begun.url)


@router.post("/auth/totp/confirm")
@limited(Rate.RUN)
async def confirm_totp(body: ConfirmTotpBody, caller: Reads, address: Address) -> RecoveryCodes:
    """Turn codes on with the app's first code; signing in asks for one from now on. Returns ten recovery codes."""
    codes = await totp.confirm(caller.runtime.accounts.parts, caller.principal, body.code, address=address)
    return RecoveryCodes(recovery_codes=tuple(codes))


@router.post("/auth/totp/recovery_codes")
@limited(Rate.RUN)
async def renew_recovery_codes(
    body: RenewRecoveryCodesBody, caller: Reads, address: Address
) -> RecoveryCodes:
    """Replace all recovery codes by ten new ones; the password and a code are required again."""
    codes = await totp.renew_recovery_codes(
        caller.runtime.accounts.parts, caller.principal, body.password, body.code, address=address
    )
    return RecoveryCodes(recovery_codes=tuple(codes))


@router.post("/auth/totp/disable")
@limited(Rate.RUN)
async def disable_totp(body: DisableTotpBody, caller: Reads, address: Address) -> MessageReply:
    """Turn codes off; the password and a code are required again."""
    await totp.turn_off(
        caller.runtime.accounts.parts, caller.principal, body.password, body.code, address=address
    )
    return MessageReply(message="signing in asks for the password only")
