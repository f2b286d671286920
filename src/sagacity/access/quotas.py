"""Quotas of organisations: set by the operator, and visible to whoever may see the whole organisation."""

from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.domain.ids import OrgId
from sagacity.domain.principal import Permission, Principal
from sagacity.domain.quota import LARGEST_QUOTA, Limits, Quota
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.transaction import Storage, Transaction


async def make_organisation(transaction: Transaction, tenant: Tenant, defaults: Limits) -> None:
    """
    Create the transaction's *tenant* if it does not exist; it begins with the limits of the settings.

    The organisation that runs the installation has no limits.

    Raises:
        InvalidInput: the id is too long.
    """
    is_new = await transaction.organisation.ensure()
    if is_new and defaults and tenant.org_id != LOCAL_ORG:
        await transaction.quotas.set(defaults)


async def own_quotas(storage: Storage, principal: Principal) -> list[Quota]:
    """
    Return the limits of the caller's organisation, and how much of each is used.

    Raises:
        Forbidden: the caller may not read, or acts for one user.
    """
    principal.require(Permission.READ)
    if principal.user_id is not None:
        raise Forbidden("quotas are for the whole organisation, but this caller acts for one user")
    return await _quotas_of(storage, principal.tenant)


async def quotas_of(storage: Storage, principal: Principal, org_id: str) -> list[Quota]:
    """
    Return the limits of any organisation, and how much of each is used.

    Raises:
        Forbidden: the caller does not run the installation.
        NotFound: there is no such organisation.
    """
    principal.require_operator()
    return await _quotas_of(storage, Tenant(org_id=OrgId(org_id)))


async def set_quotas(storage: Storage, principal: Principal, org_id: str, limits: Limits) -> list[Quota]:
    """
    Set limits of any organisation; None removes a limit, and limits not named stay.

    Raises:
        Forbidden: the caller does not run the installation.
        InvalidInput: a limit is negative, or too large.
        NotFound: there is no such organisation.
    """
    principal.require_operator()
    for name, most in limits.items():
        if most is not None and not 0 <= most <= LARGEST_QUOTA:
            raise InvalidInput(f"{name}: a limit is 0 to {LARGEST_QUOTA:,}, or null for none")

    async def put() -> list[Quota]:
        async with storage.begin(Tenant(org_id=OrgId(org_id))) as transaction:
            await transaction.quotas.set(limits, by=principal.audited_as)
            return await transaction.quotas.list_all()

    return await storage.retry(put)


async def _quotas_of(storage: Storage, tenant: Tenant) -> list[Quota]:
    async with storage.read(tenant) as snapshot:
        return await snapshot.quotas.list_all()
