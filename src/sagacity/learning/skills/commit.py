"""What was written up is stored, as far as it still holds, in the transaction of its run."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from sagacity.domain.amounts import counted
from sagacity.domain.change import Occasion
from sagacity.domain.cluster import PlaybookCluster, SkillsMade
from sagacity.domain.ids import MemoryUid, RunId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.learning.skills import plan
from sagacity.learning.skills.draft import Draft
from sagacity.learning.skills.survey import Job
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction


class Outcome(Enum):
    """What became of a cluster."""

    CREATED = auto()
    UPDATED = auto()
    KEPT = auto()


@dataclass(frozen=True, slots=True)
class Run:
    """What is recorded of everything that a run changes."""

    run_id: RunId
    actor: str
    at: datetime

    def occasion(self, reason: str) -> Occasion:
        """Return the record of one change, without the change."""
        return Occasion(run_id=self.run_id, actor=self.actor, reason=reason, at=self.at)


@dataclass(frozen=True, slots=True)
class Written:
    """A cluster that was written up."""

    job: Job
    draft: Draft | None
    """None: it has no task in common."""
    uid: MemoryUid
    """Of the skill, if it is a new one."""
    vector: Vectors | None
    """float32 [d] of what the draft says; None: it is made later."""


async def commit(
    transaction: Transaction, run: Run, written: Sequence[Written], unchanged: Sequence[PlaybookCluster]
) -> SkillsMade:
    """
    Store skills and clusters.

    What happened since the playbooks were read counts: a cluster that lost a member meanwhile is left for the next run,
    a skill that was deleted stays deleted, and one on which a person decided is not written over. Done again after a
    commit that nobody heard of, it changes nothing and gives the same counts.
    """
    stored = [await _store(transaction, run, one) for one in written if await _holds(transaction, one.job)]
    await transaction.clusters.save([*unchanged, *(cluster for cluster, _ in stored)])
    outcomes = [outcome for _, outcome in stored]
    return SkillsMade(
        created=outcomes.count(Outcome.CREATED),
        updated=outcomes.count(Outcome.UPDATED),
        left=len(written) - len(stored),
    )


async def _holds(transaction: Transaction, job: Job) -> bool:
    """Whether all members are still what was read: who deletes a playbook does not want it in a skill."""
    now = {book.memory_id: book for book in await transaction.memories.get_many(job.cluster.member_ids)}
    return all(
        (found := now.get(book.memory_id)) is not None
        and found.status is Status.CURRENT
        and found.search_text == book.search_text
        for book in job.members
    )


async def _store(transaction: Transaction, run: Run, one: Written) -> tuple[PlaybookCluster, Outcome]:
    """Store one skill; returns its cluster, and what it counts as."""
    job, draft = one.job, one.draft
    former = None
    if job.former is not None:
        found = await transaction.memories.get_many([job.former.memory_id], kind=MemoryKind.SKILL)
        former = plan.standing(found[0] if found else None)
        if former is None:
            return job.cluster.model_copy(update={"memory_id": None}), Outcome.KEPT
    if draft is None:
        return job.cluster, Outcome.KEPT
    if former is not None and plan.says_the_same(former, draft):
        await transaction.memories.save([plan.with_members(former, job.members)])
        return job.cluster, Outcome.KEPT
    if former is not None and not plan.is_touched(former):
        return await _write_over(transaction, run, one, former, draft)
    return await _add(transaction, run, one, former, draft)


async def _write_over(
    transaction: Transaction, run: Run, one: Written, former: Memory, draft: Draft
) -> tuple[PlaybookCluster, Outcome]:
    if former.provenance.run_id != run.run_id:
        after = plan.written_over(former, draft, one.job.members, run_id=run.run_id, now=run.at)
        vectors = {} if one.vector is None else {after.uid: one.vector}
        await transaction.memories.save([after], vectors=vectors)
        occasion = run.occasion(f"written anew from {counted(len(one.job.members), 'playbook')}")
        await transaction.changes.add([occasion.change(former, after)])
    return one.job.cluster, Outcome.UPDATED


async def _add(
    transaction: Transaction, run: Run, one: Written, former: Memory | None, draft: Draft
) -> tuple[PlaybookCluster, Outcome]:
    stored = (await transaction.memories.find_uids([one.uid])).get(one.uid)
    if stored is None:
        new = plan.new_skill(draft, one.job.members, former, uid=one.uid, run_id=run.run_id, now=run.at)
        vectors = {} if one.vector is None else {new.uid: one.vector}
        [stored] = await transaction.memories.add([new], vectors=vectors)
        reason = f"written from {counted(len(one.job.members), 'playbook')}"
        if former is not None:
            reason += f"; takes the place of skill {former.memory_id} once it is approved"
        await transaction.changes.add([run.occasion(reason).change(None, stored)])
    cluster = one.job.cluster.model_copy(update={"memory_id": stored.memory_id})
    return cluster, Outcome.CREATED if former is None else Outcome.UPDATED
