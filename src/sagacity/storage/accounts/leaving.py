"""What an erased account leaves in organisations besides its rows: roles, and invitations to it and by it."""

from sagacity.domain.account import Person
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import Tenant
from sagacity.storage.accounts.across import knowing
from sagacity.storage.transaction import Storage, Transaction


async def leave(
    transaction: Transaction, user_id: UserId, person: Person | None, *, by: str
) -> dict[str, int]:
    """
    Take a user's account out of one organisation, with every invitation to it or by it.

    Args:
        transaction: of the organisation.
        user_id: the user; one whose id is an address may have been invited by it.
        person: the user's account, if it is known.
        by: who says so, as the audit log names callers.

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
    """Take an account out of every organisation, each in a transaction of its own; done again, it finds nothing."""
    for tenant in await knowing(storage.backend, user_id, person):

        async def one(tenant: Tenant = tenant) -> None:
            async with storage.begin(tenant) as transaction:
                await leave(transaction, user_id, person, by=by)

        await storage.retry(one)
