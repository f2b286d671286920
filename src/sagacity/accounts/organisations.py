"""The organisations that an account is a member of."""

from sagacity.accounts.parts import AccountParts
from sagacity.domain.account import Account
from sagacity.domain.errors import Forbidden
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.member import Membership
from sagacity.storage.accounts.across import memberships_of


async def list_organisations(parts: AccountParts, user_id: UserId) -> list[Membership]:
    """Return the organisations of an account, the first one first."""
    return await memberships_of(parts.storage.backend, user_id)


async def where_to_act(parts: AccountParts, account: Account, wanted: str | None) -> OrgId:
    """
    Return the organisation of a new session: the one wanted, else the one last chosen, else the first.

    Raises:
        Forbidden: the account is no member there, or of any.
    """
    mine = [one.org_id for one in await list_organisations(parts, account.user_id)]
    if wanted is not None:
        if wanted not in mine:
            raise Forbidden("the account is not a member of this organisation")
        return OrgId(wanted)
    if not mine:
        raise Forbidden("the account is not a member of any organisation; ask to be invited")
    return account.chosen_org if account.chosen_org in mine else mine[0]
