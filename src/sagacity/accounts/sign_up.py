"""Create an account and confirm its address."""

import hmac
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
    Make an account, and have its address asked to confirm it.

    An address that has one is told so by e-mail; the caller gets the same answer, with an id that is nobody's.

    An invitation to the address is permission, whoever else may sign up: its code shows whose the address is, and the
    account becomes a member of the organisation that invited. If the address has an account, that one does. Without
    one, a new account is a member of the organisation where people sign up.

    Raises:
        Forbidden: nobody may sign up, or not without the invitation code.
        WrongCredentials: the code is that of an invitation, and is not known, was used, or has expired.
        InvalidInput: the address is none, or the password too weak.
        RateLimited: too many tries came before.
        QuotaExceeded: the organisation where people sign up has as many members as it may have.
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
            if invitation is None:  # whether the address has an account or not, the answer is the same
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
    Note that an address is its owner's, who was sent the *code*.

    Raises:
        WrongCredentials: the code is not known, was used, or has expired.
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
    Send the code once more if the address has an account that waits for it; nobody is told whether it has.

    Raises:
        InvalidInput: the address is none.
        RateLimited: too many tries came before.
    """
    email = normal_email(email)
    tries = mail_tries(email, address)
    await count_try(parts, tries)
    async with parts.storage.begin(parts.tenant) as transaction:
        found = await transaction.accounts.find_by_email(email)
        if found is not None and found.verified_at is None:
            await transaction.account_mails.ask(found.user_id, Mail.VERIFY)
        else:
            await write_as_much(parts, transaction, tries[0])
    parts.wake()


async def note_new(
    parts: AccountParts, transaction: Transaction, account: Account, *, is_invited: bool
) -> None:
    """Note who signed up; whoever was not invited becomes a member where people sign up."""
    await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_SIGNED_UP, account.user_id))
    person = parts.audited_as(account.user_id)
    if is_invited:
        await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_VERIFIED, account.user_id))
    else:
        await transaction.members.put(account.user_id, Role.MEMBER, by=person, target=person)


async def take_over(
    parts: AccountParts, transaction: Transaction, known: Account | None, password_hash: str
) -> None:
    """Give an account whose address nobody confirmed to the address's owner, whoever made it."""
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
    """Have no code asked for any more; returns whether one was. *by*: who says so, if not the account's owner."""
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
        Forbidden: nobody may, or not without the invitation code of this server.
    """
    policy = parts.policy
    if policy.sign_up is SignUp.CLOSED:
        raise Forbidden("nobody can sign up on this server; SAGACITY_SIGN_UP opens it")
    if policy.sign_up is SignUp.INVITED and not hmac.compare_digest(
        invitation_code.encode(), policy.invitation_code.encode()
    ):
        raise Forbidden("signing up needs the invitation code of this server")
