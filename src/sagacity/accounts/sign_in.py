"""Sign in, renew a session, and sign out."""

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from sagacity.accounts.organisations import where_to_act
from sagacity.accounts.parts import AccountParts
from sagacity.accounts.throttle import count_try, forgive, password_tries
from sagacity.auth.account_tokens import SessionToken, TokenUse
from sagacity.auth.tokens import hash_token
from sagacity.domain.account import LONGEST_PASSWORD, Account, AccountSession, normal_email
from sagacity.domain.errors import (
    CodeNeeded,
    Forbidden,
    InvalidInput,
    NotFound,
    Unauthorized,
    WrongCredentials,
)
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.member import ACCESS_OF
from sagacity.domain.principal import CallerKind, Principal
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Transaction

WRONG = "the address or the password is wrong"
NOT_CURRENT = "the current password is wrong"
ENDED = "the session has ended; sign in again"
CHALLENGE_GOOD_FOR = timedelta(minutes=5)
"""How long a person may take to type a code of an authenticator app."""


class SignedIn(NamedTuple):
    """The tokens of a session."""

    access_token: str
    refresh_token: str
    expires_in: int
    """Seconds for which the access token is valid."""


async def log_in(
    parts: AccountParts, email: str, password: str, *, address: str, organization: str | None = None
) -> tuple[Account, SignedIn]:
    """
    Begin a session, by address and password.

    It takes as long whether the address has an account or not, and the answer does not say.

    Args:
        parts: the parts of accounts.
        email: the address.
        password: the password.
        address: the network address of the call.
        organization: of the session; None for the one last chosen.

    Raises:
        Unauthorized: address or password is wrong, or the address is not confirmed yet.
        CodeNeeded: they are right, and the account also needs a code; see `totp.answer`.
        Forbidden: the account is not a member of the organisation, or of any.
        RateLimited: too many tries came before.
    """
    account, acts_in = await authenticated(parts, email, password, address=address, organization=organization)
    return account, await _begin(parts, account, acts_in)


async def authenticated(
    parts: AccountParts, email: str, password: str, *, address: str, organization: str | None
) -> tuple[Account, OrgId]:
    """
    Return the account of an address and password, and the organisation of its session.

    Raises:
        Unauthorized: address or password is wrong, or the address is not confirmed yet.
        CodeNeeded: they are right, and the account also needs a code.
        Forbidden: the account is not a member of the organisation, or of any.
        RateLimited: too many tries came before.
    """
    account = await _known_by_password(parts, email, password, address=address)
    acts_in = await where_to_act(parts, account, organization)
    async with parts.storage.read(parts.tenant) as snapshot:
        totp = await snapshot.account_totp.find(account.user_id)
    if totp is not None and totp.confirmed_at is not None:
        said, expires_at = await open_session(
            parts, account, acts_in, lasts=CHALLENGE_GOOD_FOR, is_chosen=False
        )
        raise CodeNeeded(
            "the account also needs a code of its authenticator app: send it with the challenge",
            challenge=parts.tokens.issue(TokenUse.CHALLENGE, said, expires_at=expires_at),
        )
    return account, acts_in


async def _known_by_password(parts: AccountParts, email: str, password: str, *, address: str) -> Account:
    try:
        email = normal_email(email)
    except InvalidInput as error:
        raise Unauthorized(WRONG) from error
    account = await check_password(parts, email, password, address=address)
    if account is None:
        raise Unauthorized(WRONG)
    if parts.policy.verifies_email and account.verified_at is None:
        raise Unauthorized("confirm the address first, with the code that was sent to it")
    if parts.passwords.is_outdated(account.password_hash):
        renewed = await parts.passwords.hash(password)
        former = account.password_hash
        async with parts.storage.begin(parts.tenant) as transaction:
            if not await transaction.accounts.set_password(account.user_id, renewed, former=former):
                raise Unauthorized(WRONG)  # or this would bring back a password that was replaced meanwhile
        account = account.model_copy(update={"password_hash": renewed})
    return account


async def switch(parts: AccountParts, principal: Principal, organization: str) -> SignedIn:
    """
    Begin a session of the caller's account in another organisation; the current one stays where it is.

    Raises:
        Forbidden: the caller did not sign in to an account, or the account is not a member there.
        Unauthorized: the current session has just ended.
    """
    account = await account_of(parts, principal)
    acts_in = await where_to_act(parts, account, organization)
    return await _begin(parts, account, acts_in, follows=principal.session_id)


async def check_password(parts: AccountParts, email: str, password: str, *, address: str) -> Account | None:
    """
    Return the account of an address if the password is right; takes the same time if there is none.

    Raises:
        RateLimited: too many tries came before.
    """
    tries = password_tries(email, address)
    await count_try(parts, tries)
    async with parts.storage.read(parts.tenant) as snapshot:
        account = await snapshot.accounts.find_by_email(email)
    known_hash = None if account is None or len(password) > LONGEST_PASSWORD else account.password_hash
    if not await parts.passwords.is_right(password[:LONGEST_PASSWORD], known_hash):
        return None
    await forgive(parts, tries)
    return account


async def password_asked_again(
    parts: AccountParts, principal: Principal, password: str, *, address: str
) -> Account:
    """
    Return the caller's account, after checking the password again.

    Raises:
        WrongCredentials: it is wrong.
        Forbidden: the caller did not sign in to an account.
        RateLimited: too many tries came before.
    """
    account = await account_of(parts, principal)
    if await check_password(parts, account.email, password, address=address) is None:
        raise WrongCredentials(NOT_CURRENT)
    return account


async def refresh(parts: AccountParts, refresh_token: str, *, use: TokenUse = TokenUse.REFRESH) -> SignedIn:
    """
    Exchange a refresh token for new tokens, or a code for the first ones.

    A token that is used twice must have been copied, so its session ends, whoever has the newest one.

    Raises:
        Unauthorized: the token is not valid, was used, or its session has ended.
    """
    said = await parts.tokens.read(use, refresh_token)
    token_id, expires_at = new_token_id(), parts.clock.now() + parts.policy.refresh
    async with parts.storage.begin(parts.tenant) as transaction:
        is_newest = await transaction.account_sessions.rotate(
            said.session_id, used=hash_token(said.token_id), new=hash_token(token_id), expires_at=expires_at
        )
        if not is_newest:
            await transaction.account_sessions.end(said.session_id)
    if not is_newest:  # after the commit, which an error would take back
        raise Unauthorized(ENDED)
    return tokens_of(parts, said.model_copy(update={"token_id": token_id}), expires_at)


async def log_out(parts: AccountParts, principal: Principal) -> None:
    """
    End the caller's session, in every process at once.

    Raises:
        Forbidden: the caller did not sign in to an account.
    """
    _, session_id = require_account(principal)
    async with parts.storage.begin(parts.tenant) as transaction:
        await transaction.account_sessions.end(session_id)


async def principal_of(
    parts: AccountParts, access_token: str, *, use: TokenUse = TokenUse.ACCESS
) -> Principal:
    """
    Return the principal of an access token or cookie: a member of the organisation of its session.

    The member's role decides what it may do. It is read from the database each time, so that changes are effective in
    every process from the next call on.

    Raises:
        Unauthorized: it is not valid, has expired, its session has ended, or the account is no member any more.
    """
    said = await parts.tokens.read(use, access_token)
    member = None
    async with parts.storage.read(parts.tenant) as snapshot:
        session = await snapshot.account_sessions.find_live(said.session_id, said.user_id)
        if session is None:
            raise Unauthorized(ENDED)
        tenant = Tenant(org_id=session.acts_in)
        if tenant == parts.tenant:
            member = await snapshot.members.find(said.user_id)
    if tenant != parts.tenant:
        async with parts.storage.read(tenant) as snapshot:
            member = await snapshot.members.find(said.user_id)
    if member is None:
        raise Unauthorized("the account is no longer a member of the organisation; sign in again")
    access = ACCESS_OF[member.role]
    return Principal(
        tenant=tenant,
        user_id=None if access.of_all_users else said.user_id,
        permissions=access.permissions,
        kind=CallerKind.USER,
        actor=f"user:{said.user_id}",
        audited_as=parts.audited_as(said.user_id),
        account_id=said.user_id,
        session_id=said.session_id,
        role=member.role,
    )


async def account_of(parts: AccountParts, principal: Principal) -> Account:
    """
    Return the caller's account.

    Raises:
        Forbidden: the caller did not sign in to an account.
        NotFound: it was just deleted.
    """
    user_id, _ = require_account(principal)
    async with parts.storage.read(parts.tenant) as snapshot:
        account = await snapshot.accounts.find(user_id)
    if account is None:
        raise NotFound("the account is gone")
    return account


def require_account(principal: Principal) -> tuple[UserId, str]:
    """
    Return the user and the session of a caller who signed in to an account.

    Raises:
        Forbidden: the caller did not.
    """
    if principal.account_id is None or principal.session_id is None:
        raise Forbidden("this call is for accounts: sign in, and send the access token")
    return principal.account_id, principal.session_id


async def require_session(transaction: Transaction, principal: Principal) -> None:
    """
    Check that the caller's session has not ended since the call came in; a new password waits for the transaction.

    Raises:
        Forbidden: the caller did not sign in to an account.
        Unauthorized: the session has ended, perhaps as the password was changed, or the account is gone.
    """
    user_id, session_id = require_account(principal)
    account = await transaction.accounts.find(user_id)  # locks it
    if account is None or await transaction.account_sessions.find_live(session_id, user_id) is None:
        raise Unauthorized(ENDED)


async def open_session(
    parts: AccountParts,
    account: Account,
    acts_in: OrgId,
    *,
    lasts: timedelta,
    is_chosen: bool = True,
    follows: str | None = None,
) -> tuple[SessionToken, datetime]:
    """
    Store a session of an account, as it was when it was looked up, in one of its organisations.

    Args:
        parts: the parts of accounts.
        account: whose.
        acts_in: the organisation.
        lasts: how long, without an exchange.
        is_chosen: make it the default organisation of the next session.
        follows: the session that entitles to this one; None if its owner just signed in.

    Returns:
        What its first token says, whose id is good for one exchange, and until when the session lasts without one.

    Raises:
        Unauthorized: meanwhile the password was changed, the account deleted, or the session ended that entitles to it.
    """
    now, token_id = parts.clock.now(), new_token_id()
    session = AccountSession(
        session_id=parts.ids.new(),
        user_id=account.user_id,
        refresh_hash=hash_token(token_id),
        acts_in=acts_in,
        created_at=now,
        expires_at=now + lasts,
    )
    async with parts.storage.begin(parts.tenant) as transaction:
        now_known = await transaction.accounts.find(account.user_id)
        if now_known is None or now_known.password_hash != account.password_hash:
            raise Unauthorized(WRONG)
        sessions = transaction.account_sessions
        if follows is not None and await sessions.find_live(follows, account.user_id) is None:
            raise Unauthorized(ENDED)
        if is_chosen and now_known.chosen_org != acts_in:
            await transaction.accounts.choose(account.user_id, acts_in)
        await sessions.add(session)
    said = SessionToken(user_id=account.user_id, session_id=session.session_id, token_id=token_id)
    return said, session.expires_at


async def _begin(
    parts: AccountParts, account: Account, acts_in: OrgId, *, follows: str | None = None
) -> SignedIn:
    """Begin a session, and return its first tokens; see `open_session`."""
    said, expires_at = await open_session(
        parts, account, acts_in, lasts=parts.policy.refresh, follows=follows
    )
    return tokens_of(parts, said, expires_at)


def tokens_of(parts: AccountParts, said: SessionToken, expires_at: datetime) -> SignedIn:
    """Return the tokens of a session: *said* are the claims of its refresh token, which is valid until *expires_at*."""
    access = said.model_copy(update={"token_id": new_token_id()})
    return SignedIn(
        access_token=parts.tokens.issue(
            TokenUse.ACCESS, access, expires_at=parts.clock.now() + parts.policy.access
        ),
        refresh_token=parts.tokens.issue(TokenUse.REFRESH, said, expires_at=expires_at),
        expires_in=int(parts.policy.access.total_seconds()),
    )


def new_token_id() -> str:
    """Return the digest that identifies the newest refresh token of a session."""
    return secrets.token_urlsafe(32)
