"""Delete agent playbooks and skills that were derived from an erased user, and distil them again from the others."""

from collections.abc import Sequence

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import DISTIL
from sagacity.domain.erasure import Withdrawn
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.distil.agent_playbooks.trigger import aggregation_of, note_playbooks
from sagacity.learning.distil.skills.plan import options_of
from sagacity.storage.erasure.derived import Derived
from sagacity.storage.erasure.rows import Counts
from sagacity.storage.transaction import Transaction


async def forget_playbooks(
    transaction: Transaction, config: TenantConfig, erasure_id: str, user_id: UserId, *, limit: int
) -> Counts:
    """
    Delete up to *limit* of a user's playbooks, with what was made from them for all users.

    A distillation that read them finds its lease lost, and the next one reads only what others taught.
    """
    ids = await transaction.erased_rows.numbers(user_id, MemoryKind.USER_PLAYBOOK, limit=limit)
    if not ids:
        return {}
    made = await transaction.derived.resting_on(ids)
    lost = await transaction.clusters.taught(ids)
    await transaction.derived.forget_members(ids)
    counts = await _withdraw(transaction, config, erasure_id, made, lost)
    own = await transaction.erased_rows.memories(MemoryKind.USER_PLAYBOOK, ids)
    return {"memories": counts.get("memories", 0) + own.get("memories", 0)}


async def withdraw_by_requests(
    transaction: Transaction,
    config: TenantConfig,
    erasure_id: str,
    user_id: UserId,
    *,
    after: int,
    limit: int,
) -> tuple[Counts, int | None]:
    """
    Delete agent playbooks and skills that name requests of a user, among the next *limit* after the number *after*.

    Returns:
        The counts of deleted rows, and the number from which to continue; None at the end.
    """
    made, last = await transaction.derived.named_by_requests(user_id, after=after, limit=limit)
    counts = await _withdraw(transaction, config, erasure_id, made, set()) if made else {}
    return counts, last


async def _withdraw(
    transaction: Transaction,
    config: TenantConfig,
    erasure_id: str,
    made: Sequence[Derived],
    lost: set[tuple[str, str]],
) -> Counts:
    counts = await transaction.erased_rows.withdrawn([one.memory_id for one in made])
    await transaction.erasures.count(erasure_id, {}, [_withdrawn(one, config) for one in made])
    names = lost | {(one.name, one.agent_version) for one in made}
    await note_playbooks(transaction, config, (), lost=names)
    await transaction.leases.end(DISTIL)
    return counts


def _withdrawn(memory: Derived, config: TenantConfig) -> Withdrawn:
    is_again = aggregation_of(config, memory.name) is not None
    if memory.kind is MemoryKind.SKILL:
        options = options_of(config, memory.name)
        is_again = is_again and options.enabled and options.auto_generate_on_aggregation
    return Withdrawn(
        kind=memory.kind,
        uid=memory.uid,
        name=memory.name,
        agent_version=memory.agent_version,
        was_approved=memory.is_approved,
        is_derived_again=is_again,
    )
