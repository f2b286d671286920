"""The history of a memory, and how to undo a merge."""

from typing import Annotated

from fastapi import Path, Query

from sagacity.api.dependencies import Reads, Writes
from sagacity.api.route import resource
from sagacity.domain.amounts import counted
from sagacity.domain.clock import to_epoch
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import MemoryKind
from sagacity.domain.views.memory import memory_view
from sagacity.memories.history import Event, history_of
from sagacity.memories.undo import undo
from sagacity.schemas.base import Storable
from sagacity.schemas.history import HistoryEvent, MemoryHistory, SourceTurn, UndoneMerge

router = resource("memories")
_EXCERPT_CHARACTERS = 500
MemoryIdOrUid = Annotated[
    Storable,
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
    found = await history_of(caller.acting, memory_id, kind, limit=limit)
    return MemoryHistory(
        memory=memory_view(found.memory),
        events=tuple(_event(one) for one in found.events),
        event_count=found.event_count,
        predecessors=tuple(memory_view(one) for one in found.predecessors),
        has_more_predecessors=found.has_more_predecessors,
        successor=None if found.successor is None else memory_view(found.successor),
        sources=tuple(_source(turn) for turn in found.sources),
        source_count=len(found.memory.source_interaction_ids),
        deleted_source_count=found.deleted_source_count,
    )


@router.post(
    "/memories/{memory_id:path}/undo_merge", response_model_exclude_none=True, operation_id="undo_merge"
)
async def undo_memory_merge(
    memory_id: MemoryIdOrUid, caller: Writes, kind: KindParameter = None
) -> UndoneMerge:
    """
    Undo one merge: the merged memories are current again, and what was merged into them becomes a memory of its own.

    If the memory replaced others without a merge, it stays current beside them. The reply is 409 if the
    memory is not current, was merged again since, or replaced nothing.
    """
    done = await undo(caller.acting, memory_id, kind)
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


def _event(event: Event) -> HistoryEvent:
    change = event.change
    return HistoryEvent(
        change_id=change.change_id,
        run_id=change.run_id,
        action=change.action,
        actor=change.actor,
        reason=change.reason,
        at=to_epoch(change.created_at),
        request_id=change.request_id,
        interaction_ids=tuple(event.interaction_ids),
        before=None if change.before is None else memory_view(change.before),
        after=None if change.after is None else memory_view(change.after),
    )


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
