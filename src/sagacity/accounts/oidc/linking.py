"""Find the account of a provider's subject. The two are linked once, by an address that the provider verified."""

import secrets

from sagacity.accounts.invitations import find, join
from sagacity.accounts.parts import AccountParts
from sagacity.accounts.sign_up import note_new, require_open, take_over
from sagacity.domain.account import Account, Identity, normal_email
from sagacity.domain.audit import AuditAction
from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.domain.ids import UserId
from sagacity.domain.member import KnownInvitation
from sagacity.storage.transaction import Transaction

_ELSEWHERE = "the account of this address is linked to somebody else at the provider; ask who runs the server"


async def account_of_identity(
    parts: AccountParts, identity: Identity, *, invitation_code: str = ""
) -> Account:
    """
    Return the account of an identity. The first time, it is linked to the account of its address, or to a new one.

    From then on the provider's subject counts, and not the address, which may be somebody else's one day. An account
    whose address nobody confirmed may be anybody's: it gets a password that nobody knows, and its sessions end.

    Raises:
        Forbidden: the provider did not verify the address, its account is linked to another subject, or nobody may sign
            up without an invitation.
        WrongCredentials: the code is that of an invitation that is unknown, used or expired.
    """
    async with parts.storage.read(parts.tenant) as snapshot:
        linked = await snapshot.accounts.find_by_identity(identity.issuer, identity.subject)
    if linked is not None:
        return linked
    email = _verified(identity)
    invitation = await find(parts, invitation_code, email)
    new = Account(
        user_id=UserId(parts.ids.new()),
        email=email,
        full_name=identity.full_name,
        password_hash=await parts.passwords.hash(secrets.token_urlsafe(32)),
        verified_at=parts.clock.now(),
        chosen_org=parts.tenant.org_id if invitation is None else invitation.org_id,
        issuer=identity.issuer,
        subject=identity.subject,
        created_at=parts.clock.now(),
    )

    async def link() -> UserId:
        async with parts.storage.begin(parts.tenant) as transaction:
            return await _link(parts, transaction, new, invitation, invitation_code)

    user_id = await parts.storage.retry(link)
    if invitation is not None:
        await join(parts, invitation, user_id, code=invitation_code)
    async with parts.storage.read(parts.tenant) as snapshot:
        account = await snapshot.accounts.find(user_id)
    if account is None:
        raise Forbidden("the account was deleted a moment ago")
    return account


async def _link(
    parts: AccountParts,
    transaction: Transaction,
    new: Account,
    invitation: KnownInvitation | None,
    invitation_code: str,
) -> UserId:
    assert new.issuer is not None and new.subject is not None  # noqa: S101, PT018  it is that of an identity
    await transaction.audit.lock()
    known = await transaction.accounts.find_by_email(new.email)
    if known is None:
        if invitation is None:
            require_open(parts, invitation_code)
        if not await transaction.accounts.add(new):  # another call linked the subject a moment ago
            raise Forbidden(_ELSEWHERE)
        await note_new(parts, transaction, new, is_invited=invitation is not None)
    elif (known.issuer, known.subject) == (new.issuer, new.subject):
        return known.user_id
    elif known.subject is not None and known.issuer == new.issuer:
        raise Forbidden(_ELSEWHERE)
    else:
        await take_over(parts, transaction, known, new.password_hash)
        await transaction.accounts.link(known.user_id, new.issuer, new.subject)
    user_id = (known or new).user_id
    await transaction.audit.add(parts.audited(AuditAction.ACCOUNT_LINKED, user_id))
    return user_id


def _verified(identity: Identity) -> str:
    if not identity.is_email_verified:
        raise Forbidden("the provider has not verified the address of this person")
    try:
        return normal_email(identity.email)
    except InvalidInput as error:
        raise Forbidden("the provider gave no address that an account can have") from error
