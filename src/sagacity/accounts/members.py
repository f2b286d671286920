"""Members of the caller's organisation: list them, change a role, remove one."""

from typing import NamedTuple

from sagacity.accounts.parts import AccountParts
from sagacity.domain.account import Account, normal_email
from sagacity.domain.errors import Forbidden, NotFound
from sagacity.domain.ids import UserId
from sagacity.domain.member import ACCESS_OF, Member, require_may_decide
from sagacity.domain.principal import Principal
from sagacity.domain.role import Role
from sagacity.storage.transaction import Transaction


class Known(NamedTuple):
    """A member with the account; None once that was deleted."""

    member: Member
    account: Account | None


async def list_members(
    parts: AccountParts, principal: Principal, *, after: str | None = None, limit: int
) -> list[Known]:
    """
    Return members in the order of their ids; *after*: only those after that id.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
    """
    require_may_decide(principal)
    async with parts.storage.read(principal) as snapshot:
        found = await snapshot.members.list_page(after=after, limit=limit)
    return await _named(parts, found)


async def change_role(parts: AccountParts, principal: Principal, user_id: UserId, role: Role) -> Known:
    """
    Change a member's role, effective in every process from the next call on.

    Raises:
        Forbidden: the caller is no administrator, acts for one user, or is no owner although an owner is concerned.
        NotFound: there is no such member.
        Conflict: it is the last owner.
    """
    require_may_decide(principal, role)

    async def change() -> Member:
        async with parts.storage.begin(principal) as transaction:
            await transaction.audit.lock()
            before = await transaction.members.find(user_id)
            concerned = (role,) if before is None else (role, before.role)
            await require_still_decides(transaction, principal, *concerned)
            if before is None:
                raise NotFound("no such member")
            return await transaction.members.put(
                user_id, role, by=principal.audited_as, target=parts.audited_as(user_id)
            )

    [known] = await _named(parts, [await parts.storage.retry(change)])
    return known


async def remove_member(parts: AccountParts, principal: Principal, user_id: UserId) -> None:
    """
    Remove a member from the organisation, effective from the next call on; everybody may leave. The user's data stays.

    Raises:
        Forbidden: it is somebody else, and the caller may not administer, or is no owner and the member is.
        NotFound: there is no such member.
        Conflict: it is the last owner.
    """
    leaves = principal.account_id == user_id
    if not leaves:
        require_may_decide(principal)

    async def remove() -> None:
        async with parts.storage.begin(principal.tenant) as transaction:
            await transaction.audit.lock()
            before = await transaction.members.find(user_id)
            if not leaves:
                concerned = () if before is None else (before.role,)
                await require_still_decides(transaction, principal, *concerned)
            await transaction.members.remove(
                user_id, by=principal.audited_as, target=parts.audited_as(user_id)
            )

    await parts.storage.retry(remove)


async def require_still_decides(transaction: Transaction, principal: Principal, *roles: Role) -> None:
    """
    Make sure that a caller may still grant and take *roles*, by their role in the writing transaction.

    It may have changed since the call came in. No role changes until the transaction ends.

    Raises:
        Forbidden: the caller may not, or is no member any more.
    """
    await transaction.audit.lock()
    if principal.account_id is not None:
        member = await transaction.members.find(principal.account_id)
        if member is None:
            raise Forbidden("you are no longer a member of this organisation")
        access = ACCESS_OF[member.role]
        user_id = None if access.of_all_users else principal.account_id
        given = {"role": member.role, "permissions": access.permissions, "user_id": user_id}
        principal = principal.model_copy(update=given)
    require_may_decide(principal, *roles)


async def add_member(parts: AccountParts, operator: Principal, email: str, role: Role) -> Member | None:
    """
    Add an account as a member or change its role, for the operator; None if the address has no account.

    Raises:
        Forbidden: the caller is not the operator.
        InvalidInput: it is no address.
        Conflict: it is the last owner.
    """
    require_may_decide(operator, Role.OWNER)
    async with parts.storage.read(parts.tenant) as snapshot:
        account = await snapshot.accounts.find_by_email(normal_email(email))
    if account is None:
        return None

    async def put() -> Member:
        async with parts.storage.begin(operator) as transaction:
            target = parts.audited_as(account.user_id)
            return await transaction.members.put(account.user_id, role, by=operator.audited_as, target=target)

    return await parts.storage.retry(put)


async def _named(parts: AccountParts, found: list[Member]) -> list[Known]:
    async with parts.storage.read(parts.tenant) as snapshot:
        accounts = await snapshot.accounts.list_named([one.user_id for one in found])
    return [Known(one, accounts.get(one.user_id)) for one in found]
