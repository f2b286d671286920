"""The consequences of a person's edit, and its record in the change log."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from sagacity.domain.change import Occasion
from sagacity.domain.ids import InteractionId, RunId, UserId
from sagacity.domain.kinds import FACT_KINDS
from sagacity.domain.memory import ARCHIVED_STATUSES, ArchivedBy, Memory, MemoryKind, NewMemory, Status
from sagacity.domain.principal import Permission, Principal
from sagacity.domain.trust import Origin, Trust, least_trusted
from sagacity.learning.writing.limits import keep_within_limits
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

M = TypeVar("M", bound=NewMemory)
"""A memory, stored or not."""


def restored(memory: Memory, *, before: Memory | None = None, now: datetime) -> Memory:
    """Return *memory* current again, valid as long as it was *before* it was archived."""
    valid_to = memory.valid_to if memory.superseded_by is None else None
    return memory.model_copy(
        update={
            "status": Status.CURRENT,
            "archived_by": ArchivedBy.VERSION,
            "superseded_by": None,
            "valid_to": valid_to if before is None else before.valid_to,
            "updated_at": now,
        }
    )


def archived(memory: Memory, *, now: datetime) -> Memory:
    """Return *memory* archived by a person: no downgrade restores it."""
    return memory.model_copy(
        update={"status": Status.ARCHIVED, "archived_by": ArchivedBy.PERSON, "updated_at": now}
    )


def archived_for(successor: Memory, memory: Memory) -> Memory:
    """Return *memory* archived by a person in favour of *successor*."""
    away = {
        "status": Status.ARCHIVED,
        "superseded_by": successor.memory_id,
        "updated_at": successor.updated_at,
    }
    return edited_by_person(memory, memory.model_copy(update=away))


def edited_by_person(before: Memory, after: Memory) -> Memory:
    """Return *after* with the consequences of its new status."""
    match before.status in ARCHIVED_STATUSES, after.status in ARCHIVED_STATUSES:
        case False, True:
            return after.model_copy(update={"archived_by": ArchivedBy.PERSON})
        case True, False:
            return restored(after, now=after.updated_at).model_copy(update={"status": after.status})
        case _:
            return after


async def said_through(transaction: Transaction, user_id: UserId | None) -> InteractionId | None:
    """Return the user's newest interaction: nothing said before it overrules a person's change."""
    return None if user_id is None else await transaction.interactions.newest_id(user_id)


def confirmed(memory: M, through: InteractionId | None) -> M:
    """Return *memory* confirmed by a person: no interaction up to *through* overrules it, even when read again."""
    update = {
        "confirmed_through": through,
        "said_at": memory.updated_at,
        "is_unconfirmed": _is_doubtful(memory),
    }
    attributes = memory.attributes.model_copy(update=update)
    return memory.model_copy(update={"attributes": attributes})


async def written(
    acting: Acting, transaction: Transaction, memories: Sequence[M], *, before: Memory | None = None
) -> list[M]:
    """
    Return *memories* as written by a person now: nothing that their users said before overrules them.

    Args:
        acting: who wrote them.
        transaction: open.
        memories: as they are to be.
        before: the one memory before the change; None if they are new or replace others.
    """
    users = {memory.user_id for memory in memories}
    through = {user_id: await said_through(transaction, user_id) for user_id in users}
    return [
        stamped(acting.principal, confirmed(memory, through[memory.user_id]), before) for memory in memories
    ]


def stamped(principal: Principal, memory: M, before: Memory | None = None) -> M:
    """
    Return *memory* with its origin: the writer, or a less trusted one that the writer names.

    A rule of low trust stays so and is not served, unless a reviewer or its own user wrote it.
    """
    own, said = _origin_of(principal), memory.attributes.origin
    if before is None:
        origin = least_trusted((own, said))
    elif before.search_text == memory.search_text and not before.attributes.is_unconfirmed:
        origin = said
    else:
        is_low = before.trust is Trust.LOW and memory.kind not in FACT_KINDS
        origin = said if is_low and own is Origin.AGENT else own
    attributes = memory.attributes.model_copy(update={"origin": origin})
    memory = memory.model_copy(update={"attributes": attributes})
    attributes = attributes.model_copy(update={"is_unconfirmed": _is_doubtful(memory)})
    return memory.model_copy(update={"attributes": attributes})


def _is_doubtful(memory: NewMemory) -> bool:
    """Whether it is a user playbook of low trust, which is never served."""
    return memory.kind is MemoryKind.USER_PLAYBOOK and memory.trust is Trust.LOW


def _origin_of(principal: Principal) -> Origin:
    """Return the origin of what a caller writes."""
    if principal.user_id is not None:
        return Origin.USER
    return Origin.OPERATOR if Permission.REVIEW in principal.permissions else Origin.AGENT


async def record(
    acting: Acting,
    transaction: Transaction,
    changed: Sequence[tuple[Memory | None, Memory]],
    *,
    reason: str,
    run_id: RunId | None = None,
) -> None:
    """
    Record a caller's changes, as pairs of before (None if new) and after, in one run per user.

    Memories that did not change are not recorded.

    Args:
        acting: who.
        transaction: in which they are changed.
        changed: pairs of before and after.
        reason: why.
        run_id: the run, if all belong to one user; None: new runs.
    """
    changed = [(before, after) for before, after in changed if before is None or not _is_same(before, after)]
    occasions = {
        user_id: occasion(acting, reason, run_id=run_id)
        for user_id in dict.fromkeys(after.user_id for _, after in changed)
    }
    await transaction.changes.add(
        [occasions[after.user_id].change(before, after) for before, after in changed]
    )


async def keep_users_within_limits(
    acting: Acting, transaction: Transaction, stored: Sequence[Memory]
) -> None:
    """Archive the memories that exceed users' limits after *stored* was added; *stored* itself stays."""
    spared = [memory.memory_id for memory in stored]
    for user_id in dict.fromkeys(memory.user_id for memory in stored):
        if user_id is not None:
            kinds = {memory.kind for memory in stored if memory.user_id == user_id}
            why = occasion(acting, "over the limit of the user's settings")
            await keep_within_limits(transaction, user_id, kinds, why, spared=spared)


def _is_same(before: Memory, after: Memory) -> bool:
    """Whether two states of a memory differ only in the time of writing."""
    attributes = before.attributes.model_copy(update={"said_at": after.attributes.said_at})
    return before.model_copy(update={"updated_at": after.updated_at, "attributes": attributes}) == after


def occasion(acting: Acting, reason: str, *, run_id: RunId | None = None) -> Occasion:
    """Return the occasion of a change: who, when and why, under a new run unless one is named."""
    parts = acting.parts
    return Occasion(
        run_id=run_id or RunId(parts.ids.new()),
        actor=acting.principal.actor,
        reason=reason,
        at=parts.clock.now(),
    )
