"""Write decisions as memories: everything that a run changes, in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from sagacity.domain.change import Action, Candidate, Change, ChangeAction, Decision, Occasion
from sagacity.domain.errors import Conflict
from sagacity.domain.extraction import Rejection
from sagacity.domain.ids import IdSource, InteractionId, MemoryUid, RunId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.kinds import VERSIONED_KINDS
from sagacity.domain.memory import (
    ArchivedBy,
    Attributes,
    Memory,
    NewMemory,
    Provenance,
    Status,
)
from sagacity.domain.quota import OVER_QUOTA, QuotaName
from sagacity.domain.trust import most_trusted
from sagacity.learning.lifetime import ends_at
from sagacity.learning.writing.own_name import own_name
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction

_SAID_AGAIN = 0.5
"""The share of the doubt that a repetition with equal confidence removes: half, because one person says both."""
_DOUBTED = 0.9
"""The factor for the confidence in a memory that an agent or a tool contradicts; it never falls below the claim's."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A decision, with the provenance of its candidate."""

    decision: Decision
    extractor_name: str
    provenance: Provenance
    vector: Vectors | None
    targets: tuple[Memory, ...] = ()
    """The memories that the decision is about, as they were when it was made."""


class Stored(Enum):
    """How a candidate was stored."""

    KEPT = "kept"
    """As a memory of its own."""
    MERGED = "merged"
    """As part of another memory, or as its evidence."""
    ENDED = "ended"
    """Only by archiving others, as it asked."""


Fate = Stored | Rejection


@dataclass(slots=True)
class Applied:
    """How many memories a run added, updated and removed."""

    added_count: int = 0
    updated_count: int = 0
    removed_count: int = 0
    changes: list[Change] = field(default_factory=list[Change])
    fates: list[Fate] = field(default_factory=list[Fate])
    """The outcome of each proposal, in order."""

    @property
    def note_of_quota(self) -> str:
        """A note that not everything was stored because the organisation's quota is used up; empty if it is not."""
        return OVER_QUOTA if Rejection.OVER_QUOTA in self.fates else ""

    def note(self, fate: Fate, changes: Sequence[Change]) -> None:
        """Count the changes of one decision."""
        self.fates.append(fate)
        actions = [change.action for change in changes]
        self.added_count += actions.count(ChangeAction.ADDED)
        self.updated_count += actions.count(ChangeAction.UPDATED)
        self.removed_count += actions.count(ChangeAction.REMOVED)
        self.changes += changes


def search_text(candidate: Candidate) -> str:
    """Return the text by which the candidate's memory will be found and compared."""
    features = (str(value) for value in candidate.custom_features.values())
    parts = (
        candidate.trigger or "",
        candidate.content,
        candidate.pitfall or "",
        *candidate.keywords,
        *features,
    )
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Run:
    """What all decisions of a run have in common."""

    transaction: Transaction
    """The open transaction, in which the caller also moves its cursors."""
    user_id: UserId
    """Whose memories."""
    turns: Mapping[InteractionId, Interaction]
    """The turns that are evidence, by id."""
    run_id: RunId
    """Recorded with every change."""
    now: datetime
    """The time of the changes."""
    ids: IdSource
    """Makes the uids of new memories."""
    status: Status = Status.CURRENT
    """The version that is written. Memories that it supersedes are archived in either case."""
    notes_names: bool = True
    """Whether entities are added to the graph."""

    def evidence_of(self, decision: Decision) -> list[Interaction]:
        """Return the existing turns that the candidate rests on, oldest first by when they happened."""
        known = (self.turns[number] for number in decision.candidate.evidence if number in self.turns)
        return sorted(known, key=lambda turn: (turn.occurred_at, turn.seq))


async def apply(run: Run, proposals: Sequence[Proposal]) -> Applied:
    """
    Carry out decisions: write memories, their search documents, the graph and the change log.

    New memories beyond the organisation's quota are not stored; confirmations of existing ones are.

    A target that was deleted, or no longer belongs to this version, is not changed, and the candidate is stored alone.
    A merge that lost one of its targets is not carried out, because its text may contain what was deleted.

    Raises:
        Conflict: a person changed a target since the decision, or a quarantine holds what was read; roll back, and
            decide again.
    """
    done = Applied()
    for proposal in proposals:
        done.note(*await _carry_out(run, proposal))
    standing = [
        change.after
        for change in done.changes
        if change.after is not None and change.action is not ChangeAction.REMOVED
    ]
    if run.notes_names:
        await run.transaction.graph.link(run.user_id, standing)  # now that all their names are stored
    await run.transaction.changes.add(done.changes)
    return done


async def _carry_out(run: Run, proposal: Proposal) -> tuple[Fate, list[Change]]:
    decision, transaction = proposal.decision, run.transaction
    evidence = run.evidence_of(decision)
    if decision.action is Action.DISCARD:
        return decision.dropped or Stored.MERGED, await _doubted(run, proposal)
    if not evidence:
        return Rejection.DELETED, []
    found = await transaction.memories.get_many(decision.targets)
    _check_unchanged(proposal.targets, found)
    targets = [target for target in found if target.status is run.status]
    if decision.action is Action.MERGE and len(targets) < len(decision.targets):
        targets = []
    occasion = Occasion(
        run_id=run.run_id,
        actor=proposal.provenance.learner,
        reason=decision.reason,
        at=run.now,
        request_id=evidence[-1].request_id,
    )
    if decision.action is Action.UPDATE and targets:
        after = _refreshed(targets[0], decision.candidate, evidence, run.now)
        await transaction.memories.save([after])
        await _relate(run, after, decision.candidate)
        return Stored.MERGED, [occasion.change(targets[0], after)]
    if decision.action is Action.ARCHIVE:
        ended = [(target, _ended(target, evidence[-1].occurred_at, run.now)) for target in targets]
        await transaction.memories.save([after for _, after in ended])
        return Stored.ENDED, [occasion.change(target, after) for target, after in ended]
    if not await transaction.quotas.has_room(QuotaName.MEMORIES):
        return Rejection.OVER_QUOTA, []
    uid = MemoryUid(run.ids.new())
    alone = _new_memory(run, proposal, decision.unmerged or decision.candidate, evidence, uid)
    new, vector = _to_store(run, proposal, targets, evidence, alone)
    [stored] = await transaction.memories.add([new], vectors={} if vector is None else {uid: vector})
    if stored.is_held and not all(target.is_held for target in targets):
        raise Conflict("what was read was put under quarantine in the meantime; try again")
    await _relate(run, stored, decision.candidate)
    added = occasion.change(None, stored)
    if new is not alone:
        await transaction.graph.take_over(stored, targets)
        proposed = Memory.model_construct(**dict(alone), memory_id=stored.memory_id)
        added = added.model_copy(update={"before": proposed})
    changes = [added]
    for target in targets:
        after = _superseded(target, stored, run.now)
        await transaction.memories.save([after])
        changes.append(occasion.change(target, after))
    return Stored.KEPT if new is alone else Stored.MERGED, changes


def _to_store(
    run: Run,
    proposal: Proposal,
    targets: Sequence[Memory],
    evidence: Sequence[Interaction],
    alone: NewMemory,
) -> tuple[NewMemory, Vectors | None]:
    """Return what is stored of a candidate: *alone*, its own memory, or the memory that merges it with *targets*."""
    decision = proposal.decision
    if decision.action is not Action.MERGE:
        return alone, proposal.vector
    if not targets:
        return alone, None  # the vector belongs to the merged text
    united = _new_memory(run, proposal, decision.candidate, evidence, alone.uid)
    return _with_evidence_of(united, targets), proposal.vector


async def _doubted(run: Run, proposal: Proposal) -> list[Change]:
    """Lower the confidence in memories that a claim contradicts, if it is too weak to replace them."""
    decision = proposal.decision
    found = await run.transaction.memories.get_many(decision.doubts)
    occasion = Occasion(
        run_id=run.run_id, actor=proposal.provenance.learner, reason="contradicted", at=run.now
    )
    changes: list[Change] = []
    for memory in found:
        confidence = max(memory.confidence * _DOUBTED, min(memory.confidence, decision.candidate.confidence))
        if memory.status is run.status and confidence < memory.confidence:
            after = memory.model_copy(update={"confidence": round(confidence, 4)})
            await run.transaction.memories.save([after])
            changes.append(occasion.change(memory, after))
    return changes


async def _relate(run: Run, memory: Memory, candidate: Candidate) -> None:
    """Store the entities that a memory mentions, beginning with the user's own name."""
    if not run.notes_names:
        return
    if name := own_name(candidate):
        await run.transaction.graph.call_user(memory, name)
    await run.transaction.graph.add(memory, candidate)


def _check_unchanged(before: Sequence[Memory], now: Sequence[Memory]) -> None:
    known = {memory.memory_id: memory for memory in before}
    for memory in now:
        read = known.get(memory.memory_id, memory)
        through = memory.attributes.confirmed_through
        if memory.search_text != read.search_text or through != read.attributes.confirmed_through:
            raise Conflict(f"memory {memory.memory_id} changed in the meantime; try again")


def _new_memory(
    run: Run, proposal: Proposal, candidate: Candidate, evidence: Sequence[Interaction], uid: MemoryUid
) -> NewMemory:
    last = evidence[-1]
    return NewMemory(
        uid=uid,
        kind=candidate.kind,
        user_id=run.user_id,
        agent_version=last.agent_version,
        name=proposal.extractor_name if candidate.kind in VERSIONED_KINDS else "",
        source=last.source,
        content=candidate.content,
        trigger=candidate.trigger,
        pitfall=candidate.pitfall,
        rationale=candidate.rationale,
        blocking_issue=candidate.blocking_issue,
        attributes=Attributes(
            time_to_live=candidate.time_to_live,
            custom_features=candidate.custom_features,
            extractor_names=(proposal.extractor_name,),
            slot=candidate.slot,
            said_at=last.occurred_at,
            is_unconfirmed=candidate.is_unconfirmed,
            origin=candidate.origin,
        ),
        keywords=candidate.keywords,
        source_request_ids=tuple(dict.fromkeys(turn.request_id for turn in evidence)),
        source_interaction_ids=tuple(turn.interaction_id for turn in evidence),
        provenance=proposal.provenance,
        status=run.status,
        confidence=candidate.confidence,
        created_at=run.now,
        updated_at=run.now,
        valid_from=last.occurred_at,
        expires_at=ends_at(candidate, last.occurred_at),
    )


def _with_evidence_of(new: NewMemory, merged: Sequence[Memory]) -> NewMemory:
    """Return *new* with the evidence of all *merged* memories."""
    requests = [number for one in merged for number in one.source_request_ids]
    turns = [number for one in merged for number in one.source_interaction_ids]
    return new.model_copy(
        update={
            "source_request_ids": tuple(dict.fromkeys([*requests, *new.source_request_ids])),
            "source_interaction_ids": tuple(dict.fromkeys([*turns, *new.source_interaction_ids])),
        }
    )


def _refreshed(
    memory: Memory, candidate: Candidate, evidence: Sequence[Interaction], now: datetime
) -> Memory:
    """
    Return a memory that was said again: its evidence grows, and its end moves later if it has one.

    Fields that only the candidate has are added, except to a memory that a person wrote or confirmed.
    """
    is_open = memory.attributes.confirmed_through is None
    added = _added(memory, candidate) if is_open else {}
    requests = dict.fromkeys((*memory.source_request_ids, *(turn.request_id for turn in evidence)))
    turns = dict.fromkeys((*memory.source_interaction_ids, *(turn.interaction_id for turn in evidence)))
    attributes: dict[str, Any] = {
        "said_at": max(memory.attributes.said_at or evidence[-1].occurred_at, evidence[-1].occurred_at),
        "is_unconfirmed": memory.attributes.is_unconfirmed and candidate.is_unconfirmed,
        "origin": most_trusted((memory.attributes.origin, candidate.origin)),
    }
    if is_open:
        attributes["custom_features"] = candidate.custom_features | memory.attributes.custom_features
    return memory.model_copy(
        update={
            **added,
            "attributes": memory.attributes.model_copy(update=attributes),
            "source_request_ids": tuple(requests),
            "source_interaction_ids": tuple(turns),
            "confidence": corroborated(memory.confidence, candidate.confidence)
            if len(turns) > len(memory.source_interaction_ids)
            else max(memory.confidence, candidate.confidence),
            "updated_at": now,
            "expires_at": _prolonged(memory, candidate, evidence[-1].occurred_at),
        }
    )


def corroborated(one: float, other: float) -> float:
    """Return the confidence (0..1) in what was said twice; the less certain statement reduces the other's doubt."""
    return round(max(one, other) + (1.0 - max(one, other)) * min(one, other) * _SAID_AGAIN, 4)


def _added(memory: Memory, candidate: Candidate) -> dict[str, Any]:
    """Return the fields that a candidate has and the memory lacks."""
    return {
        "pitfall": memory.pitfall or candidate.pitfall,
        "rationale": memory.rationale or candidate.rationale,
        "blocking_issue": memory.blocking_issue or candidate.blocking_issue,
        "keywords": tuple(dict.fromkeys((*memory.keywords, *candidate.keywords))),
    }


def _prolonged(memory: Memory, candidate: Candidate, said_at: datetime) -> datetime | None:
    """Return the new end of a repeated memory: its time to live restarts, but never from an older turn."""
    same = candidate.model_copy(
        update={"time_to_live": memory.attributes.time_to_live, "slot": memory.attributes.slot}
    )
    before, after = memory.expires_at, ends_at(same, said_at)
    if after is None:  # a person set the end, which stays until it has passed and the fact is repeated
        return before if before is not None and before > said_at else None
    return after if before is None else max(after, before)


def _superseded(memory: Memory, successor: Memory, now: datetime) -> Memory:
    """Return *memory* archived, with its successor."""
    ended = _ended(memory, successor.valid_from, now)
    return ended.model_copy(update={"superseded_by": successor.memory_id})


def _ended(memory: Memory, at: datetime | None, now: datetime) -> Memory:
    """Return *memory* archived, no longer valid since *at*."""
    return memory.model_copy(
        update={
            "status": Status.ARCHIVED,
            "archived_by": ArchivedBy.LEARNER,
            "valid_to": at,
            "updated_at": now,
        }
    )
