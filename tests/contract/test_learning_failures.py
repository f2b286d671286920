"""What learning promises when something fails: it is told, it is tried again, and nobody else waits for it."""

from datetime import timedelta

import pytest

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import Candidate
from sagacity.domain.cursor import DeadLetterStatus, Outcome
from sagacity.domain.errors import ProviderError
from sagacity.domain.memory import MemoryKind
from sagacity.storage.transaction import Storage
from support.configs import kept_configs
from support.faults import Faulty, with_memories
from support.learning import (
    ATTEMPTS,
    BASE_SECONDS,
    Recorder,
    cursor,
    dead_letters,
    due_at,
    learned,
    learning,
    lines,
    one_a_turn,
    reading,
)
from support.parts import ANNA, BEN, ORG, said

pytestmark = pytest.mark.either_database

PLAYBOOK = MemoryKind.USER_PLAYBOOK


def failing_at(*seqs: int, error: Exception | None = None):
    """Propose every turn, but fail where one of *seqs* is unread."""

    def propose(window):
        if {turn.seq for turn in window.unread} & set(seqs):
            raise error or ProviderError("the model is down")
        return one_a_turn(window)

    return propose


async def test_failing_window_is_retried_with_backoff_and_parked(quick, storage: Storage, clock) -> None:
    """It is tried again after growing waits, then parked with its error, and later windows go on."""
    await storage.append(ORG, said(*lines(15)))
    seen = Recorder(failing_at(6))
    learn = learning(*quick, groups=reading(seen))
    report = await learn.run(ORG, ANNA)
    assert report.failed == {"profile:x1": "the model is down"}
    assert seen.stretches == [(1, 5), (6, 10)]
    stopped = await cursor(storage)
    assert (stopped.seq, stopped.attempts, stopped.error) == (5, 1, "the model is down")
    assert await due_at(storage) == clock.now() + timedelta(seconds=BASE_SECONDS)
    await learn.run(ORG, ANNA, force=True)
    assert len(seen.windows) == 2  # it is not yet time
    clock.advance(BASE_SECONDS)
    await learn.run(ORG, ANNA)
    assert await due_at(storage) == clock.now() + timedelta(seconds=2 * BASE_SECONDS)
    clock.advance(2 * BASE_SECONDS)
    await learn.run(ORG, ANNA)
    assert seen.stretches == [(1, 5), (6, 10), (6, 10), (6, 10), (11, 15)]
    [letter] = await dead_letters(storage)
    assert (letter.first_seq, letter.last_seq, letter.attempts) == (6, 10, ATTEMPTS)
    assert (letter.error_kind, letter.error) == ("ProviderError", "the model is down")
    assert letter.status is DeadLetterStatus.PARKED
    assert [memory.content for memory in await learned(storage)] == lines(5) + lines(5, 10)
    after = await cursor(storage)
    assert (after.seq, after.attempts, after.next_try_at, after.outcome) == (15, 0, None, Outcome.LEARNED)
    assert await due_at(storage) is None


async def park(parts, storage: Storage, clock, propose) -> Recorder:
    """Publish ten turns, of which the first five are parked."""
    await storage.append(ORG, said(*lines(10)))
    seen = Recorder(propose)
    learn = learning(*parts, groups=reading(seen))
    for _ in range(ATTEMPTS):
        await learn.run(ORG, ANNA)
        clock.advance(100)
    assert [letter.status for letter in await dead_letters(storage)] == [DeadLetterStatus.PARKED]
    return seen


async def test_replayed_window_is_learned(quick, storage: Storage, clock) -> None:
    """A dead letter that is replayed when the trouble is over is learned, once, and marked."""
    await park(quick, storage, clock, failing_at(1))
    [letter] = await dead_letters(storage)
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.replay(letter.dead_letter_id)
    assert await due_at(storage) == clock.now()
    healed = Recorder(one_a_turn)
    await learning(*quick, groups=reading(healed)).run(ORG, ANNA)
    assert healed.stretches == [(1, 5)]
    assert sorted(memory.content for memory in await learned(storage)) == sorted(lines(10))
    assert [one.status for one in await dead_letters(storage)] == [DeadLetterStatus.REPLAYED]
    assert (await cursor(storage)).seq == 10
    assert await due_at(storage) is None


async def test_replay_that_fails_is_parked_again_at_once(quick, storage: Storage, clock) -> None:
    """Someone asked for one more try: there is one, and the dead letter waits again."""
    seen = await park(quick, storage, clock, failing_at(1))
    [letter] = await dead_letters(storage)
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.replay(letter.dead_letter_id)
    before = len(seen.windows)
    await learning(*quick, groups=reading(seen)).run(ORG, ANNA)
    [again] = await dead_letters(storage)
    assert (again.status, again.attempts, len(seen.windows)) == (
        DeadLetterStatus.PARKED,
        ATTEMPTS + 1,
        before + 1,
    )
    assert await due_at(storage) is None


async def test_replayed_window_does_not_undo_what_is_newer(quick, storage: Storage, clock) -> None:
    """Old turns that are learned late do not replace what later turns said."""

    def home(window):
        if window.first_seq == 1 and not healed:
            raise ProviderError("down")
        return [
            Candidate(
                kind=MemoryKind.PROFILE,
                content=f"Lives in town {window.last_seq}.",
                slot="home",
                exclusive=True,
                evidence=(window.unread[-1].interaction_id,),
            )
        ]

    healed = False
    await park(quick, storage, clock, home)
    healed = True
    [letter] = await dead_letters(storage)
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.replay(letter.dead_letter_id)
    await learning(*quick, groups=reading(Recorder(home))).run(ORG, ANNA)
    assert [memory.content for memory in await learned(storage)] == ["Lives in town 10."]


async def test_replay_for_a_learner_that_is_gone_does_not_keep_the_log_due(
    quick, storage: Storage, clock
) -> None:
    """A queued dead letter of an extractor that was renamed waits without waking anybody."""
    await park(quick, storage, clock, failing_at(1))
    [letter] = await dead_letters(storage)
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.replay(letter.dead_letter_id)
    none_left = Recorder(kind=PLAYBOOK)
    groups = reading(none_left)(TenantConfig(), None)
    renamed = [type(g)(kind=g.kind, learners=(), gate=None, judge=None) for g in groups]
    await learning(*quick, groups=lambda config, calls, **asked: renamed).run(ORG, ANNA)
    assert await due_at(storage) is None


async def test_one_learners_failure_stops_no_other(quick, storage: Storage) -> None:
    """Of two learners the one that fails waits, the other goes on; so do other kinds and users."""
    await storage.append(ORG, said(*lines(10)))
    await storage.append(ORG, said(*lines(5), request_id="r2", user_id=BEN))
    bad, good, other = Recorder(failing_at(1)), Recorder(one_a_turn), Recorder(kind=PLAYBOOK)
    learn = learning(*quick, groups=reading(bad, good, other))
    for user in (ANNA, BEN):
        await learn.run(ORG, user)
    assert [
        (await cursor(storage, name)).seq for name in ("profile:x1", "profile:x2", "user_playbook:x3")
    ] == [0, 10, 10]
    assert [memory.content for memory in await learned(storage)] == lines(10)
    assert [memory.content for memory in await learned(storage, user_id=BEN)] == lines(5)


def without_evidence(window):
    return [Candidate(kind=MemoryKind.PROFILE, content="From nowhere.", evidence=())]


def overconfident(window):
    evidence = (window.unread[0].interaction_id,)
    return [Candidate(kind=MemoryKind.PROFILE, content="Is sure.", confidence=7.0, evidence=evidence)]


def unwritable(window):
    evidence = (window.unread[0].interaction_id,)
    fine = Candidate(kind=MemoryKind.PROFILE, content="x", evidence=evidence)
    return [Candidate.model_construct(**dict(fine) | {"content": "half \ud800 a pair"})]


@pytest.mark.parametrize("propose", [without_evidence, overconfident, unwritable])
async def test_poisoned_candidate_parks_its_window(quick, storage: Storage, clock, propose) -> None:
    """Whatever an extractor proposes, a window that cannot be stored is parked and the log goes on."""

    def poisoned(window):
        return propose(window) if window.first_seq == 1 else one_a_turn(window)

    await park(quick, storage, clock, poisoned)
    assert (await cursor(storage)).seq == 10
    assert [memory.content for memory in await learned(storage)] == lines(5, 5)


async def test_unforeseen_error_shows_no_internals(quick, storage: Storage, clock) -> None:
    """What a person may read of a bug is its kind, not the text that may hold what users said."""
    await park(quick, storage, clock, failing_at(1, error=KeyError("my secret")))
    [letter] = await dead_letters(storage)
    assert (letter.error_kind, "my secret" in letter.error) == ("KeyError", False)


async def test_broken_configuration_waits_and_is_told(quick, storage: Storage, clock) -> None:
    """A tenant whose configuration does not read is looked at later, and mended it learns what waited."""
    await storage.append(ORG, said(*lines(5)))
    async with storage.begin(ORG) as tx:
        await tx.organisation.set_config("{ no json")
    seen = Recorder(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    report = await learn.run(ORG, ANNA)
    assert list(report.failed) == ["configuration"]
    assert await due_at(storage) > clock.now()
    await kept_configs(storage).set(ORG, TenantConfig())
    await learn.run(ORG, ANNA)
    assert len(await learned(storage)) == 5


async def test_commit_that_nobody_heard_of_is_not_done_again(quick, storage: Storage) -> None:
    """The connection breaks after the database has committed: nothing is learned twice, and no model is asked again."""
    await storage.append(ORG, said(*lines(5)))
    storage.backend = Faulty(storage.backend, with_memories(times=1), after_commit=True)
    seen = Recorder(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    await learn.run(ORG, ANNA)
    await learn.run(ORG, ANNA)
    assert seen.stretches == [(1, 5)]
    assert [memory.content for memory in await learned(storage)] == lines(5)
    assert (await cursor(storage)).seq == 5
    assert await due_at(storage) is None


async def test_window_that_the_database_never_takes_is_parked(quick, storage: Storage, clock) -> None:
    """A commit that fails each time costs one reading a try, waits longer each time, and is given up in the end."""
    await storage.append(ORG, said(*lines(5)))
    storage.backend = Faulty(storage.backend, with_memories(), after_commit=False)
    seen = Recorder(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    for attempt in range(1, ATTEMPTS + 1):
        await learn.run(ORG, ANNA)
        assert len(seen.windows) == attempt
        await learn.run(ORG, ANNA)  # not before its time
        assert len(seen.windows) == attempt
        clock.advance(BASE_SECONDS * 2**attempt)
    [letter] = await dead_letters(storage)
    assert (letter.first_seq, letter.last_seq, letter.error_kind) == (1, 5, "StorageUnavailable")
    assert await learned(storage) == []
