"""Decisions become memories: everything that one run changes, in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sagacity.domain.change import Action, Candidate, Change, ChangeAction, Decision
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource, InteractionId, MemoryUid, RunId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Attributes, Memory, MemoryKind, NewMemory, Provenance, Status
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Proposal:
    """A decision, with what is recorded of the candidate's origin."""

    decision: Decision
    extractor_name: str
    provenance: Provenance
    vector: Vectors | None


@dataclass(slots=True)
class Applied:
    """How many memories a run added, updated and removed."""

    added_count: int = 0
    updated_count: int = 0
    removed_count: int = 0
    changes: list[Change] = field(default_factory=list[Change])


def search_text(candidate: Candidate) -> str:
    """Return the text by which the candidate's memory will be found, and by which it is compared."""
    features = (str(value) for value in candidate.custom_features.values())
    parts = (
        candidate.trigger or "",
        candidate.content,
        candidate.pitfall or "",
        *candidate.keywords,
        *features,
    )
    return "\n".join(part for part in parts if part)


async def apply(
    transaction: Transaction,
    user_id: UserId,
    proposals: Sequence[Proposal],
    turns: Mapping[InteractionId, Interaction],
    *,
    run_id: RunId,
    clock: Clock,
    ids: IdSource,
) -> Applied:
    """
    Carry out decisions: memories, their search documents, the graph and the change log.

    Args:
        transaction: open; the caller moves its cursors in it too.
        user_id: whose memories.
        proposals: what was decided.
        turns: the evidence, by id.
        run_id: recorded with every change.
        clock: the time of the changes.
        ids: names of new memories.
    """
    done = Applied()
    now = clock.now()
    for proposal in proposals:
        decision = proposal.decision
        evidence = sorted(
            (turns[number] for number in decision.candidate.evidence if number in turns),
            key=lambda turn: turn.seq,
        )
        if decision.action is Action.DISCARD or not evidence:
            continue
        targets = await transaction.memories.get_many(decision.targets)
        if decision.action is Action.UPDATE and targets:
            after = _refreshed(targets[0], decision.candidate, evidence, now)
            await transaction.memories.save([after])
            await transaction.graph.add(after, decision.candidate)
            done.updated_count += 1
            change = _change(
                ChangeAction.UPDATED, evidence, run_id=run_id, now=now, before=targets[0], after=after
            )
            done.changes.append(change)
            continue
        new = _new_memory(proposal, user_id, evidence, now, MemoryUid(ids.new()))
        if decision.action is Action.MERGE:
            new = _with_evidence_of(new, targets)
        vectors = {} if proposal.vector is None else {new.uid: proposal.vector}
        [stored] = await transaction.memories.add([new], vectors=vectors)
        await transaction.graph.add(stored, decision.candidate)
        done.added_count += 1
        done.changes.append(_change(ChangeAction.ADDED, evidence, run_id=run_id, now=now, after=stored))
        for target in targets:
            await transaction.memories.save([_superseded(target, stored, now)])
            done.removed_count += 1
            done.changes.append(
                _change(ChangeAction.REMOVED, evidence, run_id=run_id, now=now, before=target)
            )
    changed = [change.after for change in done.changes if change.after is not None]
    await transaction.graph.link(user_id, changed)  # now that the names of all of them are known
    await transaction.changes.add(done.changes)
    return done


def _new_memory(
    proposal: Proposal, user_id: UserId, evidence: Sequence[Interaction], now: datetime, uid: MemoryUid
) -> NewMemory:
    candidate = proposal.decision.candidate
    last = evidence[-1]
    return NewMemory(
        uid=uid,
        kind=candidate.kind,
        user_id=user_id,
        agent_version=last.agent_version,
        name=proposal.extractor_name if candidate.kind is MemoryKind.USER_PLAYBOOK else "",
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
        ),
        keywords=candidate.keywords,
        source_request_ids=tuple(dict.fromkeys(turn.request_id for turn in evidence)),
        source_interaction_ids=tuple(turn.interaction_id for turn in evidence),
        provenance=proposal.provenance,
        confidence=candidate.confidence,
        created_at=now,
        updated_at=now,
        valid_from=min(last.happened_at or last.created_at, last.created_at),  # no clock says what is to come
        expires_at=candidate.time_to_live.expiry(last.created_at),
    )


def _with_evidence_of(new: NewMemory, merged: Sequence[Memory]) -> NewMemory:
    """What is said in one memory now rests on all that the merged ones rested on."""
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
    """The same, said again: its evidence grows, and its time to live starts anew, but never from an older turn."""
    expires_at = memory.attributes.time_to_live.expiry(evidence[-1].created_at)
    if expires_at is not None and memory.expires_at is not None:
        expires_at = max(expires_at, memory.expires_at)
    requests = dict.fromkeys((*memory.source_request_ids, *(turn.request_id for turn in evidence)))
    turns = dict.fromkeys((*memory.source_interaction_ids, *(turn.interaction_id for turn in evidence)))
    return memory.model_copy(
        update={
            "source_request_ids": tuple(requests),
            "source_interaction_ids": tuple(turns),
            "confidence": max(memory.confidence, candidate.confidence),
            "updated_at": now,
            "expires_at": expires_at,
        }
    )


def _superseded(memory: Memory, successor: Memory, now: datetime) -> Memory:
    """No longer current; kept, with its successor named."""
    return memory.model_copy(
        update={
            "status": Status.ARCHIVED,
            "superseded_by": successor.memory_id,
            "valid_to": successor.valid_from,
            "updated_at": now,
        }
    )


def _change(
    action: ChangeAction,
    evidence: Sequence[Interaction],
    *,
    run_id: RunId,
    now: datetime,
    before: Memory | None = None,
    after: Memory | None = None,
) -> Change:
    one = after or before
    if one is None:
        raise ValueError("a change needs a memory before or after it")
    return Change(
        run_id=run_id,
        kind=one.kind,
        user_id=one.user_id,
        request_id=evidence[-1].request_id,
        memory_id=one.memory_id,
        action=action,
        before=before,
        after=after,
        created_at=now,
    )
