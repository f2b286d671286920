"""The audit log, read by those who administer."""

from sagacity.domain.audit import AuditEntry, AuditFilter
from sagacity.domain.errors import Forbidden
from sagacity.domain.principal import Permission, Principal
from sagacity.storage.transaction import Storage


async def list_audit(
    storage: Storage,
    principal: Principal,
    wanted: AuditFilter,
    *,
    before: int | None = None,
    after: int | None = None,
    limit: int,
) -> list[AuditEntry]:
    """
    Return rows of the organisation's audit log.

    Args:
        storage: where they are.
        principal: the caller.
        wanted: which.
        before: only rows with a smaller number, newest first.
        after: only rows with a larger number, oldest first. With neither, newest first.
        limit: how many at most.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
    """
    principal.require(Permission.ADMIN)
    if principal.user_id is not None:
        raise Forbidden("the audit log covers the whole organisation, but this caller acts for one user")
    async with storage.read(principal) as snapshot:
        if after is not None:
            return await snapshot.audit.list_oldest(wanted, after=after, limit=limit)
        return await snapshot.audit.list_newest(wanted, before=before, limit=limit)
