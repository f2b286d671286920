"""Reset or change a password, and delete an account for good."""

from sagacity.accounts.even_times import at_even_times
from sagacity.accounts.organisations import list_organisations
from sagacity.accounts.parts import BAD_CODE, AccountParts
from sagacity.accounts.sign_in import NOT_CURRENT, password_asked_again
from sagacity.accounts.sign_up import forget_totp, mail_account
from sagacity.auth.tokens import hash_token
from sagacity.domain.account import Mail, Person, checked_password
from sagacity.domain.audit import AuditAction
from sagacity.domain.errors import Conflict, WrongCredentials
from sagacity.domain.ids import UserId
from sagacity.domain.operation import Operation
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import Tenant
from sagacity.memories.acting import Acting, Parts
from sagacity.memories.erasure import erase_user
from sagacity.storage.accounts.across import owned_by
from sagacity.storage.accounts.leaving import leave_everywhere


@at_even_times
async def forgot_password(parts: AccountParts, email: str, *, address: str) -> None:
    """
    Send a code for a new password if the address has an account; the caller is not told whether it has.

    Raises:
        InvalidInput: *email* is no address.
        RateLimited: too many tries came before.
    """
    await mail_account(parts, email, Mail.RESET, address=address)


async def reset_password(parts: AccountParts, code: str, new_password: str) -> None:
    """
    Set a new password with the code from an e-mail; all sessions of the account end, and its address is confirmed.

    Raises:
        WrongCredentials: the code is unknown, used or expired.
        InvalidInput: the password is too weak.
    """
    password_hash = await parts.passwords.hash(checked_password(new_password))
    async with parts.storage.begin(parts.tenant) as transaction:
        user_id = await transaction.account_mails.redeem(Mail.RESET, hash_token(code))
        if user_id is None:
            raise WrongCredentials(BAD_CODE)
        account = await transaction.accounts.find(user_id)
        if account is not None and account.verified_at is None:
            await forget_totp(
                parts, transaction, user_id
            )  # whoever set it up never showed whose the address is
        await transaction.accounts.set_password(user_id, password_hash)
        await transaction.accounts.verify(user_id)
        await transaction.account_mails.drop(user_id, Mail.VERIFY)
        await transaction.account_sessions.end_all(user_id)
        await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_PASSWORD_RESET, user_id))


async def change_password(
    parts: AccountParts, principal: Principal, current: str, new_password: str, *, address: str
) -> None:
    """
    Set a new password; the account's other sessions end, and a code for a new password becomes invalid.

    Raises:
        WrongCredentials: the current one is wrong.
        Forbidden: the caller did not sign in to an account.
        InvalidInput: the new one is too weak.
        RateLimited: too many tries came before.
    """
    checked = checked_password(new_password)
    account = await password_asked_again(parts, principal, current, address=address)
    password_hash = await parts.passwords.hash(checked)
    async with parts.storage.begin(parts.tenant) as transaction:
        former = account.password_hash
        if not await transaction.accounts.set_password(account.user_id, password_hash, former=former):
            raise WrongCredentials(NOT_CURRENT)  # it was changed after the check, perhaps against the caller
        await transaction.account_mails.drop(account.user_id, Mail.RESET)
        await transaction.account_sessions.end_all(account.user_id, but=principal.session_id)
        await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_PASSWORD_CHANGED, account.user_id))


async def delete_account(
    parts: AccountParts, principal: Principal, password: str, *, address: str, erasing: Parts
) -> Operation:
    """
    Delete the caller's account, and erase the user with all that is stored of them, in every organisation.

    Should this call end early, the erasure in the organisation that has the account deletes the account as well.

    Args:
        parts: the parts of accounts.
        principal: the caller.
        password: the account's password, required again.
        address: the network address of the call.
        erasing: the parts for erasing.

    Raises:
        WrongCredentials: the password is wrong.
        Forbidden: the caller did not sign in to an account.
        RateLimited: too many tries came before.
        Conflict: the account is the last owner of an organisation.
    """
    account = await password_asked_again(parts, principal, password, address=address)
    person = parts.audited_as(account.user_id)
    tenants = [Tenant(org_id=one.org_id) for one in await list_organisations(parts, account.user_id)]
    await _require_other_owners(parts, account.user_id)

    async def erase(tenant: Tenant) -> Operation:
        organisation = Principal(
            tenant=tenant, actor=principal.actor, account_id=account.user_id, audited_as=person
        )
        return await erase_user(Acting(erasing, organisation), account.user_id, wait_seconds=0)

    for tenant in tenants:
        if tenant != parts.tenant:
            await erase(tenant)
    operation = await erase(parts.tenant)
    known = Person(home=parts.tenant.org_id, email=account.email, pseudonym=person)
    await leave_everywhere(parts.storage, account.user_id, known, by=person)
    async with parts.storage.begin(parts.tenant) as transaction:
        await transaction.accounts.remove(account.user_id)
        deleted = parts.audited(
            AuditAction.ACCOUNT_DELETED, account.user_id, erasure_id=operation.operation_id
        )
        await transaction.audit.add(deleted)
    return operation


async def _require_other_owners(parts: AccountParts, user_id: UserId) -> None:
    for tenant in await owned_by(parts.storage.backend, user_id):
        async with parts.storage.read(tenant) as snapshot:
            if await snapshot.members.is_last_owner(user_id):
                raise Conflict(
                    f"the account is the last owner of {tenant.org_id!r}: make somebody else an owner first"
                )
