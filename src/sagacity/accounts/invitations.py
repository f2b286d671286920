"""Invitations: send, withdraw, and accept with the code from the e-mail."""

from sagacity.accounts.members import require_still_decides
from sagacity.accounts.parts import BAD_CODE, AccountParts
from sagacity.accounts.sign_in import account_of
from sagacity.accounts.throttle import count_try, invitation_tries
from sagacity.auth.tokens import hash_token
from sagacity.domain.account import normal_email
from sagacity.domain.errors import Conflict, WrongCredentials
from sagacity.domain.ids import UserId
from sagacity.domain.member import CODE_PREFIX, Invitation, KnownInvitation, Member, require_may_decide
from sagacity.domain.principal import Principal
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from sagacity.storage.accounts.across import find_invitation


async def invite(parts: AccountParts, principal: Principal, email: str, role: Role) -> Invitation:
    """
    Invite an address, with or without an account.

    Raises:
        Forbidden: the caller is no administrator, acts for one user, or is no owner although the role is owner.
        InvalidInput: it is no address.
        Conflict: it belongs to a member, was invited already, or the server sends no e-mails.
        RateLimited: too many invitations came before.
    """
    require_may_decide(principal, role)
    email = normal_email(email)
    _require_mail(parts)
    await count_try(parts, invitation_tries(email, principal.tenant.org_id))
    async with parts.storage.read(parts.tenant) as snapshot:
        account = await snapshot.accounts.find_by_email(email)
    now = parts.clock.now()
    new = Invitation(
        invitation_id=parts.ids.new(),
        email=email,
        role=role,
        created_at=now,
        created_by=principal.audited_as,
        expires_at=now + parts.policy.invitation,
    )

    async def add() -> None:
        async with parts.storage.begin(principal) as transaction:
            await require_still_decides(transaction, principal, role)
            if account is not None and await transaction.members.find(account.user_id) is not None:
                raise Conflict("this is the address of a member")
            await transaction.invitations.add(new)

    await parts.storage.retry(add)
    parts.wake()
    return new


async def list_invitations(
    parts: AccountParts, principal: Principal, *, after: str | None = None, limit: int
) -> list[Invitation]:
    """
    Return open invitations, oldest first; *after*: only those after that id.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
    """
    require_may_decide(principal)
    async with parts.storage.read(principal) as snapshot:
        return await snapshot.invitations.list_page(after=after, limit=limit)


async def send_again(parts: AccountParts, principal: Principal, invitation_id: str) -> Invitation:
    """
    Send an invitation again with a new code.

    Raises:
        Forbidden: the caller is no administrator, acts for one user, or is no owner although the role is owner.
        NotFound: there is none of that id.
        Conflict: the server sends no e-mails.
        RateLimited: too many invitations came before.
    """
    require_may_decide(principal)
    _require_mail(parts)
    async with parts.storage.read(principal) as snapshot:
        found = await snapshot.invitations.get(invitation_id)
    require_may_decide(principal, found.role)
    await count_try(parts, invitation_tries(found.email, principal.tenant.org_id))

    async def ask() -> Invitation:
        async with parts.storage.begin(principal) as transaction:
            await require_still_decides(transaction, principal, found.role)
            expires_at = parts.clock.now() + parts.policy.invitation
            return await transaction.invitations.send_again(
                invitation_id, expires_at=expires_at, by=principal.audited_as
            )

    asked = await parts.storage.retry(ask)
    parts.wake()
    return asked


async def revoke(parts: AccountParts, principal: Principal, invitation_id: str) -> None:
    """
    Withdraw an invitation; its code becomes invalid.

    Raises:
        Forbidden: the caller is no administrator, acts for one user, or is no owner although the role is owner.
        NotFound: there is none of that id.
    """
    require_may_decide(principal)

    async def remove() -> None:
        async with parts.storage.begin(principal) as transaction:
            found = await transaction.invitations.get(invitation_id)
            await require_still_decides(transaction, principal, found.role)
            await transaction.invitations.revoke(invitation_id, by=principal.audited_as)

    await parts.storage.retry(remove)


async def accept(parts: AccountParts, principal: Principal, code: str) -> tuple[Tenant, Member]:
    """
    Become a member of the organisation that invited the caller's address; returns organisation and role.

    Raises:
        Forbidden: the caller did not sign in to an account.
        WrongCredentials: the code is unknown, used, expired, or was sent to another address.
    """
    account = await account_of(parts, principal)
    invitation = await find(parts, code, account.email)
    if invitation is None:
        raise WrongCredentials(BAD_CODE)
    return Tenant(org_id=invitation.org_id), await join(parts, invitation, account.user_id, code=code)


async def find(parts: AccountParts, code: str, email: str) -> KnownInvitation | None:
    """
    Return the invitation of an address by its code; None if the code is not that of an invitation.

    Raises:
        WrongCredentials: it is unknown, used, expired, or was sent to another address.
    """
    if not code.startswith(CODE_PREFIX):
        return None
    found = await find_invitation(parts.storage.backend, hash_token(code), now=parts.clock.now())
    if found is None or found.email != email:
        raise WrongCredentials(BAD_CODE)
    return found


async def join(parts: AccountParts, invitation: KnownInvitation, user_id: UserId, *, code: str) -> Member:
    """
    Redeem an invitation, and make the account a member; an existing member keeps their role.

    Raises:
        WrongCredentials: it was used, revoked or sent again meanwhile.
    """
    person = parts.audited_as(user_id)

    async def use() -> Member:
        async with parts.storage.begin(Tenant(org_id=invitation.org_id)) as transaction:
            accepted = await transaction.invitations.accept(hash_token(code), invitation.email, by=person)
            if accepted is None:
                raise WrongCredentials(BAD_CODE)
            known = await transaction.members.find(user_id)
            return known or await transaction.members.put(
                user_id, accepted.role, by=person, target=person, let_in_by=accepted.created_by
            )

    return await parts.storage.retry(use)


def _require_mail(parts: AccountParts) -> None:
    if not parts.policy.sends_mail:
        raise Conflict(
            "invitations are sent by e-mail, and this server cannot send any: set SAGACITY_MAIL_URL"
        )
