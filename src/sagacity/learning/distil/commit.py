"""Commit everything that a run changes in one transaction."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from sagacity.domain.cursor import Lease
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import ArchivedBy, Memory, Status
from sagacity.domain.quota import QuotaName
from sagacity.learning.distil.read import memories_of
from sagacity.learning.distil.spec import MISSED, Effect, Gone, Plan, Run, Settlement, Spec, State, Written
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction


async def commit(
    transaction: Transaction,
    lease: Lease,
    spec: Spec,
    run: Run,
    *,
    state: State,
    plan: Plan,
    written: Sequence[Written],
) -> Counter[Effect]:
    """
    Write the results of a run; idempotent.

    Playbooks that somebody changed, reviewed or deleted since they were read are not touched, nor are their clusters;
    the next run handles them.

    Args:
        transaction: an open transaction.
        lease: the tenant's lease.
        spec: decides what is stored for each cluster.
        run: what is distilled, and when.
        state: what the run started from.
        plan: what the run planned.
        written: the results of the plan's tasks.

    Returns:
        The effects on the clusters that were written up, and on those that no longer exist.

    Raises:
        Conflict: the lease was lost, or a quarantine holds a playbook; the transaction must not commit.
    """
    await transaction.leases.check(lease)
    worked_on = [one for one in written if one.is_settled]
    now = await _as_now(transaction, spec, plan, worked_on)
    settled = await _within_quota(transaction, await asyncio.to_thread(_settled, spec, run, worked_on, now))
    vectors = {
        product.uid: one.vector
        for one, settlement in zip(worked_on, settled, strict=True)
        if (product := settlement.new or settlement.saved) is not None and one.vector is not None
    }
    settled += [_leaving(run, gone, now) for gone in plan.gone]
    await _store(transaction, run, plan, settled, vectors)
    effects = Counter(one.effect for one in settled)
    await spec.advance(transaction, run, state, written, effects)
    return effects


async def _as_now(
    transaction: Transaction, spec: Spec, plan: Plan, written: Sequence[Written]
) -> dict[MemoryId, Memory]:
    ids = {memory_id for one in written for memory_id in spec.rests_on(one)}
    ids |= {one.memory_id for gone in plan.gone for one in (gone.archives, gone.replaces) if one is not None}
    return {one.memory_id: one for one in await memories_of(transaction, sorted(ids))}


def _settled(
    spec: Spec, run: Run, written: Sequence[Written], now: Mapping[MemoryId, Memory]
) -> list[Settlement]:
    """Settle each cluster against the current state of its members, of which there may be thousands."""
    return [spec.settle(run, one, now) for one in written]


async def _within_quota(transaction: Transaction, settled: Sequence[Settlement]) -> list[Settlement]:
    """Return *settled*, without new memories that would exceed the quota."""
    kept: list[Settlement] = []
    new = 0
    for one in settled:
        is_over = one.new is not None and not await transaction.quotas.has_room(QuotaName.MEMORIES, new + 1)
        kept.append(Settlement(Effect.OVER_QUOTA) if is_over else one)
        new += kept[-1].new is not None
    return kept


def _leaving(run: Run, gone: Gone, now: Mapping[MemoryId, Memory]) -> Settlement:
    """Archive what was made from a cluster that no longer exists, and delete that, unless a person reviewed it."""

    def is_as_read(one: Memory) -> bool:
        return now.get(one.memory_id) == one

    if gone.archives is not None and not is_as_read(gone.archives):
        return MISSED
    stays = gone.replaces if gone.replaces is not None and is_as_read(gone.replaces) else None
    cluster = (
        gone.cluster if stays is None else gone.cluster.model_copy(update={"memory_id": stays.memory_id})
    )
    if gone.archives is None:
        return Settlement(Effect.KEPT, cluster, is_forgotten=stays is None)
    changes = {"status": Status.ARCHIVED, "archived_by": ArchivedBy.LEARNER, "updated_at": run.at}
    return Settlement(
        Effect.ARCHIVED,
        cluster,
        is_forgotten=stays is None,
        saved=gone.archives.model_copy(update=changes),
        before=gone.archives,
        reason=run.mode.reason,
    )


async def _store(
    transaction: Transaction,
    run: Run,
    plan: Plan,
    settled: Sequence[Settlement],
    vectors: Mapping[MemoryUid, Vectors],
) -> None:
    new = {one.new.uid: one for one in settled if one.new is not None}
    stored = await transaction.memories.find_uids(list(new))
    added = await transaction.memories.add(
        [one.new for uid, one in new.items() if one.new is not None and uid not in stored], vectors=vectors
    )
    await transaction.memories.save([one.saved for one in settled if one.saved is not None], vectors=vectors)
    stored |= {memory.uid: memory for memory in added}
    clusters = [
        one.cluster.model_copy(update={"memory_id": stored[one.new.uid].memory_id})
        if one.new is not None
        else one.cluster
        for one in settled
        if one.cluster is not None and not one.is_forgotten
    ]
    members = sorted({member for one in clusters for member in one.member_ids})
    if await transaction.quarantines.holds_any(members):
        raise Conflict("playbooks were put under quarantine in the meantime; try again")
    kept = [one.model_copy(update={"updated_at": run.at}) for one in plan.kept]
    await transaction.clusters.save([*clusters, *kept])
    await transaction.clusters.remove(
        [one.cluster.cluster_id for one in settled if one.cluster is not None and one.is_forgotten]
    )
    changes = [run.occasion(new[memory.uid].reason).change(None, memory) for memory in added]
    changes += [
        run.occasion(one.reason).change(one.before, one.saved)
        for one in settled
        if one.saved is not None and one.before is not None
    ]
    await transaction.changes.add(changes)
