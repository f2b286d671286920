"""What a person does while a model thinks is not overruled by what it thought."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from sagacity.domain.change import Action, Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.ids import MemoryId, RequestId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.learning.deduplication.cases import Case, Verdict
from sagacity.learning.extractors.base import Extraction
from sagacity.learning.windows.learners import Groups
from sagacity.memories.edits import confirmed, said_through
from sagacity.storage.transaction import Storage
from support.learning import Recorder, WordEmbedder, cursor, learned, learning, one_a_turn, reading
from support.parts import ANNA, ORG, CountingIds, StoppedClock, new_memory, said

EVERY_VERSION = (Status.CURRENT, Status.ARCHIVED)
SAID = "User works at the Acme office on Mondays"
KNOWN = "User works at the Acme office in Berlin"
CORRECTED = "User works at the Initech office on Fridays"


class Judge:
    """Decides the same each time, and while it thinks for the first time something happens."""

    def __init__(self, happens: Callable, action: Action, *targets: MemoryId, content: str | None = None):
        self._happens = happens
        self._verdict = Verdict(index=0, action=action, targets=targets, content=content)
        self.asked: list[Sequence[Case]] = []

    async def judge(self, cases: Sequence[Case]) -> Sequence[Verdict]:
        self.asked.append(cases)
        if len(self.asked) == 1:
            await self._happens()
        return [self._verdict]


def judged_by(judge: Judge) -> Groups:
    groups = reading(Recorder(one_a_turn), step=1, size=1)
    return lambda config, calls, **given: [replace(it, judge=judge) for it in groups(config, calls, **given)]


async def remembered(storage: Storage, *contents: str) -> list[Memory]:
    new = [new_memory(content) for content in contents]
    vectors = await WordEmbedder().embed(contents)
    async with storage.begin(ORG) as tx:
        return await tx.memories.add(
            new, vectors={one.uid: row for one, row in zip(new, vectors, strict=True)}
        )


async def corrected(storage: Storage, memory_id: MemoryId) -> None:
    """What a person's edit does."""
    [vector] = await WordEmbedder().embed([CORRECTED])
    async with storage.begin(ORG) as tx:
        memory = await tx.memories.get(memory_id)
        through = await said_through(tx, memory.user_id)
        after = confirmed(memory.model_copy(update={"content": CORRECTED}), through)
        await tx.memories.save([after], vectors={memory.uid: vector})


@pytest.mark.parametrize("action", [Action.MERGE, Action.SUPERSEDE])
async def test_correction_during_the_judges_call_stands(
    storage: Storage, clock: StoppedClock, ids: CountingIds, action: Action
) -> None:
    """The window is read again, and by then the person's word is newer than the turn."""
    [memory] = await remembered(storage, KNOWN)
    content = f"{KNOWN} on Mondays" if action is Action.MERGE else None

    async def edit() -> None:
        await corrected(storage, memory.memory_id)

    judge = Judge(edit, action, memory.memory_id, content=content)
    await storage.append(ORG, said(SAID))
    worker = learning(storage, WordEmbedder(), clock, ids, groups=judged_by(judge))
    await worker.run(ORG, ANNA, force=True, wait=True)
    [kept] = await learned(storage, statuses=EVERY_VERSION)
    assert (kept.memory_id, kept.status, kept.content) == (memory.memory_id, Status.CURRENT, CORRECTED)
    assert [case.memories[0].content for [case] in judge.asked] == [KNOWN, CORRECTED]
    assert (await cursor(storage)).seq == 1


async def test_what_is_deleted_during_the_judges_call_is_in_no_merged_text(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """A merge that lost one of its memories is none: the candidate stands by itself, and the others stay."""
    home, badge = await remembered(storage, KNOWN, "User works at the Acme office with badge 4711")

    async def delete() -> None:
        async with storage.begin(ORG) as tx:
            await tx.memories.delete(MemoryKind.PROFILE, ids=[badge.memory_id])

    judge = Judge(delete, Action.MERGE, home.memory_id, badge.memory_id, content=f"{KNOWN} with badge 4711")
    await storage.append(ORG, said(SAID))
    worker = learning(storage, WordEmbedder(), clock, ids, groups=judged_by(judge))
    await worker.run(ORG, ANNA, force=True, wait=True)
    found = await learned(storage, statuses=EVERY_VERSION)
    assert [(one.content, one.status) for one in found] == [(KNOWN, Status.CURRENT), (SAID, Status.CURRENT)]
    assert found[0] == home


class Interrupted(Recorder):
    """An extractor during whose work the request `r2` is deleted."""

    def __init__(self, storage: Storage, propose: Callable) -> None:
        super().__init__(propose)
        self._storage = storage

    async def extract(self, window: Window, known: Sequence[str]) -> Extraction:
        async with self._storage.begin(ORG) as tx:
            await tx.interactions.delete_requests([RequestId("r2")])
        return await super().extract(window, known)


async def test_turn_that_is_deleted_while_it_is_read_teaches_nothing(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """What another turn says as well is learned from that one; the window counts as read."""
    await storage.append(ORG, said("I work at Acme", request_id="r1"))
    await storage.append(ORG, said("My badge is 4711", request_id="r2"))

    def propose(window: Window) -> list[Candidate]:
        first, second = (turn.interaction_id for turn in window.unread)
        return [
            Candidate(kind=MemoryKind.PROFILE, content="Works at Acme.", evidence=(first, second)),
            Candidate(kind=MemoryKind.PROFILE, content="Has badge 4711.", evidence=(second,)),
        ]

    groups = reading(Interrupted(storage, propose), step=2, size=2)
    report = await learning(storage, WordEmbedder(), clock, ids, groups=groups).run(ORG, ANNA, force=True)
    [memory] = await learned(storage)
    assert (memory.content, memory.source_request_ids) == ("Works at Acme.", ("r1",))
    assert not report.failed
    assert (await cursor(storage)).seq == 2
