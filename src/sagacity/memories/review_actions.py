"""Actions on memories of the review queue, and undoing them; each step is in the change log."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from sagacity.domain.change import Change, ChangeAction, Occasion
from sagacity.domain.errors import Conflict, InvalidInput
from sagacity.domain.ids import MemoryId
from sagacity.domain.kinds import TENANT_KINDS, VERSIONED_KINDS, visibility_of
from sagacity.domain.memory import ARCHIVED_STATUSES, Memory, MemoryKind, Status, Visibility
from sagacity.domain.review_queue import SUPERSEDED_BY, NewReviewAction, ReviewAction, ReviewStep
from sagacity.domain.views.user_playbook import PLAYBOOK_METADATA
from sagacity.memories.acting import Acting
from sagacity.memories.edits import archived, archived_for, occasion
from sagacity.memories.history import find_memory
from sagacity.memories.write import edit_memory
from sagacity.storage.transaction import Transaction

_SUPERSEDED_BY_KIND = "superseded_by_kind"
_NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a person decided on one memory."""

    memory: str
    """A uid, a number or a citation; see `find_memory`."""
    kind: MemoryKind | None
    step: ReviewStep
    other: str | None = None
    """The memory that supersedes it, or that it is merged into."""
    other_kind: MemoryKind | None = None
    """None: the kind of the memory."""
    content: str | None = None
    """The text of the merged memory; None: the other memory's text."""
    keep_days: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An action, and its memory as it is now."""

    action: ReviewAction
    memory: Memory


@dataclass(frozen=True, slots=True)
class _Plan:
    """One review: its memory, and the run under which it is recorded in the change log."""

    acting: Acting
    review: Review
    memory: Memory
    other: Memory | None
    why: Occasion

    async def note(self, transaction: Transaction) -> ReviewAction:
        """Record the action and who did it."""
        review, is_kept = self.review, self.review.step is ReviewStep.KEEP
        new = NewReviewAction(
            kind=self.memory.kind,
            memory_id=self.memory.memory_id,
            user_id=self.memory.user_id,
            step=review.step,
            other_id=None if self.other is None else self.other.memory_id,
            actor=self.why.actor,
            reason=review.reason,
            run_id=self.why.run_id,
            created_at=self.why.at,
            kept_until=self.why.at + timedelta(days=review.keep_days) if is_kept else None,
        )
        return await transaction.review_actions.add(new)


async def review_memory(acting: Acting, review: Review) -> Reviewed:
    """
    Keep, archive, supersede or merge one memory, as a person decided.

    Raises:
        NotFound: the caller can reach no such memory.
        Conflict: it is not current, or what is to take its place is not in force.
        InvalidInput: nothing is named that could take its place.
        Forbidden: the caller may not write that kind.
    """
    async with acting.read() as snapshot:
        memory = await find_memory(snapshot, review.memory, review.kind)
        acting.require_to_write_kind(memory.kind)
        other = await _other(snapshot, memory, review)
    _require_current(memory)
    plan = _Plan(acting, review, memory, other, occasion(acting, _reason(review, memory, other)))
    steps = {
        ReviewStep.KEEP: _keep,
        ReviewStep.ARCHIVE: _archive,
        ReviewStep.SUPERSEDE: _supersede,
        ReviewStep.MERGE: _merge,
    }
    return await acting.parts.storage.retry(lambda: steps[review.step](plan))


async def _keep(plan: _Plan) -> Reviewed:
    async with plan.acting.begin() as transaction:
        memory = await transaction.memories.get(plan.memory.memory_id, kind=plan.memory.kind)
        _require_current(memory)
        action = await plan.note(transaction)
        await transaction.changes.add([_kept(plan.why, memory)])
    return Reviewed(action, memory)


async def _archive(plan: _Plan) -> Reviewed:
    return await _put_away(plan, lambda memory: archived(memory, now=plan.why.at))


async def _supersede(plan: _Plan) -> Reviewed:
    other = _named(plan)
    if other.kind is plan.memory.kind:
        successor = other.model_copy(update={"updated_at": plan.why.at})
        return await _put_away(plan, lambda memory: archived_for(successor, memory))

    def noted(memory: Memory) -> Memory:
        noted = {**memory.metadata, PLAYBOOK_METADATA: _with_successor(memory, other)}
        return archived(memory, now=plan.why.at).model_copy(update={"metadata": noted})

    return await _put_away(plan, noted)


async def _put_away(plan: _Plan, change: Callable[[Memory], Memory]) -> Reviewed:
    """Archive the memory, if it and its successor are unchanged."""
    actions: list[ReviewAction] = []

    async def note(
        transaction: Transaction, before: Memory, _after: Memory
    ) -> Sequence[tuple[Memory, Memory]]:
        _require_current(before)
        if plan.other is not None:
            _require_in_force(await transaction.memories.get(plan.other.memory_id))
        actions[:] = [await plan.note(transaction)]
        return ()

    memory = await edit_memory(
        plan.acting,
        plan.memory.memory_id,
        plan.memory.kind,
        change,
        reason=plan.why.reason,
        follow=note,
        run_id=plan.why.run_id,
    )
    return Reviewed(actions[0], memory)


async def _merge(plan: _Plan) -> Reviewed:
    """Archive the memory in favour of the other, which is then supported by the turns of both."""
    other, done = _named(plan), list[Reviewed]()

    def unite(memory: Memory) -> Memory:
        requests = (*memory.source_request_ids, *plan.memory.source_request_ids)
        turns = (*memory.source_interaction_ids, *plan.memory.source_interaction_ids)
        return memory.model_copy(
            update={
                "content": plan.review.content or memory.content,
                "source_request_ids": tuple(dict.fromkeys(requests)),
                "source_interaction_ids": tuple(dict.fromkeys(turns)),
                "confidence": max(memory.confidence, plan.memory.confidence),
                "updated_at": plan.why.at,
            }
        )

    async def put_away(
        transaction: Transaction, before: Memory, after: Memory
    ) -> Sequence[tuple[Memory, Memory]]:
        _require_in_force(before)
        merged = await transaction.memories.get(plan.memory.memory_id, kind=plan.memory.kind)
        _require_current(merged)
        if after.user_id is not None:
            await transaction.graph.take_over(after, [merged])
        gone = archived_for(after, merged)
        done[:] = [Reviewed(await plan.note(transaction), gone)]
        return [(merged, gone)]

    await edit_memory(
        plan.acting,
        other.memory_id,
        other.kind,
        unite,
        reason=plan.why.reason,
        follow=put_away,
        run_id=plan.why.run_id,
    )
    return done[0]


async def undo_review(
    acting: Acting, *, action_id: int | None = None, memory: str = "", kind: MemoryKind | None = None
) -> Reviewed:
    """
    Undo one action: the memory is current and in the queue again, as before.

    A memory that it was merged into gets its former text back, unless it was changed since.

    Args:
        acting: on whose behalf.
        action_id: which; None: the last one on *memory* that was not taken back.
        memory: a uid, a number or a citation; see `find_memory`.
        kind: of which kind it is; None for any.

    Raises:
        NotFound: the caller can reach no such action.
        Conflict: it was taken back already, or the memory was changed since.
        Forbidden: the caller may not write that kind.
    """
    async with acting.read() as snapshot:
        if action_id is not None:
            action = await snapshot.review_actions.get(action_id)
        else:
            found = await find_memory(snapshot, memory, kind)
            last = await snapshot.review_actions.last_of(found.memory_id)
            if last is None:
                raise Conflict(
                    f"nothing was done with memory {found.memory_id} in the review, or it was undone"
                )
            action = last
    acting.require_to_write_kind(action.kind)
    undo = _keep_no_longer if action.step is ReviewStep.KEEP else _restore
    return await acting.parts.storage.retry(lambda: undo(acting, action))


async def _keep_no_longer(acting: Acting, action: ReviewAction) -> Reviewed:
    why = occasion(acting, "not kept out of the review any longer")
    async with acting.begin() as transaction:
        memory = await transaction.memories.get(action.memory_id, kind=action.kind)
        undone = await _mark(transaction, action, why)
        await transaction.changes.add([_kept(why, memory)])
    return Reviewed(undone, memory)


async def _restore(acting: Acting, action: ReviewAction) -> Reviewed:
    why = occasion(acting, f"review undone: {action.step}")
    async with acting.read() as snapshot:
        changes = await snapshot.changes.of_run(action.kind, action.run_id)
    before = {one.memory_id: one.before for one in changes if one.before is not None}
    after = {one.memory_id: one.after for one in changes if one.after is not None}
    done: list[ReviewAction] = []
    was, left = before[action.memory_id], after[action.memory_id]

    def back(memory: Memory) -> Memory:
        former = {name: getattr(was, name) for name in ("status", "superseded_by", "valid_to", "metadata")}
        return memory.model_copy(update={**former, "updated_at": was.updated_at})

    async def follow(
        transaction: Transaction, found: Memory, _restored: Memory
    ) -> Sequence[tuple[Memory, Memory]]:
        if found.status not in ARCHIVED_STATUSES or found.superseded_by != left.superseded_by:
            raise Conflict(f"memory {found.memory_id} was changed since, and is {found.status}")
        done[:] = [await _mark(transaction, action, why)]
        others = [number for number in before if number != action.memory_id]
        return [
            (other, _without_merged(other, before[other.memory_id]))
            for other in await transaction.memories.get_many(others)
            if other.updated_at == after[other.memory_id].updated_at
        ]

    memory = await edit_memory(
        acting, action.memory_id, action.kind, back, reason=why.reason, follow=follow, run_id=why.run_id
    )
    return Reviewed(done[0], memory)


def _without_merged(memory: Memory, former: Memory) -> Memory:
    """Return *memory* as it was before another was merged into it."""
    fields = ("content", "source_request_ids", "source_interaction_ids", "confidence", "updated_at")
    return memory.model_copy(update={name: getattr(former, name) for name in fields})


async def _mark(transaction: Transaction, action: ReviewAction, why: Occasion) -> ReviewAction:
    """Record that an action was undone."""
    now = await transaction.review_actions.get(action.action_id)
    if now.undone_at is not None:
        raise Conflict(f"review action {action.action_id} was undone already")
    await transaction.review_actions.mark_undone(action.action_id, by=why.actor, at=why.at)
    return now.model_copy(update={"undone_at": why.at, "undone_by": why.actor})


async def _other(snapshot: Transaction, memory: Memory, review: Review) -> Memory | None:
    """Return the memory that is to replace *memory*, if the action needs one."""
    if review.step not in {ReviewStep.SUPERSEDE, ReviewStep.MERGE}:
        return None
    if review.other is None:
        raise InvalidInput(f"other_id: to {review.step} a memory, name the one that takes its place")
    other = await find_memory(snapshot, review.other, review.other_kind or memory.kind)
    if other.memory_id == memory.memory_id:
        raise InvalidInput("other_id: a memory cannot take its own place")
    is_same_owner = (other.kind, other.user_id) == (memory.kind, memory.user_id)
    is_same_version = memory.kind not in VERSIONED_KINDS or other.agent_version == memory.agent_version
    if review.step is ReviewStep.MERGE and not (is_same_owner and is_same_version):
        raise InvalidInput("other_id: only memories of one kind, user and agent version can be merged")
    is_rule_for_all = memory.kind in VERSIONED_KINDS and other.kind in TENANT_KINDS
    if not is_same_owner and not is_rule_for_all:
        raise InvalidInput(
            "other_id: name a memory of the same kind and user or, for a playbook, one that serves all users"
        )
    _require_in_force(other)
    return other


def _named(plan: _Plan) -> Memory:
    if plan.other is None:
        raise ValueError("this step needs another memory")
    return plan.other


def _require_current(memory: Memory) -> None:
    if memory.status is not Status.CURRENT:
        raise Conflict(f"memory {memory.memory_id} is {memory.status}; only a current memory is reviewed")


def _require_in_force(other: Memory) -> None:
    if other.status is not Status.CURRENT or visibility_of(other) is not Visibility.SERVED:
        raise Conflict(f"memory {other.memory_id} is not in force, and cannot take another's place")


def _with_successor(memory: Memory, other: Memory) -> str:
    """Return the playbook's metadata with its successor; a text that is not a JSON object is kept as a note."""
    text = memory.metadata.get(PLAYBOOK_METADATA, "")
    try:
        given: object = json.loads(text) if isinstance(text, str) and text else {}
    except (ValueError, RecursionError):
        given = None
    known = cast("dict[str, object]", given) if isinstance(given, dict) else {_NOTE: text}
    return json.dumps({**known, SUPERSEDED_BY: other.memory_id, _SUPERSEDED_BY_KIND: str(other.kind)})


def _reason(review: Review, memory: Memory, other: Memory | None) -> str:
    """Return the entry for the change log."""
    number: MemoryId | None = None if other is None else other.memory_id
    told = {
        ReviewStep.KEEP: f"reviewed: kept for {review.keep_days} days",
        ReviewStep.ARCHIVE: "reviewed: archived",
        ReviewStep.SUPERSEDE: f"reviewed: superseded by memory {number}",
        ReviewStep.MERGE: f"reviewed: memory {memory.memory_id} merged into memory {number}",
    }[review.step]
    return f"{told} ({review.reason})" if review.reason else told


def _kept(why: Occasion, memory: Memory) -> Change:
    """Return the record of a memory that was reviewed and not changed."""
    same = why.change(memory, memory)
    return same.model_copy(update={"action": ChangeAction.KEPT, "before": None, "after": None})
