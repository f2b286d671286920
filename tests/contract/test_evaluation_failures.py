"""What evaluation promises when a judge fails: it is told, it is tried again, and no other session waits for it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from sagacity.domain.cursor import DeadLetterStatus
from sagacity.domain.ids import SessionId
from sagacity.storage.transaction import Storage
from support.evaluating import BAD, DELAY_SECONDS, GOOD, SOLVED, configure, judging, results, talk, worker
from support.learning import ATTEMPTS, BASE_SECONDS, dead_letters, due_at
from support.parts import ANNA, ORG, CountingIds, StoppedClock
from support.scripted_llm import ScriptedLLM, as_json, scripted_llm, status

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]

DOWN = status(401, says="no such key")


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        yield server


async def test_failing_session_is_tried_again_and_given_up_alone(storage: Storage, clock, ids, model) -> None:
    """After growing waits it is parked as a dead letter; the other session is judged at once."""
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", "Poison", "No settings", session="bad"))
    await storage.append(ORG, talk("r2", *SOLVED, session="good"))
    model.answer_with(lambda one: DOWN if "Poison" in one.prompt else as_json(GOOD))
    work, wait = worker(storage, clock, ids, model), DELAY_SECONDS
    for attempt in range(1, ATTEMPTS + 1):
        clock.advance(wait)
        await work.run(ORG, ANNA)
        assert [result.session_id for result in await results(storage)] == ["good"]
        assert len([one for one in model.requests if "Poison" in one.prompt]) == attempt
        wait = BASE_SECONDS * 2 ** (attempt - 1)
        is_last = attempt == ATTEMPTS
        assert await due_at(storage) == (None if is_last else clock.now() + timedelta(seconds=wait))
    [letter] = await dead_letters(storage)
    assert (letter.learner, letter.first_seq, letter.last_seq) == ("evaluation:helpful", 1, 2)
    assert (letter.attempts, letter.status) == (ATTEMPTS, DeadLetterStatus.PARKED)
    assert letter.error_kind == "ProviderRefused"
    assert len(model.requests) == ATTEMPTS + 1


async def give_up(storage: Storage, clock: StoppedClock, ids: CountingIds, model: ScriptedLLM) -> int:
    """Publish one session and let it fail until it is parked; returns the dead letter's number."""
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", *SOLVED))
    model.answer_with(DOWN)
    clock.advance(DELAY_SECONDS)
    for _ in range(ATTEMPTS):
        await worker(storage, clock, ids, model).run(ORG, ANNA)
        clock.advance(1_000)
    [letter] = await dead_letters(storage)
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.replay(letter.dead_letter_id)
    assert await due_at(storage) == clock.now()
    return letter.dead_letter_id


async def test_dead_letter_that_is_replayed_is_judged(storage: Storage, clock, ids, model) -> None:
    await give_up(storage, clock, ids, model)
    model.answer_with(judging("settings"))
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    assert [result.is_success for result in await results(storage)] == [True]
    assert [letter.status for letter in await dead_letters(storage)] == [DeadLetterStatus.REPLAYED]
    assert await due_at(storage) is None


async def test_replay_that_fails_is_parked_again(storage: Storage, clock, ids, model) -> None:
    await give_up(storage, clock, ids, model)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    [letter] = await dead_letters(storage)
    assert (letter.status, letter.attempts) == (DeadLetterStatus.PARKED, ATTEMPTS + 1)
    assert (await results(storage), await due_at(storage)) == ([], None)


async def test_replay_of_a_session_that_was_deleted_is_done(storage: Storage, clock, ids, model) -> None:
    await give_up(storage, clock, ids, model)
    async with storage.begin(ORG) as tx:
        await tx.interactions.delete_session(SessionId("s1"))
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    assert [letter.status for letter in await dead_letters(storage)] == [DeadLetterStatus.REPLAYED]
    assert await due_at(storage) is None


async def test_evaluator_that_succeeded_is_not_asked_again(storage: Storage, clock, ids, model) -> None:
    """Of two evaluators one fails: the other's result is stored, and only the one that failed is tried again."""
    await configure(storage, "helpful", "polite")
    await storage.append(ORG, talk("r1", *SOLVED))
    clock.advance(DELAY_SECONDS)
    calls = 0

    def first_fails(_request):
        nonlocal calls
        calls += 1
        return DOWN if calls == 1 else as_json(BAD)

    model.answer_with(first_fails)
    work = worker(storage, clock, ids, model)
    await work.run(ORG, ANNA)
    [first] = await results(storage)
    clock.advance(BASE_SECONDS)
    await work.run(ORG, ANNA)
    assert (await results(storage))[0] == first
    assert sorted(one.evaluation_name or "" for one in await results(storage)) == ["helpful", "polite"]
    assert len(model.requests) == 3
    assert await dead_letters(storage) == []
