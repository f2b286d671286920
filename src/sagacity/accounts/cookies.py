"""Browser sessions: a cookie that scripts cannot read, and a CSRF token that other sites cannot know."""

import hmac
from datetime import datetime

from sagacity.accounts.organisations import where_to_act
from sagacity.accounts.parts import AccountParts
from sagacity.accounts.sign_in import account_of, authenticated, log_out, open_session, require_account
from sagacity.accounts.totp import answer
from sagacity.auth.account_tokens import SessionToken, TokenUse
from sagacity.domain.account import Account
from sagacity.domain.base import Value
from sagacity.domain.errors import Forbidden
from sagacity.domain.principal import Principal


class BrowserSession(Value):
    """A browser's session: the cookie, and the CSRF token that its page sends with calls that change something."""

    cookie: str
    csrf_token: str
    lasts_seconds: int


async def log_in_by_cookie(
    parts: AccountParts, email: str, password: str, *, address: str, organization: str | None = None
) -> tuple[Account, BrowserSession]:
    """
    Begin a browser's session with address and password; arguments and errors are those of `sign_in.log_in`.

    Raises:
        Unauthorized: address or password is wrong, or the address is not confirmed yet.
        CodeNeeded: they are right, and the account also needs a code.
        Forbidden: the account is not a member of the organisation, or of any.
        RateLimited: too many tries came before.
    """
    account, acts_in = await authenticated(parts, email, password, address=address, organization=organization)
    return account, await begin_browser_session(parts, account, organization=acts_in)


async def answer_by_cookie(
    parts: AccountParts, challenge: str, code: str, *, address: str
) -> tuple[Account, BrowserSession]:
    """
    Begin a browser's session with the code of the second step; arguments and errors are those of `totp.answer`.

    Raises:
        Unauthorized: the challenge is no longer valid.
        WrongCredentials: the code is wrong or used.
        RateLimited: too many tries came before.
    """
    account, said, expires_at = await answer(
        parts, challenge, code, address=address, lasts=parts.policy.cookie
    )
    return account, _browser_session(parts, said, expires_at)


async def begin_browser_session(
    parts: AccountParts, account: Account, *, organization: str | None = None, follows: str | None = None
) -> BrowserSession:
    """
    Begin a browser's session after its owner signed in, or in place of the session that it *follows*.

    Raises:
        Forbidden: the account is not a member of the organisation, or of any.
        Unauthorized: the session that it follows has ended.
    """
    org_id = await where_to_act(parts, account, organization)
    said, expires_at = await open_session(parts, account, org_id, lasts=parts.policy.cookie, follows=follows)
    return _browser_session(parts, said, expires_at)


def _browser_session(parts: AccountParts, said: SessionToken, expires_at: datetime) -> BrowserSession:
    return BrowserSession(
        cookie=parts.tokens.issue(TokenUse.COOKIE, said, expires_at=expires_at),
        csrf_token=_csrf_token(parts, said.session_id),
        lasts_seconds=int(parts.policy.cookie.total_seconds()),
    )


async def switch_by_cookie(parts: AccountParts, principal: Principal, organization: str) -> BrowserSession:
    """
    Begin a browser's session in another organisation of its account, and end the current one with its cookie.

    Raises:
        Forbidden: the caller did not sign in to an account, or the account is not a member there.
        Unauthorized: the current session has just ended.
    """
    account = await account_of(parts, principal)
    session = await begin_browser_session(
        parts, account, organization=organization, follows=principal.session_id
    )
    await log_out(parts, principal)
    return session


def csrf_token_of(parts: AccountParts, principal: Principal) -> str:
    """
    Return the CSRF token of the caller's session.

    Raises:
        Forbidden: the caller did not sign in to an account.
    """
    _, session_id = require_account(principal)
    return _csrf_token(parts, session_id)


def require_csrf_token(parts: AccountParts, principal: Principal, given: str) -> None:
    """
    Check the CSRF token of a call.

    Raises:
        Forbidden: the token is missing, or is another session's.
    """
    if not hmac.compare_digest(csrf_token_of(parts, principal).encode(), given.encode()):
        raise Forbidden(
            "a call by cookie that may change something needs the session's token in `X-CSRF-Token`"
        )


def _csrf_token(parts: AccountParts, session_id: str) -> str:
    return parts.tokens.digest(f"csrf {session_id}")
