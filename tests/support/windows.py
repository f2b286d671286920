"""Turns, windows, candidates and memories with few words, for tests of learning."""

from datetime import UTC, datetime, timedelta

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.ids import InteractionId, MemoryId, MemoryUid, RequestId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Attributes, Memory, MemoryKind

START = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)
FIRST_ID = 1_000
"""Ids of interactions begin here, so that no number of a turn passes for one."""


def turn(role="User", content="", **fields) -> Interaction:
    """One turn; `window` gives it its place."""
    return Interaction(
        role=role,
        content=content,
        interaction_id=InteractionId(0),
        seq=0,
        request_id=RequestId("r1"),
        user_id=UserId("u1"),
        created_at=START,
        **fields,
    )


def window(*unread: Interaction, context=()) -> Window:
    """A window whose turns are a minute apart; their ids count from `FIRST_ID`, context first."""
    placed = [
        one.model_copy(
            update={
                "seq": n + 1,
                "interaction_id": InteractionId(FIRST_ID + n),
                "created_at": START + timedelta(minutes=n),
            }
        )
        for n, one in enumerate([*context, *unread])
    ]
    return Window(
        user_id=UserId("u1"),
        first_seq=len(context) + 1,
        last_seq=len(placed),
        unread=tuple(placed[len(context) :]),
        context=tuple(placed[: len(context)]),
    )


def candidate(content, *, evidence=(2_000,), kind=MemoryKind.PROFILE, **fields) -> Candidate:
    """One candidate, said in a turn that is newer than those of `memory` unless told."""
    return Candidate(kind=kind, content=content, evidence=tuple(map(InteractionId, evidence)), **fields)


def memory(number, content, *, kind=MemoryKind.PROFILE, slot="", turns=(1_000,), **fields) -> Memory:
    """One current memory."""
    return Memory(
        memory_id=MemoryId(number),
        uid=MemoryUid(f"uid-{number}"),
        kind=kind,
        user_id=UserId("u1"),
        content=content,
        attributes=fields.pop("attributes", Attributes(slot=slot)),
        source_interaction_ids=tuple(map(InteractionId, turns)),
        created_at=START,
        updated_at=START,
        **fields,
    )
