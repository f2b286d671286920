"""Create an account and confirm its address."""

import hmac
from collections.abc import Callable
from typing import Any

from sagacity.accounts.even_times import at_even_times
from sagacity.accounts.invitations import find, join
from sagacity.accounts.parts import BAD_CODE, AccountParts, SignUp
from sagacity.accounts.throttle import count_try, mail_tries, write_as_much
from sagacity.auth.tokens import hash_token
from sagacity.domain.account import Account, Mail, checked_password, normal_email
from sagacity.domain.audit import AuditAction
from sagacity.domain.errors import Forbidden, WrongCredentials
from sagacity.domain.ids import UserId
from sagacity.domain.role import Role
from sagacity.storage.transaction import Transaction


@at_even_times
async def sign_up(
    parts: AccountParts,
    email: str,
    password: str,
    *,
    address: str,
    full_name: str = "",
    metadata: dict[str, Any] | None = None,
    invitation_code: str = "",
) -> Account:
    """
    Create an account, and send an e-mail to confirm its address.

    If the address has an account already, an e-mail says so; the caller gets the same answer, with a fresh id.

    An invitation to the address permits signing up even where nobody else may. Its code proves whose the address is,
    and the account, new or existing, becomes a member of the inviting organisation. Without an invitation, a new
    account is a member of the organisation where people sign up.

    Raises:
        Forbidden: signing up is closed, or needs the invitation code of this server.
        WrongCredentials: the code is that of an invitation that is unknown, used or expired.
        InvalidInput: *email* is no address, or the password is too weak.
        RateLimited: too many tries came before.
        QuotaExceeded: the organisation where people sign up is full.
    """
    email, password = normal_email(email), checked_password(password)
    await count_try(parts, mail_tries(email, address))
    invitation = await find(parts, invitation_code, email)
    if invitation is None:
        require_open(parts, invitation_code)
    account = Account(
        user_id=UserId(parts.ids.new()),
        email=email,
        full_name=full_name,
        metadata=metadata or {},
        password_hash=await parts.passwords.hash(password),
        verified_at=None if invitation is None else parts.clock.now(),
        chosen_org=parts.tenant.org_id if invitation is None else invitation.org_id,
        created_at=parts.clock.now(),
    )

    async def add() -> UserId:
        async with parts.storage.begin(parts.tenant) as transaction:
            if invitation is None:  # even if the address has an account: the answer must be the same
                await transaction.members.require_room()
            is_new = await transaction.accounts.add(account)
            known = None if is_new else await transaction.accounts.find_by_email(email)
            if is_new:
                await note_new(parts, transaction, account, is_invited=invitation is not None)
            if invitation is not None:
                await take_over(parts, transaction, known, account.password_hash)
            elif known is not None and known.verified_at is not None:
                await transaction.account_mails.ask(known.user_id, Mail.KNOWN)
            elif parts.policy.verifies_email:
                await transaction.account_mails.ask((known or account).user_id, Mail.VERIFY)
        return (known or account).user_id

    user_id = await parts.storage.retry(add)
    if invitation is not None:
        await join(parts, invitation, user_id, code=invitation_code)
    parts.wake()
    return account


async def verify_email(parts: AccountParts, code: str) -> None:
    """
    Mark the address to which *code* was sent as confirmed.

    Raises:
        WrongCredentials: the code is unknown, used or expired.
    """
    async with parts.storage.begin(parts.tenant) as transaction:
        user_id = await transaction.account_mails.redeem(Mail.VERIFY, hash_token(code))
        if user_id is None:
            raise WrongCredentials(BAD_CODE)
        await transaction.accounts.verify(user_id)
        await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_VERIFIED, user_id))


@at_even_times
async def resend_verification(parts: AccountParts, email: str, *, address: str) -> None:
    """
    Send the code again if the address has an unconfirmed account; the caller is not told whether it has.

    Raises:
        InvalidInput: *email* is no address.
        RateLimited: too many tries came before.
    """
    await mail_account(
        parts, email, Mail.VERIFY, address=address, is_wanted=lambda account: account.verified_at is None
    )


async def mail_account(
    parts: AccountParts,
    email: str,
    purpose: Mail,
    *,
    address: str,
    is_wanted: Callable[[Account], bool] = lambda _: True,
) -> None:
    """
    Send an e-mail if *email* has an account that *is_wanted* accepts; otherwise write as much, so that none can tell.

    Raises:
        InvalidInput: *email* is no address.
        RateLimited: too many tries came before.
    """
    email = normal_email(email)
    tries = mail_tries(email, address)
    await count_try(parts, tries)
    async with parts.storage.begin(parts.tenant) as transaction:
        found = await transaction.accounts.find_by_email(email)
        if found is not None and is_wanted(found):
            await transaction.account_mails.ask(found.user_id, purpose)
        else:
            await write_as_much(parts, transaction, tries[0])
    parts.wake()


async def note_new(
    parts: AccountParts, transaction: Transaction, account: Account, *, is_invited: bool
) -> None:
    """Record a new account in the audit log; one without an invitation becomes a member where people sign up."""
    await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_SIGNED_UP, account.user_id))
    person = parts.audited_as(account.user_id)
    if is_invited:
        await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_VERIFIED, account.user_id))
    else:
        await transaction.members.put(account.user_id, Role.MEMBER, by=person, target=person)


async def take_over(
    parts: AccountParts, transaction: Transaction, known: Account | None, password_hash: str
) -> None:
    """Give an unconfirmed account to the proven owner of its address, whoever created it."""
    if known is None or known.verified_at is not None:
        return
    await transaction.accounts.set_password(known.user_id, password_hash)
    await transaction.accounts.verify(known.user_id)
    for purpose in (Mail.VERIFY, Mail.RESET):
        await transaction.account_mails.drop(known.user_id, purpose)
    await transaction.account_sessions.end_all(known.user_id)
    await forget_totp(parts, transaction, known.user_id)
    await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_VERIFIED, known.user_id))


async def forget_totp(
    parts: AccountParts, transaction: Transaction, user_id: UserId, *, by: str | None = None
) -> bool:
    """Turn the second step off; returns whether it was on. *by*: who did it, if not the account's owner."""
    totp = await transaction.account_totp.find(user_id)
    if totp is None:
        return False
    await transaction.account_totp.remove(user_id)
    if totp.confirmed_at is None:
        return False
    entry = parts.audited(AuditAction.ACCOUNT_TOTP_DISABLED, user_id)
    await transaction.audit.add(entry if by is None else entry.model_copy(update={"actor": by}))
    return True


def require_open(parts: AccountParts, invitation_code: str) -> None:
    """
    Make sure that somebody without an invitation may sign up.

    Raises:
        Forbidden: signing up is closed, or needs the invitation code of this server.
    """
    policy = parts.policy
    if policy.sign_up is SignUp.CLOSED:
        raise Forbidden("signing up is closed on this server; SAGACITY_SIGN_UP opens it")
    if policy.sign_up is SignUp.INVITED and not hmac.compare_digest(
        invitation_code.encode(), policy.invitation_code.encode()
    ):
        raise Forbidden("signing up needs the invitation code of this server")
