"""How a memory came to be what it is; and the way back from a merge."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query

from sagacity.api.dependencies import Reads, Writes
from sagacity.api.route import Route
from sagacity.domain.amounts import counted
from sagacity.domain.change import ChangeAction, Occasion, RecordedChange
from sagacity.domain.clock import to_epoch
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import InteractionId, MemoryId, MemoryUid, RunId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.views.memory import memory_view
from sagacity.learning.distil.agent_playbooks.trigger import note_changed_playbooks
from sagacity.memories.merge import Undone, find_merge, separated, undo_merge
from sagacity.memories.write import embed
from sagacity.retrieval.context.lines import read_citation
from sagacity.schemas.base import MAX_INT
from sagacity.schemas.history import HistoryEvent, MemoryHistory, SourceTurn, UndoneMerge
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["memories"], route_class=Route)
MOST_PREDECESSORS = 200
_MOST_STEPS = 50
_EXCERPT_CHARACTERS = 500
MemoryIdOrUid = Annotated[
    str,
    Path(
        min_length=1,
        max_length=512,
        description="A profile's id, a memory's uid or number, or its citation in a context, such as `p:2`.",
        json_schema_extra={"type": ["string", "integer"]},
    ),
]
KindParameter = Annotated[
    MemoryKind | None,
    Query(description="The memory's kind; needed only if a uid is also another memory's number or citation."),
]


@router.get("/memories/{memory_id:path}/history", response_model_exclude_none=True)
async def get_memory_history(
    memory_id: MemoryIdOrUid,
    caller: Reads,
    kind: KindParameter = None,
    limit: Annotated[
        int,
        Query(
            gt=0,
            le=1_000,
            description="How many events and how many turns to return at most, the newest of each.",
        ),
    ] = 100,
) -> MemoryHistory:
    """
    Return a memory's history: who changed it, when, why and from which turns, and what it replaced.

    The history is deleted with the memory. The `successor` of an archived memory is what replaced it.
    """
    async with caller.read() as snapshot:
        memory = await find_memory(snapshot, memory_id, kind)
        events = await snapshot.changes.of_memories([memory.memory_id], limit=limit)
        event_count = await snapshot.changes.count(memory.memory_id)
        predecessors = await predecessors_of(snapshot, memory)
        successors = await snapshot.memories.get_many(_successors(memory, events))
        made = await snapshot.changes.of_memories(
            [one.memory_id for one in successors], actions=(ChangeAction.ADDED,), limit=len(successors)
        )
        wanted = sorted(memory.source_interaction_ids)[-limit:]
        turns = await snapshot.interactions.get(wanted)
    evidence = {one.memory_id: _learned_from(one) for one in made}
    successor = next((one for one in successors if one.memory_id == memory.superseded_by), None)
    return MemoryHistory(
        memory=memory_view(memory),
        events=tuple(event_of(change, evidence) for change in events),
        event_count=event_count,
        predecessors=tuple(memory_view(one) for one in predecessors[:MOST_PREDECESSORS]),
        has_more_predecessors=len(predecessors) > MOST_PREDECESSORS,
        successor=None if successor is None else memory_view(successor),
        sources=tuple(_source(turn) for turn in sorted(turns, key=lambda turn: turn.interaction_id)),
        source_count=len(memory.source_interaction_ids),
        deleted_source_count=len(wanted) - len(turns),
    )


@router.post(
    "/memories/{memory_id:path}/undo_merge", response_model_exclude_none=True, operation_id="undo_merge"
)
async def undo_memory_merge(
    memory_id: MemoryIdOrUid, caller: Writes, kind: KindParameter = None
) -> UndoneMerge:
    """
    Undo one merge: the merged memories are current again, and what was merged into them becomes a memory of its own.

    If the memory replaced others without a merge, it stays, and they are current again, too. The reply is 409 if the
    memory is not current, was merged again since, or replaced nothing.
    """
    runtime = caller.runtime
    now, uid = runtime.clock.now(), MemoryUid(runtime.ids.new())
    config = await runtime.configs.get(caller.tenant)
    async with caller.read() as snapshot:
        memory = await find_memory(snapshot, memory_id, kind)
        own = separated(await find_merge(snapshot, memory), uid=uid, now=now)
    vectors = {} if own is None else await embed(caller.acting, [own])
    occasion = Occasion(
        run_id=RunId(runtime.ids.new()),
        actor=caller.principal.actor,
        reason=f"merge into memory {memory.memory_id} undone",
        at=now,
    )

    async def undo() -> Undone:
        async with caller.begin() as transaction:
            found = await transaction.memories.get(memory.memory_id)
            done = await undo_merge(transaction, found, occasion, uid=uid, vectors=vectors)
            made = [*done.restored, *([] if done.separated is None else [done.separated])]
            changed = [(found, done.memory), *((None, one) for one in made)]
            await note_changed_playbooks(transaction, config, changed)
            return done

    done = await runtime.storage.retry(undo)
    runtime.dispatcher.look()
    text = (
        f"{counted(len(done.restored), 'memory')} {'is' if len(done.restored) == 1 else 'are'} current again"
    )
    return UndoneMerge(
        message=text,
        msg=text,
        memory=memory_view(done.memory),
        restored=tuple(memory_view(one) for one in done.restored),
        separated=None if done.separated is None else memory_view(done.separated),
    )


async def find_memory(snapshot: Transaction, given: str, kind: MemoryKind | None) -> Memory:
    """
    Return the memory of a uid; else the one of a number, or of what a context cites it by.

    Raises:
        NotFound: the tenant has none.
    """
    found = (await snapshot.memories.find_uids([given])).get(given) if "\x00" not in given else None
    if found is not None and kind in {None, found.kind}:
        return found
    cited, number = read_citation(given) or (kind, given)
    if number.isascii() and number.isdigit() and int(number) <= MAX_INT and kind in {None, cited}:
        numbered = await snapshot.memories.get_many([MemoryId(int(number))], kind=cited)
        if numbered:
            return numbered[0]
    raise NotFound(f"no {'memory' if kind is None else kind.replace('_', ' ')} with id {given!r}")


async def predecessors_of(snapshot: Transaction, memory: Memory) -> Sequence[Memory]:
    """Return what *memory* replaced, step by step back, nearest first; one more than is shown if there are more."""
    found: dict[MemoryId, Memory] = {}
    latest: Sequence[Memory] = [memory]
    for _ in range(_MOST_STEPS):
        left = MOST_PREDECESSORS + 1 - len(found)
        if not latest or not left:
            break
        former = await snapshot.memories.replaced_by(latest, limit=left)
        latest = [one for one in former if one.memory_id not in found and one.memory_id != memory.memory_id]
        found |= {one.memory_id: one for one in latest}
    return list(found.values())


def event_of(change: RecordedChange, evidence: Mapping[MemoryId, Sequence[InteractionId]]) -> HistoryEvent:
    """
    Show one change.

    Args:
        change: as it is kept.
        evidence: the turns from which the memories were learned that replaced others.
    """
    return HistoryEvent(
        change_id=change.change_id,
        run_id=change.run_id,
        action=change.action,
        actor=change.actor,
        reason=change.reason,
        at=to_epoch(change.created_at),
        request_id=change.request_id,
        interaction_ids=tuple(_turns_of(change, evidence)),
        before=None if change.before is None else memory_view(change.before),
        after=None if change.after is None else memory_view(change.after),
    )


def _turns_of(
    change: RecordedChange, evidence: Mapping[MemoryId, Sequence[InteractionId]]
) -> Sequence[InteractionId]:
    match change.action:
        case ChangeAction.ADDED:
            return _learned_from(change)
        case ChangeAction.REMOVED:
            successor = change.after.superseded_by if change.after else None
            return () if successor is None else evidence.get(successor, ())
        case _:
            before = set(change.before.source_interaction_ids if change.before else ())
            after = change.after.source_interaction_ids if change.after else ()
            return [number for number in after if number not in before]


def _learned_from(added: RecordedChange) -> Sequence[InteractionId]:
    """Return the turns that a memory was learned from when it came about, without those of what it was merged with."""
    memory = added.before or added.after
    return memory.source_interaction_ids if memory else ()


def _successors(memory: Memory, events: Sequence[RecordedChange]) -> list[MemoryId]:
    named = [memory.superseded_by, *(event.after.superseded_by for event in events if event.after)]
    return list(dict.fromkeys(number for number in named if number is not None))


def _source(turn: Interaction) -> SourceTurn:
    text = turn.content or turn.user_action_description or turn.expert_content
    cut = text if len(text) <= _EXCERPT_CHARACTERS else text[: _EXCERPT_CHARACTERS - 1] + "…"
    return SourceTurn(
        interaction_id=turn.interaction_id,
        request_id=turn.request_id,
        role=turn.role,
        content=cut,
        created_at=to_epoch(turn.happened_at or turn.created_at),
    )
