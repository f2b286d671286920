"""The second step of signing in: a code of an authenticator app (RFC 6238), or a recovery code."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sagacity.accounts.parts import AccountParts
from sagacity.accounts.sign_in import (
    ENDED,
    SignedIn,
    account_of,
    new_token_id,
    password_asked_again,
    require_session,
    tokens_of,
)
from sagacity.accounts.sign_up import forget_totp
from sagacity.accounts.throttle import code_tries, count_try, forgive
from sagacity.auth.account_tokens import SessionToken, TokenUse
from sagacity.auth.key_ring import OpenRing, wrapped_by
from sagacity.auth.tokens import hash_token
from sagacity.auth.totp import DIGITS, new_recovery_codes, new_secret, otpauth_url, plain_code, step_of
from sagacity.domain.account import Account, Totp, normal_email
from sagacity.domain.audit import OPERATOR, AuditAction
from sagacity.domain.errors import (
    CodeUnavailable,
    ConfigError,
    Conflict,
    NotFound,
    Unauthorized,
    WrongCredentials,
)
from sagacity.domain.ids import UserId
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage, Transaction

ISSUER = "Sagacity"
"""The name that authenticator apps show beside the address."""
WRONG_CODE = "the code is wrong, or was used before; wait for the next one"
_UNREADABLE = "the server cannot check codes of authenticator apps now; a recovery code works"
_BATCH = 100


class Begun(NamedTuple):
    """The data that an authenticator app needs."""

    secret: bytes
    url: str


class State(NamedTuple):
    """Whether signing in asks for a code."""

    since: datetime | None
    recovery_codes_left: int


async def state_of(parts: AccountParts, principal: Principal) -> State:
    """
    Return whether signing in to the caller's account asks for a code.

    Raises:
        Forbidden: the caller did not sign in to an account.
    """
    account = await account_of(parts, principal)
    async with parts.storage.read(parts.tenant) as snapshot:
        totp = await snapshot.account_totp.find(account.user_id)
    if totp is None or totp.confirmed_at is None:
        return State(None, 0)
    return State(totp.confirmed_at, len(totp.recovery_hashes))


async def begin(parts: AccountParts, principal: Principal, password: str, *, address: str) -> Begun:
    """
    Create a secret for an authenticator app; signing in needs no code until its first one is confirmed by `confirm`.

    Raises:
        WrongCredentials: the password is wrong.
        Forbidden: the caller did not sign in to an account.
        Unauthorized: the session has just ended.
        RateLimited: too many tries came before.
        Conflict: the account has an app already.
        CodeUnavailable: the key that encrypts secrets is missing.
    """
    account = await password_asked_again(parts, principal, password, address=address)
    secret, owner = new_secret(), owner_of(parts.tenant, account.user_id)
    async with parts.storage.begin(parts.tenant) as transaction:
        await require_session(transaction, principal)
        may_make_key = not await transaction.account_totp.any_kept()
        try:
            sealed = parts.open_ring(make=may_make_key).seal(secret, owner)
        except ConfigError as error:
            raise CodeUnavailable("the server cannot store the secret of an authenticator app now") from error
        totp = Totp(user_id=account.user_id, sealed=sealed, created_at=parts.clock.now())
        if not await transaction.account_totp.put(totp):
            raise Conflict("signing in asks for a code already: turn it off before you set up another app")
    return Begun(secret, otpauth_url(secret, account=account.email, issuer=ISSUER))


async def confirm(parts: AccountParts, principal: Principal, code: str, *, address: str) -> list[str]:
    """
    Turn codes on, if *code* is the app's current one; signing in asks for a code from now on.

    Returns:
        Recovery codes, each of which works once. They are not shown again.

    Raises:
        WrongCredentials: the code is wrong.
        Conflict: no secret was created, or codes are on already.
        Forbidden: the caller did not sign in to an account.
        Unauthorized: the session has just ended.
        RateLimited: too many tries came before.
    """
    account = await account_of(parts, principal)
    await count_try(parts, tries := code_tries(account.user_id, address))
    codes = new_recovery_codes()
    async with parts.storage.begin(parts.tenant) as transaction:
        await require_session(transaction, principal)
        totp = await transaction.account_totp.find(account.user_id)
        if totp is None or totp.confirmed_at is not None:
            raise Conflict("there is no new app to confirm: begin with the password")
        step = _step(parts, totp, code)
        if step is None:
            raise WrongCredentials(WRONG_CODE)
        hashes = [hash_token(plain_code(one)) for one in codes]
        await transaction.account_totp.confirm(account.user_id, step=step, recovery_hashes=hashes)
        await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_TOTP_ENABLED, account.user_id))
    await forgive(parts, tries)
    return codes


async def renew_recovery_codes(
    parts: AccountParts, principal: Principal, password: str, code: str, *, address: str
) -> list[str]:
    """
    Replace all recovery codes; arguments and errors are those of `turn_off`.

    Returns:
        Recovery codes, each of which works once. They are not shown again, and no former one works.
    """
    account = await password_asked_again(parts, principal, password, address=address)
    await count_try(parts, tries := code_tries(account.user_id, address))
    codes = new_recovery_codes()
    async with parts.storage.begin(parts.tenant) as transaction:
        await require_session(transaction, principal)
        if not await _take(parts, transaction, account.user_id, code):
            raise WrongCredentials(WRONG_CODE)
        hashes = [hash_token(plain_code(one)) for one in codes]
        await transaction.account_totp.keep_recovery(account.user_id, hashes)
        renewed = parts.audited(AuditAction.ACCOUNT_RECOVERY_CODES_RENEWED, account.user_id)
        await transaction.audit.add(renewed)
    await forgive(parts, tries)
    return codes


async def turn_off(
    parts: AccountParts, principal: Principal, password: str, code: str, *, address: str
) -> None:
    """
    Turn codes off; signing in needs only the password.

    Raises:
        WrongCredentials: the password or the code is wrong, or codes are off.
        Forbidden: the caller did not sign in to an account.
        Unauthorized: the session has just ended.
        RateLimited: too many tries came before.
    """
    account = await password_asked_again(parts, principal, password, address=address)
    await count_try(parts, tries := code_tries(account.user_id, address))
    async with parts.storage.begin(parts.tenant) as transaction:
        await require_session(transaction, principal)
        if not await _take(parts, transaction, account.user_id, code):
            raise WrongCredentials(WRONG_CODE)
        await forget_totp(parts, transaction, account.user_id)
    await forgive(parts, tries)


async def forget_app(parts: AccountParts, email: str) -> bool:
    """
    Turn codes off for the account of an address, for the operator; returns whether they were on.

    Raises:
        InvalidInput: it is no address.
        NotFound: the address has no account.
    """
    async with parts.storage.begin(parts.tenant) as transaction:
        account = await transaction.accounts.find_by_email(normal_email(email))
        if account is None:
            raise NotFound("no account has this address")
        return await forget_totp(parts, transaction, account.user_id, by=OPERATOR)


async def log_in_with_code(
    parts: AccountParts, challenge: str, code: str, *, address: str
) -> tuple[Account, SignedIn]:
    """
    Begin a session after the second step; arguments and errors are those of `answer`.

    Raises:
        Unauthorized: the challenge is no longer valid.
        WrongCredentials: the code is wrong or used.
        CodeUnavailable: the secret cannot be read; a recovery code works.
        RateLimited: too many tries came before.
    """
    account, said, expires_at = await answer(
        parts, challenge, code, address=address, lasts=parts.policy.refresh
    )
    return account, tokens_of(parts, said, expires_at)


async def answer(
    parts: AccountParts, challenge: str, code: str, *, address: str, lasts: timedelta
) -> tuple[Account, SessionToken, datetime]:
    """
    Exchange a challenge and a code for the session that the challenge belongs to.

    A wrong code leaves the challenge valid; a right one uses both up.

    Args:
        parts: the parts of accounts.
        challenge: from `CodeNeeded`.
        code: of the authenticator app, or a recovery code.
        address: the network address of the call.
        lasts: how long the session lasts from now on.

    Returns:
        The account, what the session's first token says, and until when that is good.

    Raises:
        Unauthorized: the challenge is not valid, was used, has expired, or its session has ended.
        WrongCredentials: the code is wrong or used.
        RateLimited: too many tries came before.
    """
    said = await parts.tokens.read(TokenUse.CHALLENGE, challenge)
    await count_try(parts, tries := code_tries(said.user_id, address))
    token_id, expires_at = new_token_id(), parts.clock.now() + lasts

    async def exchange() -> Account:
        async with parts.storage.begin(parts.tenant) as transaction:
            account = await transaction.accounts.find(said.user_id)
            is_newest = account is not None and await transaction.account_sessions.rotate(
                said.session_id,
                used=hash_token(said.token_id),
                new=hash_token(token_id),
                expires_at=expires_at,
            )
            if account is None or not is_newest:
                raise Unauthorized(ENDED)
            if not await _take(parts, transaction, said.user_id, code):
                raise WrongCredentials(WRONG_CODE)  # which takes the exchange back
            session = await transaction.account_sessions.find_live(said.session_id, said.user_id)
            if session is not None:
                await transaction.accounts.choose(said.user_id, session.acts_in)
            return account

    account = await parts.storage.retry(exchange)
    await forgive(parts, tries)
    return account, said.model_copy(update={"token_id": token_id}), expires_at


async def find_unreadable(
    storage: Storage, tenants: Sequence[Tenant], open_ring: OpenRing
) -> tuple[int, str | None]:
    """Return how many secrets of authenticator apps can be decrypted, and the error of the first that cannot."""
    count = 0
    for tenant in tenants:
        after: str | None = None
        while True:
            async with storage.read(tenant) as snapshot:
                found = await snapshot.account_totp.list_page(after=after, limit=_BATCH)
            for one in found:
                try:
                    open_ring(make=False).open(one.sealed, owner_of(tenant, one.user_id))
                except ConfigError as error:
                    return count, f"{tenant.org_id}, the app of user {one.user_id}: {error}"
                count += 1
            if len(found) < _BATCH:
                break
            after = found[-1].user_id
    return count, None


async def seal_again(
    storage: Storage, tenants: Sequence[Tenant], open_ring: OpenRing
) -> tuple[int, list[str]]:
    """
    Encrypt the secrets of authenticator apps with the first key; run again, it does the rest.

    Returns:
        Number of secrets, and the users for whom it failed, each with the reason.
    """
    count, failed = 0, list[str]()
    for tenant in tenants:
        after: str | None = None
        while True:
            async with storage.begin(tenant) as transaction:
                found = await transaction.account_totp.list_page(after=after, limit=_BATCH)
                for one in found:
                    try:
                        count += await _seal_again(transaction, tenant, one, open_ring)
                    except ConfigError as error:
                        failed.append(f"{tenant.org_id}, the app of user {one.user_id}: {error}")
            if len(found) < _BATCH:
                break
            after = found[-1].user_id
    return count, failed


async def _seal_again(transaction: Transaction, tenant: Tenant, totp: Totp, open_ring: OpenRing) -> bool:
    ring, owner = open_ring(make=False), owner_of(tenant, totp.user_id)
    secret = ring.open(totp.sealed, owner)
    if wrapped_by(totp.sealed) == ring.first_id:
        return False
    return await transaction.account_totp.seal_again(totp.user_id, totp.sealed, ring.seal(secret, owner))


async def _take(parts: AccountParts, transaction: Transaction, user_id: UserId, code: str) -> bool:
    """Use up a code of an account; False if it is wrong or was used."""
    totp = await transaction.account_totp.find(user_id)
    if totp is None or totp.confirmed_at is None:
        return False
    plain = plain_code(code)
    if len(plain) == DIGITS:
        step = _step(parts, totp, plain)
        return step is not None and await transaction.account_totp.take_step(user_id, step)
    used = hash_token(plain)
    left = [one for one in totp.recovery_hashes if one != used]
    if len(left) == len(totp.recovery_hashes):
        return False
    await transaction.account_totp.keep_recovery(user_id, left)
    used_one = parts.audited(AuditAction.ACCOUNT_RECOVERY_CODE_USED, user_id, left=len(left))
    await transaction.audit.add(used_one)
    return True


def _step(parts: AccountParts, totp: Totp, code: str) -> int | None:
    try:
        secret = parts.open_ring(make=False).open(totp.sealed, owner_of(parts.tenant, totp.user_id))
    except ConfigError as error:
        raise CodeUnavailable(_UNREADABLE) from error
    return step_of(secret, plain_code(code), parts.clock.now(), after=totp.last_step)


def owner_of(tenant: Tenant, user_id: UserId) -> str:
    """Return the owner of a secret: copied to another account's row, it cannot be decrypted."""
    return f"totp\n{tenant.org_id}\n{user_id}"
