"""Runs of a learner over three turns, by decisions of the test, and what was recorded of them."""

from sagacity.domain.change import Action, Candidate, Decision, RecordedChange
from sagacity.domain.clock import Clock
from sagacity.domain.ids import RunId
from sagacity.domain.memory import Memory, MemoryKind, NewMemory, Provenance, Status
from sagacity.domain.tenant import Tenant
from sagacity.learning.writing.apply import Applied, Proposal, Run, apply
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, CountingIds, StoppedClock, said


async def publish(storage: Storage, clock: StoppedClock) -> None:
    """Three turns of Anna's, numbered 1 to 3, an hour apart, of the requests r1 to r3."""
    for number in (1, 2, 3):
        await storage.append(ORG, said(f"turn {number}", request_id=f"r{number}"))
        clock.advance(3_600)


async def stored(storage: Storage, *new: NewMemory) -> list[Memory]:
    async with storage.begin(ORG) as tx:
        return await tx.memories.add(new)


def decided(
    action: Action, content: str, evidence: tuple[int, ...], *targets: Memory, reason: str = ""
) -> Decision:
    one = Candidate(kind=MemoryKind.PROFILE, content=content, evidence=evidence, keywords=("new",))
    return Decision(
        action=action, candidate=one, targets=tuple(target.memory_id for target in targets), reason=reason
    )


def merged(content: str, own: str, evidence: tuple[int, ...], *targets: Memory) -> Decision:
    """A merge whose candidate said *own* before it became *content*."""
    decision = decided(Action.MERGE, own, evidence, *targets, reason="one thing")
    whole = decision.candidate.model_copy(update={"content": content, "keywords": ("new", "former")})
    return decision.model_copy(update={"candidate": whole, "unmerged": decision.candidate})


_uids = CountingIds("learned")


async def written(
    storage: Storage,
    clock: Clock,
    *decisions: Decision,
    status: Status = Status.CURRENT,
    tenant: Tenant = ORG,
) -> Applied:
    """Carry out decisions as the learner `profile:x`: the first time in the run `run-1`, then in `run-2` …"""
    async with storage.read(tenant) as snapshot:
        turns = await snapshot.interactions.log(ANNA, after_seq=0, limit=100)
        runs = await snapshot.changes.list_runs(MemoryKind.PROFILE, limit=100)
    run_id = RunId(f"run-{len(runs) + 1}")
    proposals = [
        Proposal(one, "x", Provenance(learner="profile:x", method="rules", run_id=run_id), None)
        for one in decisions
    ]
    async with storage.begin(tenant) as tx:
        known = {turn.interaction_id: turn for turn in turns}
        run = Run(tx, ANNA, known, run_id=run_id, now=clock.now(), ids=_uids, status=status)
        return await apply(run, proposals)


async def changes_of(storage: Storage, memory: Memory) -> list[RecordedChange]:
    async with storage.read(ORG) as snapshot:
        return await snapshot.changes.of_memories([memory.memory_id], limit=1_000)
