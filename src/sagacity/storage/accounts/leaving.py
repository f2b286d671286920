"""Remove an erased account's roles in organisations, and the invitations to it and by it."""

from sagacity.domain.account import Person
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import Tenant
from sagacity.storage.accounts.across import knowing
from sagacity.storage.transaction import Storage, Transaction


async def leave(
    transaction: Transaction, user_id: UserId, person: Person | None, *, by: str
) -> dict[str, int]:
    """
    Remove a user's account from one organisation, with every invitation to it or by it.

    Args:
        transaction: a writing transaction of the organisation.
        user_id: the user; if the id is an address, it may have been invited.
        person: the user's account, if it is known.
        by: the caller, as the audit log names callers.

    Returns:
        How many rows were deleted, by table.
    """
    addresses = [user_id.lower(), *([person.email] if person else [])]
    invited = await transaction.invitations.forget(
        addresses, sender=person.pseudonym if person else "", by=by
    )
    if person is None:
        return {"invitations": invited}
    left = await transaction.members.leave(user_id, by=by, target=person.pseudonym)
    return {"members": int(left), "invitations": invited}


async def leave_everywhere(storage: Storage, user_id: UserId, person: Person, *, by: str) -> None:
    """Remove an account from every organisation, in one transaction each; a second run finds nothing."""
    for tenant in await knowing(storage.backend, user_id, person):

        async def one(tenant: Tenant = tenant) -> None:
            async with storage.begin(tenant) as transaction:
                await leave(transaction, user_id, person, by=by)

        await storage.retry(one)
