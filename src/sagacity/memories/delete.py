"""Delete memories with their history."""

from collections.abc import Sequence

import structlog

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.distil.agent_playbooks.trigger import note_playbooks
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)


async def delete_memories(
    acting: Acting,
    kind: MemoryKind,
    *,
    ids: Sequence[int] | None = None,
    uids: Sequence[str] | None = None,
    user_id: UserId | None = None,
    is_logged: bool = True,
) -> int:
    """
    Delete memories of one kind with their history; returns how many. Without ids or uids, delete all.

    All includes those that quarantines hold; named ones are not found while they are held.

    Args:
        acting: on whose behalf.
        kind: the kind.
        ids: only these numbers.
        uids: only these uids.
        user_id: only this user's; None: everyone's.
        is_logged: log the deletion; False if the caller logs several calls at once.

    Raises:
        Forbidden: the caller may not write that kind.
    """
    acting.require_to_write_kind(kind)
    config = await acting.config()
    is_all = ids is None and uids is None
    async with acting.begin(user_id=user_id, shows_held=is_all) as transaction:
        count = await _delete(transaction, config, kind, ids=ids, uids=uids, user_id=user_id)
    if is_logged:
        log_deleted(acting, kind, count)
    if kind is MemoryKind.USER_PLAYBOOK:
        acting.parts.dispatcher.poll_now()
    return count


async def delete_all_playbooks(acting: Acting) -> int:
    """
    Delete all user and agent playbooks; returns how many.

    Raises:
        Forbidden: the caller may not write what serves all users.
    """
    kinds = (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)
    acting.require_to_write_kind(MemoryKind.AGENT_PLAYBOOK)
    config = await acting.config()
    async with acting.begin(shows_held=True) as transaction:
        counts = {kind: await _delete(transaction, config, kind) for kind in kinds}
    for kind, one in counts.items():
        log_deleted(acting, kind, one)
    acting.parts.dispatcher.poll_now()
    return sum(counts.values())


async def _delete(
    transaction: Transaction,
    config: TenantConfig,
    kind: MemoryKind,
    *,
    ids: Sequence[int] | None = None,
    uids: Sequence[str] | None = None,
    user_id: UserId | None = None,
) -> int:
    """Delete memories, and make aggregation due if user playbooks were deleted."""
    lost = await transaction.clusters.taught(ids) if kind is MemoryKind.USER_PLAYBOOK else ()
    count = await transaction.memories.delete(kind, ids=ids, uids=uids, user_id=user_id)
    await note_playbooks(transaction, config, (), lost=lost)
    return count


def log_deleted(acting: Acting, kind: MemoryKind, count: int) -> None:
    """Log who deleted. The history of a deleted memory is deleted too, so that its content survives nowhere."""
    _log.info("memory.deleted", actor=acting.principal.actor, kind=str(kind), count=count)
