"""Start the erasure of a user and look at it; a background task does the work."""

from sagacity.domain.audit import AuditAction, NewAuditEntry
from sagacity.domain.erasure import Erasure, Subject
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import UserId
from sagacity.domain.operation import Operation, OperationName, OperationParameters
from sagacity.domain.principal import Permission
from sagacity.domain.role import Role
from sagacity.memories.acting import Acting
from sagacity.memories.operations import watched
from sagacity.storage.accounts.across import owned_by


async def erase_user(acting: Acting, user_id: UserId, *, wait_seconds: float) -> Operation:
    """
    Erase everything stored about a user, even if nothing is. Asking again returns the same run.

    Args:
        acting: on whose behalf.
        user_id: whom.
        wait_seconds: how long it is looked at; 0 for not at all.

    Returns:
        The run as it stands; it goes on if it has not ended, and is never given up.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
        Conflict: the user owns the organisation, and did not ask for it; or the account that goes is the last owner of
            another one.
        ConfigError: the key that signs reports can be neither read nor made.
    """
    _require(acting)
    key = acting.parts.erasure_key()
    user_hash = key.hash_user(acting.tenant.org_id, user_id)
    account = await acting.parts.person_of(user_id)
    if account is not None and account.home == acting.tenant.org_id:
        await _require_other_owners(acting, user_id)

    async def start() -> Operation:
        async with acting.begin(shows_held=True) as transaction:
            await transaction.erasures.hold(user_id)
            member = await transaction.members.find(user_id)
            if member is not None and member.role is Role.OWNER and acting.principal.account_id != user_id:
                raise Conflict(
                    "this user owns the organisation: an owner must give the user another role first"
                )
            running = await transaction.erasures.find_running(user_hash)
            if running is not None:
                return await transaction.operations.get(running)
            is_known = account is not None and (member is not None or account.home == acting.tenant.org_id)
            person = account if is_known else None
            needles = await transaction.erasures.needles(user_id)
            erased = Subject(
                user_id=user_id,
                needles=tuple(needles if person is None else [*needles, person.email]),
                scope_ids=tuple(await transaction.erasures.scope_ids(user_id)),
                person=person,
            )
            operation = await transaction.operations.start(OperationName.USER_ERASURE, OperationParameters())
            await transaction.erasures.add(
                operation.operation_id,
                user_hash=user_hash,
                key_id=key.key_id,
                sealed=key.seal(erased.model_dump_json()),
            )
            await transaction.audit.add(
                NewAuditEntry(
                    action=AuditAction.ERASURE_ORDERED,
                    actor=acting.principal.audited_as,
                    target=operation.operation_id,
                )
            )
        return operation

    return await watched(acting, start, wait_seconds)


async def erasure_of(acting: Acting, erasure_id: str) -> Erasure:
    """
    Return one erasure, with its report once it has ended.

    Raises:
        NotFound: there is none of that id.
        Forbidden: the caller is no administrator, or acts for one user.
    """
    _require(acting)
    async with acting.read() as snapshot:
        return await snapshot.erasures.get(erasure_id)


async def list_erasures(acting: Acting, *, limit: int) -> list[Erasure]:
    """
    Return erasures, the one asked for last first.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
    """
    _require(acting)
    async with acting.read() as snapshot:
        return await snapshot.erasures.list_newest(limit=limit)


async def _require_other_owners(acting: Acting, user_id: UserId) -> None:
    storage = acting.parts.storage
    for tenant in await owned_by(storage.backend, user_id):
        if tenant == acting.tenant:
            continue
        async with storage.read(tenant) as snapshot:
            if await snapshot.members.is_last_owner(user_id):
                raise Conflict(
                    "this user's account is the last owner of another organisation: "
                    "an owner there must make somebody else an owner first"
                )


def _require(acting: Acting) -> None:
    acting.principal.require(Permission.ADMIN)
    acting.require_whole_tenant()
