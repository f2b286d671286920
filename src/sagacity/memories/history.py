"""The history of a memory: its changes, what it replaced, and what it was learned from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sagacity.domain.change import ChangeAction, RecordedChange
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import MAX_INT, InteractionId, MemoryId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.memories.acting import Acting
from sagacity.retrieval.context.lines import read_citation
from sagacity.storage.transaction import Transaction

MOST_PREDECESSORS = 200
_MOST_STEPS = 50


@dataclass(frozen=True, slots=True)
class Event:
    """One change of a memory."""

    change: RecordedChange
    interaction_ids: Sequence[InteractionId]
    """The interactions that led to it."""


@dataclass(frozen=True, slots=True)
class History:
    """A memory and where it comes from."""

    memory: Memory
    events: Sequence[Event]
    """Newest first."""
    event_count: int
    """The number of events, including those that are not returned."""
    predecessors: Sequence[Memory]
    """What it replaced, nearest first; no more than `MOST_PREDECESSORS`."""
    has_more_predecessors: bool
    successor: Memory | None
    """What replaced it."""
    sources: Sequence[Interaction]
    """What it was learned from, oldest first."""
    deleted_source_count: int
    """How many of the returned interactions were deleted."""


async def history_of(acting: Acting, given: str, kind: MemoryKind | None, *, limit: int) -> History:
    """
    Return the history of one memory.

    Args:
        acting: on whose behalf.
        given: a uid, a number or a citation; see `find_memory`.
        kind: of which kind it is; None for any.
        limit: how many events and how many sources at most, the newest of each.

    Raises:
        NotFound: the caller can reach no such memory.
    """
    async with acting.read() as snapshot:
        memory = await find_memory(snapshot, given, kind)
        changes = await snapshot.changes.of_memories([memory.memory_id], limit=limit)
        event_count = await snapshot.changes.count(memory.memory_id)
        predecessors = await _predecessors_of(snapshot, memory)
        successors = await snapshot.memories.get_many(_successors(memory, changes))
        made = await snapshot.changes.of_memories(
            [one.memory_id for one in successors], actions=(ChangeAction.ADDED,), limit=len(successors)
        )
        wanted = sorted(memory.source_interaction_ids)[-limit:]
        sources = await snapshot.interactions.get(wanted)
    evidence = {one.memory_id: _learned_from(one) for one in made}
    return History(
        memory=memory,
        events=[Event(change, _turns_of(change, evidence)) for change in changes],
        event_count=event_count,
        predecessors=predecessors[:MOST_PREDECESSORS],
        has_more_predecessors=len(predecessors) > MOST_PREDECESSORS,
        successor=next((one for one in successors if one.memory_id == memory.superseded_by), None),
        sources=sorted(sources, key=lambda one: one.interaction_id),
        deleted_source_count=len(wanted) - len(sources),
    )


async def find_memory(snapshot: Transaction, given: str, kind: MemoryKind | None) -> Memory:
    """
    Return the memory with this uid, else with this number or citation.

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


async def _predecessors_of(snapshot: Transaction, memory: Memory) -> Sequence[Memory]:
    """Return the memories that *memory* replaced, nearest first; one more than is shown if there are more."""
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
    """Return the turns that a memory was first learned from, without those of memories merged into it later."""
    memory = added.before or added.after
    return memory.source_interaction_ids if memory else ()


def _successors(memory: Memory, events: Sequence[RecordedChange]) -> list[MemoryId]:
    named = [memory.superseded_by, *(event.after.superseded_by for event in events if event.after)]
    return list(dict.fromkeys(number for number in named if number is not None))
