"""What learning promises: everything is read once, nothing is lost, and one user's trouble is nobody else's."""

import asyncio
from datetime import timedelta

import pytest

from sagacity.config.extractor_config import ProfileExtractorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Outcome
from sagacity.domain.interaction import NewInteraction
from sagacity.domain.memory import MemoryKind, Status, TimeToLive
from sagacity.domain.query import Filter
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage
from support.configs import kept_configs
from support.learning import (
    QUIET_SECONDS,
    Recorder,
    WordEmbedder,
    cursor,
    due_at,
    learned,
    learning,
    lines,
    one_a_turn,
    reading,
)
from support.parts import ANNA, ORG, START, CountingIds, StoppedClock, said

pytestmark = pytest.mark.either_database

PLAYBOOK = MemoryKind.USER_PLAYBOOK


@pytest.fixture
def parts(storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds) -> tuple:
    """What `learning` takes, with the real embedder."""
    return storage, embedder, clock, ids


# --- what is learned, by rules ---------------------------------------------------------------------------------------


async def test_correction_in_the_last_of_fifteen_turns_is_learned(parts, storage: Storage) -> None:
    """A whole batch is read, not only a part of it: what the last turn corrects is learned."""
    turns = [
        NewInteraction(
            role=("User", "Assistant")[n % 2], content=f"Step {n} of setting up the client is done."
        )
        for n in range(13)
    ]
    turns += [
        NewInteraction(role="Assistant", content="Run npm install to add the client."),
        NewInteraction(content="I just said we use pnpm, not npm."),
    ]
    await storage.append(ORG, said().model_copy(update={"interactions": tuple(turns)}))
    report = await learning(*parts).run(ORG, ANNA)
    assert "Use pnpm, not npm." in [memory.content for memory in await learned(storage, PLAYBOOK)]
    assert report.added[PLAYBOOK] >= 1
    assert (await cursor(storage, "user_playbook:default_playbook_extractor")).seq == 15


async def test_late_correction_supersedes_and_history_stays(parts, storage: Storage, clock) -> None:
    """The newest statement holds; the former is archived with its successor named and both are dated."""
    await storage.append(ORG, said("I live in Boston."))
    learn = learning(*parts)
    await learn.run(ORG, ANNA, force=True)
    clock.advance(3_600)
    await storage.append(ORG, said("I just moved to Austin, Texas.", request_id="r2"))
    await learn.run(ORG, ANNA, force=True)
    [home] = await learned(storage)
    [former] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert (home.content, former.content) == ("Lives in Austin, Texas.", "Lives in Boston.")
    assert former.superseded_by == home.memory_id
    assert (former.valid_from, former.valid_to) == (START, START + timedelta(hours=1))
    assert home.valid_from == former.valid_to
    assert home.source_request_ids == ("r2",)
    async with storage.read(ORG) as snapshot:
        hits = await snapshot.search.by_terms(
            Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA), "lives Boston Austin", 9
        )
        newest, oldest = await snapshot.changes.list_runs(MemoryKind.PROFILE, limit=9)
    assert [hit.owner_id for hit in hits] == [home.memory_id]
    assert [memory.content for memory in oldest.added] == ["Lives in Boston."]
    assert [memory.content for memory in newest.added] == ["Lives in Austin, Texas."]
    assert [memory.content for memory in newest.removed] == ["Lives in Boston."]


async def test_memory_says_where_it_is_from(parts, storage: Storage) -> None:
    """Turns, request, learner, method and run are recorded, and its vector is there at once."""
    await storage.append(ORG, said("Hello.", "I'm allergic to peanuts.", source="web"))
    await learning(*parts).run(ORG, ANNA, force=True)
    [memory] = await learned(storage)
    async with storage.read(ORG) as snapshot:
        [_, turn] = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
        [run] = await snapshot.changes.list_runs(MemoryKind.PROFILE, limit=9)
        taught = await snapshot.memories.taught_by("r1")
        vectors = await snapshot.search.vectors_of(["profile"], [memory.memory_id])
    assert memory.source_interaction_ids == (turn.interaction_id,)
    assert (memory.source, memory.source_request_ids) == ("web", ("r1",))
    assert memory.provenance.learner == "profile:default_profile_extractor"
    assert (memory.provenance.method, memory.provenance.run_id) == ("rules", run.run_id)
    assert [one.memory_id for one in taught] == [memory.memory_id]
    assert list(vectors) == [memory.memory_id]


async def test_expert_answer_becomes_a_playbook(parts, storage: Storage) -> None:
    """What an expert would have said teaches what the agent left out."""
    request = said("How do I return a broken lamp?")
    answer = NewInteraction(
        role="Assistant",
        content="You can return it within 30 days.",
        expert_content="Ask for a photo of the damage first, then offer a replacement before a refund.",
    )
    request = request.model_copy(update={"interactions": (*request.interactions, answer)})
    await storage.append(ORG, request)
    await learning(*parts).run(ORG, ANNA, force=True)
    [memory] = await learned(storage, PLAYBOOK)
    assert "photo of the damage" in memory.content
    assert "return a broken lamp" in memory.trigger
    assert memory.name == "default_playbook_extractor"


async def test_expired_memory_is_hidden(quick, storage: Storage, clock) -> None:
    """What was said to hold for a day is not read after it, and stays in history."""
    brief = Recorder(
        lambda window: [
            Candidate(
                kind=MemoryKind.PROFILE,
                content="Is in Rome today.",
                time_to_live=TimeToLive.ONE_DAY,
                evidence=(window.unread[-1].interaction_id,),
            )
        ]
    )
    await storage.append(ORG, said(*lines(5)))
    await learning(*quick, groups=reading(brief)).run(ORG, ANNA)

    async def found() -> tuple[int, int]:
        wanted = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA, valid_at=clock.now())
        async with storage.read(ORG) as snapshot:
            hits = await snapshot.search.by_terms(wanted, "Rome", 9)
            listed = await snapshot.memories.list_newest(
                MemoryKind.PROFILE, user_id=ANNA, valid_at=clock.now(), limit=9
            )
        return len(hits), len(listed)

    assert await found() == (1, 1)
    clock.advance(86_400)
    assert await found() == (0, 0)
    assert len(await learned(storage)) == 1


async def test_source_filter_reads_only_its_sources(parts, storage: Storage) -> None:
    """An extractor with sources of its own passes over the others, and its cursor moves on all the same."""
    config = TenantConfig(
        profile_extractor_configs=(
            ProfileExtractorConfig(
                extractor_name="chat", extraction_definition_prompt="x", request_sources_enabled=("chat",)
            ),
        )
    )
    await kept_configs(storage).set(ORG, config)
    await storage.append(ORG, said("I live in Boston.", request_id="r1", source="mail"))
    await storage.append(ORG, said("I'm allergic to peanuts.", request_id="r2", source="chat"))
    await learning(*parts).run(ORG, ANNA, force=True)
    assert ["peanuts" in memory.content for memory in await learned(storage)] == [True]
    assert (await cursor(storage, "profile:chat")).seq == 2


# --- what is read ----------------------------------------------------------------------------------------------------


@pytest.mark.full
async def test_thousand_turns_are_all_read_once(quick, storage: Storage) -> None:
    """A thousand turns at once are read to the end, oldest first, each unread in exactly one window."""
    await storage.append(ORG, said(*lines(1_000)))
    seen = Recorder()
    await learning(*quick, groups=reading(seen)).run(ORG, ANNA)
    assert [turn.seq for window in seen.windows for turn in window.unread] == list(range(1, 1_001))
    assert seen.stretches == [(n, n + 4) for n in range(1, 1_001, 5)]
    assert [len(window.context) for window in seen.windows] == [0] + [5] * 199
    assert all(
        [t.seq for t in w.context] == list(range(max(1, w.first_seq - 5), w.first_seq)) for w in seen.windows
    )
    assert (await cursor(storage)).seq == 1_000
    assert await due_at(storage) is None


async def test_stretches_do_not_depend_on_how_turns_came(quick, storage: Storage) -> None:
    """However a log was published and whenever it was looked at, full steps are the same."""
    seen = Recorder()
    learn = learning(*quick, groups=reading(seen))
    for n, count in enumerate((1, 3, 7, 2, 12, 1, 4)):
        await storage.append(ORG, said(*lines(count), request_id=f"r{n}"))
        await learn.run(ORG, ANNA)
    assert seen.stretches == [(n, n + 4) for n in range(1, 31, 5)]


async def test_short_rest_waits_for_quiet(quick, storage: Storage, clock) -> None:
    """Fewer turns than a step wait, and are read once no news came for the quiet time."""
    await storage.append(ORG, said(*lines(7)))
    seen = Recorder()
    learn = learning(*quick, groups=reading(seen))
    await learn.run(ORG, ANNA)
    assert seen.stretches == [(1, 5)]
    assert await due_at(storage) == START + timedelta(seconds=QUIET_SECONDS)
    clock.advance(QUIET_SECONDS)
    await learn.run(ORG, ANNA)
    assert seen.stretches == [(1, 5), (6, 7)]
    assert await due_at(storage) is None


async def test_forced_request_is_read_at_once(quick, storage: Storage) -> None:
    """A request that asks for haste does not wait for a full step."""
    await storage.append(ORG, said(*lines(2), force_extraction=True))
    seen = Recorder()
    await learning(*quick, groups=reading(seen)).run(ORG, ANNA)
    assert seen.stretches == [(1, 2)]


async def test_empty_talk_moves_the_cursor(quick, storage: Storage) -> None:
    """What the gate finds empty is read by no extractor and not looked at again."""
    await storage.append(ORG, said("hi", "thanks", "ok", "bye", "thank you"))
    seen = Recorder()
    await learning(*quick, groups=reading(seen)).run(ORG, ANNA)
    assert seen.windows == []
    assert ((await cursor(storage)).seq, (await cursor(storage)).outcome) == (5, Outcome.NOTHING)


async def test_run_twice_is_a_no_op(quick, storage: Storage) -> None:
    """A learner that runs again finds nothing to do and changes nothing."""
    await storage.append(ORG, said(*lines(10)))
    seen = Recorder(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    first = await learn.run(ORG, ANNA)
    before = await learned(storage)
    second = await learn.run(ORG, ANNA, force=True)
    assert (first.added[MemoryKind.PROFILE], second.added.get(MemoryKind.PROFILE, 0)) == (10, 0)
    assert await learned(storage) == before
    assert len(seen.windows) == 2


@pytest.mark.parametrize("wait", [False, True])
async def test_concurrent_runs_write_once(quick, storage: Storage, *, wait: bool) -> None:
    """Workers that run for the same user at the same time write what one would have."""
    await storage.append(ORG, said(*lines(40)))
    seen = [Recorder(one_a_turn) for _ in range(4)]
    workers = [learning(*quick, groups=reading(one)) for one in seen]
    await asyncio.gather(*(worker.run(ORG, ANNA, wait=wait) for worker in workers for _ in range(2)))
    assert [memory.content for memory in await learned(storage)] == lines(40)
    assert sorted(s for one in seen for s in one.stretches) == [(n, n + 4) for n in range(1, 41, 5)]


async def test_holder_that_lost_its_lease_writes_nothing(quick, storage: Storage, clock) -> None:
    """A worker that slept through its lease cannot commit over the one that took the work."""
    await storage.append(ORG, said(*lines(5)))
    slow = Recorder(one_a_turn)
    other = learning(*quick, groups=reading(Recorder(one_a_turn)))
    asleep, woken = asyncio.Event(), asyncio.Event()
    extract = slow.extract

    class Sleeper(Recorder):
        async def extract(self, window, known):
            asleep.set()
            await woken.wait()
            return await extract(window, known)

    run = asyncio.create_task(learning(*quick, groups=reading(Sleeper())).run(ORG, ANNA))
    await asleep.wait()
    clock.advance(61)
    await other.run(ORG, ANNA)
    woken.set()
    report = await run
    assert report.busy
    assert report.added.get(MemoryKind.PROFILE, 0) == 0
    assert [memory.content for memory in await learned(storage)] == lines(5)


async def test_extractors_that_propose_the_same_store_it_once(quick, storage: Storage) -> None:
    """Two extractors of one kind that find the same make one memory, with the evidence of both."""
    await storage.append(ORG, said(*lines(5)))
    pair = [
        Recorder(
            lambda window, at=at: [
                Candidate(
                    kind=MemoryKind.PROFILE,
                    content="Likes tea.",
                    evidence=(window.unread[at].interaction_id,),
                )
            ]
        )
        for at in (1, 3)
    ]
    await learning(*quick, groups=reading(*pair)).run(ORG, ANNA)
    [memory] = await learned(storage)
    async with storage.read(ORG) as snapshot:
        turns = await snapshot.interactions.get(memory.source_interaction_ids)
    assert [turn.seq for turn in turns] == [2, 4]


async def test_the_same_said_again_is_refreshed(quick, storage: Storage, clock) -> None:
    """A repeated statement adds evidence to the memory that is there, and moves its time on."""

    def tea(window):
        return [
            Candidate(
                kind=MemoryKind.PROFILE,
                content="Likes tea.",
                time_to_live=TimeToLive.ONE_DAY,
                evidence=(window.unread[0].interaction_id,),
            )
        ]

    learn = learning(*quick, groups=reading(Recorder(tea)))
    for n in range(3):
        await storage.append(ORG, said(*lines(5), request_id=f"r{n}"))
        await learn.run(ORG, ANNA)
        clock.advance(60)
    [memory] = await learned(storage)
    assert memory.source_request_ids == ("r0", "r1", "r2")
    assert len(memory.source_interaction_ids) == 3
    assert memory.expires_at == START + timedelta(seconds=120, days=1)
    async with storage.read(ORG) as snapshot:
        runs = await snapshot.changes.list_runs(MemoryKind.PROFILE, limit=9)
        assert await snapshot.memories.taught_by("r2") == [memory]
    assert [(len(run.added), len(run.removed)) for run in runs] == [(1, 1), (1, 1), (1, 0)]


async def test_runs_that_somebody_waits_for_take_turns(storage: Storage, clock, ids) -> None:
    """A process does so many of them at a time, however many come."""
    now = most = 0

    class Slow(WordEmbedder):
        async def embed(self, texts, *, background=False):
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.3)
            now -= 1
            return await super().embed(texts, background=background)

    for number in range(10):
        await storage.append(ORG, said(*lines(5), user_id=f"u{number}", request_id=f"r{number}"))
    learn = learning(storage, Slow(), clock, ids, groups=reading(Recorder(one_a_turn)))
    await asyncio.gather(*(learn.run(ORG, f"u{number}", wait=True) for number in range(10)))
    assert most == 4
    assert len(await learned(storage, user_id="u9")) == 5
