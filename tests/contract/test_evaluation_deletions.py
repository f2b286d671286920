"""A verdict quotes what was said: where turns go, the verdicts on their sessions go too."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sagacity.domain.ids import RequestId, SessionId
from sagacity.domain.retention import TurnsToGo
from sagacity.storage.transaction import Storage, Transaction
from support.evaluating import BAD, DELAY_SECONDS, LOST, configure, results, talk, worker
from support.learning import due_at
from support.parts import ANNA, BEN, ORG, OTHER_ORG
from support.scripted_llm import as_json, scripted_llm

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]
Delete = Callable[[Transaction], Awaitable[object]]


async def _one_turn(tx: Transaction) -> None:
    [turn, *_] = (await tx.interactions.of_requests([RequestId("r1")]))[RequestId("r1")]
    await tx.interactions.delete(ANNA, turn.interaction_id)


async def _oldest(tx: Transaction, count: int) -> None:
    may_go = TurnsToGo(judged=True)
    chosen = await tx.retention.oldest_read(may_go, limit=count)
    assert await tx.retention.drop(chosen, may_go) == count


async def _judged(storage: Storage, clock, ids) -> None:
    """A session of two requests of Anna's, and four beside it, with their verdicts."""
    await configure(storage, "helpful", "polite")
    await configure(storage, "helpful", tenant=OTHER_ORG)
    for request in (
        talk("r1", *LOST), talk("r2", *LOST), talk("other", *LOST, session="s2"),
        talk("b1", *LOST, user_id=BEN), talk("b2", *LOST, user_id=BEN, session="s2"),
    ):  # fmt: skip
        await storage.append(ORG, request)
    await storage.append(OTHER_ORG, talk("r1", *LOST))
    clock.advance(DELAY_SECONDS)
    work = worker(storage, clock, ids)
    for tenant, user_id in ((ORG, ANNA), (ORG, BEN), (OTHER_ORG, ANNA)):
        await work.run(tenant, user_id)
    assert (len(await results(storage)), len(await results(storage, OTHER_ORG))) == (8, 1)


@pytest.mark.parametrize(
    "delete",
    [
        pytest.param(_one_turn, id="a turn"),
        pytest.param(lambda tx: tx.interactions.delete_requests([RequestId("r1")]), id="one of its requests"),
        pytest.param(
            lambda tx: tx.interactions.delete_requests([RequestId("r1"), RequestId("r2")]),
            id="all of its requests",
        ),
        pytest.param(lambda tx: _oldest(tx, 1), id="its oldest turn"),
        pytest.param(lambda tx: _oldest(tx, 6), id="all of its turns"),
    ],
)
async def test_verdicts_go_with_the_turns_they_quote(storage: Storage, clock, ids, delete: Delete) -> None:
    """All verdicts on the session of that user; those on others stay."""
    await _judged(storage, clock, ids)
    async with storage.begin(ORG) as tx:
        await delete(tx)
    await worker(storage, clock, ids).run(ORG, ANNA)
    async with storage.read(ORG) as snapshot:
        kept = [
            (user_id, session, len(await snapshot.evaluations.judged_at(user_id, SessionId(session))))
            for user_id in (ANNA, BEN)
            for session in ("s1", "s2")
        ]
    assert kept == [(ANNA, "s1", 0), (ANNA, "s2", 2), (BEN, "s1", 2), (BEN, "s2", 2)]
    assert len(await results(storage, OTHER_ORG)) == 1


async def test_a_session_that_goes_on_after_a_deletion_is_judged_anew(storage: Storage, clock, ids) -> None:
    await _judged(storage, clock, ids)
    async with storage.begin(ORG) as tx:
        await _one_turn(tx)
    await storage.append(ORG, talk("r3", *LOST))
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert len(await results(storage)) == 8


@pytest.mark.parametrize("what", ["the session", "a turn", "a request", "all"])
async def test_what_is_deleted_while_a_judge_works_is_not_quoted(storage: Storage, clock, ids, what) -> None:
    """The verdict on the words that are gone is never written; what is left of the session is judged at once."""
    await configure(storage, "helpful")
    loop, asked = asyncio.get_running_loop(), 0
    deletions: dict[str, Delete] = {
        "the session": lambda tx: tx.interactions.delete_session(SessionId("s1")),
        "a turn": _one_turn,
        "a request": lambda tx: tx.interactions.delete_requests([RequestId("r1")]),
        "all": lambda tx: tx.interactions.delete_all(),
    }

    async def erase() -> None:
        async with storage.begin(ORG) as tx:
            await deletions[what](tx)

    def judge(request):
        nonlocal asked
        asked += 1
        if asked == 1:
            asyncio.run_coroutine_threadsafe(erase(), loop).result(10)
        return as_json(BAD | {"failure_reason": f"verdict {asked}, on {'parcel' in request.prompt}"})

    with scripted_llm() as server:
        server.answer_with(judge)
        await storage.append(ORG, talk("r1", *LOST))
        await storage.append(ORG, talk("r2", "Are you there?", "Yes."))
        clock.advance(DELAY_SECONDS)
        work = worker(storage, clock, ids, server)
        await work.run(ORG, ANNA)
        first = [one.failure_reason for one in await results(storage)]
        await work.run(ORG, ANNA)
    left = ["verdict 2, on False"] if what in {"a turn", "a request"} else []
    assert "verdict 1, on True" not in first
    assert [one.failure_reason for one in await results(storage)] == left
    assert await due_at(storage) is None


async def test_verdicts_are_judged_and_deleted_at_once_without_a_trace(storage: Storage, clock, ids) -> None:
    """Whoever is first, a deletion and a verdict, none is there at the end that quotes what is gone."""
    await configure(storage, "helpful")
    work = worker(storage, clock, ids)
    for round_ in range(6):
        request = talk(f"r{round_}", *LOST, session=f"s{round_}")
        await storage.append(ORG, request)
        clock.advance(DELAY_SECONDS)

        async def erase(request_id: RequestId = request.request_id) -> None:
            async def delete() -> None:
                async with storage.begin(ORG) as tx:
                    await tx.interactions.delete_requests([request_id])

            await storage.retry(delete)

        await asyncio.gather(work.run(ORG, ANNA), erase())
        assert await results(storage) == [], round_
