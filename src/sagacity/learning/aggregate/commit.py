"""Everything that one run of aggregation changes, written together or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sagacity.domain.change import Change, ChangeAction, Occasion
from sagacity.domain.cluster import AggregationMode, PlaybookCluster
from sagacity.domain.cursor import Lease
from sagacity.domain.ids import MemoryId, MemoryUid, RunId
from sagacity.domain.memory import ArchivedBy, Memory, NewMemory, Status
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.learning.aggregate.draft import Draft, new_playbook, rewritten
from sagacity.learning.aggregate.plan import Plan, Task, same_wording
from sagacity.learning.aggregate.trigger import bookmark, bookmark_of, learner_of
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction

_COUNTED = (ChangeAction.ADDED, ChangeAction.UPDATED, ChangeAction.REMOVED)


@dataclass(frozen=True, slots=True)
class Run:
    """Which playbooks were aggregated, how and when."""

    name: str
    agent_version: str
    learner: str
    mode: AggregationMode
    seen: Mapping[MemoryId, str]
    """The user playbooks that it saw, each with its wording."""
    at: datetime
    run_id: str

    @property
    def occasion(self) -> Occasion:
        """What the change log says of it."""
        return Occasion(
            run_id=RunId(self.run_id), actor=learner_of(self.name), reason=self.mode.reason, at=self.at
        )


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one cluster; it stays with its cluster, wherever it stands in a list."""

    task: Task
    draft: Draft | None = None
    """None: what is in force says it all, unless it failed or was left."""
    members: tuple[Memory, ...] = ()
    uid: MemoryUid | None = None
    """Under which a new playbook is stored."""
    cluster_id: str = ""
    """Under which a new cluster is stored."""
    error: str = ""
    is_left: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether the cluster was worked on to the end."""
        return not self.error and not self.is_left

    @property
    def own_cluster_id(self) -> str:
        """The cluster's id for ever."""
        return self.cluster_id if self.task.cluster is None else self.task.cluster.cluster_id

    def playbook(self, run: Run) -> NewMemory | Memory:
        """
        Return the playbook in the new words.

        Raises:
            ValueError: there are none.
        """
        if self.draft is None or self.uid is None:
            raise ValueError("nothing was written")
        if self.task.rewrites is not None:
            return rewritten(self.task.rewrites, self.draft, self.members, now=run.at)
        return new_playbook(
            self.draft,
            self.members,
            uid=self.uid,
            cluster_id=self.own_cluster_id,
            replaces=None if self.task.in_force is None else self.task.in_force.memory_id,
            now=run.at,
        )


class Done(NamedTuple):
    """How many playbooks a run changed."""

    generated: int
    updated: int
    archived: int


async def commit(
    transaction: Transaction,
    lease: Lease,
    run: Run,
    plan: Plan,
    *,
    written: Sequence[Written],
    vectors: Mapping[MemoryUid, Vectors],
) -> Done:
    """
    Write what a run came to. Done twice, it changes nothing the second time.

    A playbook that somebody changed, decided on or deleted since it was read stays as it is now, and so does its
    cluster: the next run sees to it.

    Args:
        transaction: open.
        lease: the tenant's.
        run: when it is, and of what.
        plan: what was to be done.
        written: what came of the plan's tasks.
        vectors: float32 [d] of the playbooks in their new words, by uid, as far as there are any.

    Raises:
        Conflict: the lease was lost; the transaction must not commit.
    """
    await transaction.leases.check(lease)
    clusters = {
        one.cluster_id: one for one in await transaction.clusters.of(run.learner, run.name, run.agent_version)
    }
    present = await _as_read(transaction, plan, written)
    known = await transaction.memories.find_uids([one.uid for one in written if one.uid is not None])
    settled = [one for one in written if one.is_settled and one.uid not in known]
    added = [one for one in settled if one.draft is not None and one.task.rewrites is None]
    stored = await transaction.memories.add([one.playbook(run) for one in added], vectors=vectors)
    made = {one.own_cluster_id: memory.memory_id for one, memory in zip(added, stored, strict=True)}
    changes = [run.occasion.change(None, memory) for memory in stored]
    rows: list[PlaybookCluster] = []
    for one in settled:
        former = one.task.rewrites
        if one.draft is not None and former is not None:
            if former.memory_id not in present:
                continue
            changes += await _rewrite(transaction, run, former, one, vectors)
        before = clusters.get(one.own_cluster_id)
        rows.append(_row(run, one, before, made.get(one.own_cluster_id)))
    archived, kept, forgotten = _leaving(plan, present)
    changes += await _archive(transaction, run, archived)
    moved = [one.model_copy(update={"updated_at": run.at}) for one in plan.moved]
    await transaction.clusters.save([*rows, *kept, *moved])
    await transaction.clusters.remove(forgotten)
    await transaction.changes.add(changes)
    await _advance(transaction, run, written)
    return Done(*(sum(change.action is action for change in changes) for action in _COUNTED))


async def _as_read(transaction: Transaction, plan: Plan, written: Sequence[Written]) -> set[MemoryId]:
    """Return those of the playbooks that the run leans on that are as they were read."""
    read = {
        one.memory_id: one
        for one in (
            *(gone.archives for gone in plan.gone),
            *(gone.in_force for gone in plan.gone),
            *(one.task.rewrites for one in written),
        )
        if one is not None
    }
    now = await transaction.memories.get_many(sorted(read))
    return {one.memory_id for one in now if one == read[one.memory_id]}


async def _rewrite(
    transaction: Transaction, run: Run, former: Memory, one: Written, vectors: Mapping[MemoryUid, Vectors]
) -> list[Change]:
    """Put new words in the place of the former ones; if they are the same, only who stands behind them is new."""
    after = former.model_copy(update=dict(one.playbook(run)))
    if same_wording(former, after):
        await transaction.memories.save([after.model_copy(update={"updated_at": former.updated_at})])
        return []
    await transaction.memories.save([after], vectors=vectors)
    return [run.occasion.change(former, after)]


def _row(
    run: Run, one: Written, before: PlaybookCluster | None, memory_id: MemoryId | None
) -> PlaybookCluster:
    """Return a cluster with the members that were worked on; without new words its playbook stays the same."""
    return PlaybookCluster(
        cluster_id=one.own_cluster_id,
        learner=run.learner,
        name=run.name,
        agent_version=run.agent_version,
        fingerprint=one.task.fingerprint,
        member_ids=one.task.members,
        memory_id=memory_id or (None if before is None else before.memory_id),
        created_at=run.at if before is None else before.created_at,
        updated_at=run.at,
    )


def _leaving(plan: Plan, present: set[MemoryId]) -> tuple[list[Memory], list[PlaybookCluster], list[str]]:
    """Return the playbooks to archive, the clusters that are kept although they are gone, and those forgotten."""
    archived: list[Memory] = []
    kept: list[PlaybookCluster] = []
    forgotten: list[str] = []
    for gone in plan.gone:
        if gone.archives is not None:
            if gone.archives.memory_id not in present:
                continue
            archived.append(gone.archives)
        if gone.in_force is None or gone.in_force.memory_id not in present:
            forgotten.append(gone.cluster.cluster_id)
        else:
            kept.append(gone.cluster.model_copy(update={"memory_id": gone.in_force.memory_id}))
    return archived, kept, forgotten


async def _archive(transaction: Transaction, run: Run, playbooks: Sequence[Memory]) -> list[Change]:
    after = [
        one.model_copy(
            update={"status": Status.ARCHIVED, "archived_by": ArchivedBy.LEARNER, "updated_at": run.at}
        )
        for one in playbooks
    ]
    await transaction.memories.save(after)
    return [run.occasion.change(before, now) for before, now in zip(playbooks, after, strict=True)]


async def _advance(transaction: Transaction, run: Run, written: Sequence[Written]) -> None:
    """Note how far the run got: not beyond what came, changed or went behind its back."""
    before = await transaction.cursors.hold(TENANT_SCOPE, bookmark_of(run.name, run.agent_version))
    now = await transaction.clusters.candidates(run.name, run.agent_version, after=before.seq)
    missed = min((number for number, wording in now.items() if run.seen.get(number) != wording), default=None)
    newest = max((number for number in run.seen if missed is None or number < missed), default=None)
    is_stale = any(number > before.seq and number not in now for number in run.seen)
    error = next((one.error for one in written if one.error), "")
    after = bookmark(before, newest, is_stale=is_stale, error=error)
    await transaction.cursors.save(after, read=before)
