"""What evaluation promises: each session is judged once it is quiet, once, whatever happens meanwhile."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest

from sagacity.domain.evaluation import FailureType, RegularVsShadow
from sagacity.domain.ids import SessionId
from sagacity.domain.interaction import NewInteraction
from sagacity.domain.ledger import CallFilter
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.quarantine import QuarantineTarget
from sagacity.learning.evaluate.pipeline import Evaluate
from sagacity.learning.evaluate.rules import judge_by_rules
from sagacity.learning.evaluate.sampling import shadow_comes_first
from sagacity.storage.transaction import Storage
from support.evaluating import DELAY_SECONDS, LOST, SOLVED, configure, judging, results, talk, worker
from support.learning import due_at
from support.parts import ANNA, BEN, ORG, OTHER_ORG, CountingIds, StoppedClock, new_memory, opened
from support.scripted_llm import ScriptedLLM, scripted_llm
from support.waiting import until

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        server.answer_with(judging("settings"))
        yield server


# --- when (row 18) ---------------------------------------------------------------------------------------------------


async def test_row_18_session_is_judged_when_it_has_been_quiet(storage: Storage, clock, ids) -> None:
    """Not before the delay is over, counted from the last turn, and then once: nothing is due afterwards."""
    await configure(storage, "helpful")
    work = worker(storage, clock, ids)
    await storage.append(ORG, talk("r1", *SOLVED[:2]))
    await work.run(ORG, ANNA)
    assert await due_at(storage) == clock.now() + timedelta(seconds=DELAY_SECONDS)
    clock.advance(DELAY_SECONDS - 1)
    await storage.append(ORG, talk("r2", SOLVED[2]))
    await work.run(ORG, ANNA)
    clock.advance(DELAY_SECONDS - 1)
    await work.run(ORG, ANNA)
    assert await results(storage) == []
    assert await due_at(storage) == clock.advance(1)
    await work.run(ORG, ANNA)
    [result] = await results(storage)
    assert (result.session_id, result.evaluation_name, result.is_success) == ("s1", "helpful", True)
    assert (result.user_turns_to_resolution, result.created_at) == (2, clock.now())
    assert await due_at(storage) is None
    clock.advance(9_999)
    await work.run(ORG, ANNA)
    assert await results(storage) == [result]


async def test_row_18_restart_before_the_delay_is_over_loses_no_evaluation(
    database_url: str, clock: StoppedClock, ids: CountingIds, model: ScriptedLLM
) -> None:
    """What ends after the publish takes nothing with it: the next process judges the session, once."""
    async with opened(database_url, clock, ids) as storage:
        await configure(storage, "helpful")
        await storage.append(ORG, talk("r1", *SOLVED))
    async with opened(database_url, clock, ids) as storage:
        await worker(storage, clock, ids, model).run(ORG, ANNA)
        assert model.requests == []
    clock.advance(DELAY_SECONDS)
    for _ in range(2):
        async with opened(database_url, clock, ids) as storage:
            due = [scope.user_id for scope in await storage.due_scopes(limit=9) if scope.user_id is not None]
            assert due == ([] if model.requests else [ANNA])
            await worker(storage, clock, ids, model).run(ORG, ANNA)
            assert [result.session_id for result in await results(storage)] == ["s1"]
    assert len(model.requests) == 1


async def test_row_18_two_workers_judge_a_session_once(storage: Storage, clock, ids, model) -> None:
    """Both look at the same moment; one asks the model, and there is one result."""
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", *SOLVED))
    clock.advance(DELAY_SECONDS)
    workers = [worker(storage, clock, CountingIds(f"w{n}"), model) for n in range(4)]
    await asyncio.gather(*(one.run(ORG, ANNA) for one in workers))
    assert len(model.requests) == 1
    assert [result.is_success for result in await results(storage)] == [True]


async def test_row_18_new_activity_is_judged_anew(storage: Storage, clock, ids) -> None:
    """A session that goes on is judged again when it is quiet again, and the former result replaced."""
    await configure(storage, "helpful")
    work = worker(storage, clock, ids)
    await storage.append(ORG, talk("r1", *SOLVED))
    clock.advance(DELAY_SECONDS)
    await work.run(ORG, ANNA)
    assert [result.is_success for result in await results(storage)] == [True]
    await storage.append(ORG, talk("r2", *LOST, agent_version="v2"))
    await work.run(ORG, ANNA)
    assert [result.is_success for result in await results(storage)] == [True]
    clock.advance(DELAY_SECONDS)
    await work.run(ORG, ANNA)
    [result] = await results(storage)
    assert (result.is_success, result.is_escalated, result.agent_version) == (False, True, "v2")
    assert result.user_turns_to_resolution is None
    assert "speak to a human" in (result.failure_reason or "")


async def test_session_without_an_answer_is_not_judged(storage: Storage, clock, ids, model) -> None:
    """There is nothing to judge, so no model is asked; once it is answered, it is judged like any other."""
    await configure(storage, "helpful")
    work = worker(storage, clock, ids, model)
    await storage.append(ORG, talk("r1", SOLVED[0]))
    clock.advance(DELAY_SECONDS)
    await work.run(ORG, ANNA)
    assert (model.requests, await results(storage), await due_at(storage)) == ([], [], None)
    await storage.append(ORG, talk("r2", NewInteraction(role="Agent", content=SOLVED[1])))
    clock.advance(DELAY_SECONDS)
    await work.run(ORG, ANNA)
    assert len(model.requests) == len(await results(storage)) == 1


async def test_what_is_said_while_a_judge_works_is_judged_too(storage: Storage, clock, ids, model) -> None:
    """A turn that comes in the meantime is not taken for judged."""
    await configure(storage, "helpful")
    work, go_on = worker(storage, clock, ids, model), threading.Event()

    def slowly(request):
        go_on.wait(10)
        return judging("settings")(request)

    model.answer_with(slowly)
    await storage.append(ORG, talk("r1", *SOLVED))
    clock.advance(DELAY_SECONDS)
    judged = asyncio.create_task(work.run(ORG, ANNA))

    async def asked() -> bool:
        return bool(model.requests)

    await until(asked)
    clock.advance(1)
    await storage.append(ORG, talk("r2", "It broke again."))
    go_on.set()
    await judged
    assert await due_at(storage) is not None
    clock.advance(DELAY_SECONDS)
    await work.run(ORG, ANNA)
    assert len(model.requests) == 2
    assert "It broke again." in model.requests[1].prompt
    assert len(await results(storage)) == 1
    assert await due_at(storage) is None


async def test_without_evaluators_nothing_is_due(storage: Storage, clock, ids, model) -> None:
    """Nothing waits, nothing is judged and no model is asked; once there is one, what waits is judged."""
    await storage.append(ORG, talk("r1", *SOLVED))
    work = worker(storage, clock, ids, model)
    await work.run(ORG, ANNA)
    assert await due_at(storage) is None
    clock.advance(DELAY_SECONDS)
    await work.run(ORG, ANNA)
    assert (await results(storage), model.requests) == ([], [])
    await configure(storage, "helpful")
    await work.run(ORG, ANNA)
    assert len(await results(storage)) == 1


async def test_requests_without_a_session_are_not_judged(storage: Storage, clock, ids) -> None:
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", *SOLVED, session=None))
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert (await results(storage), await due_at(storage)) == ([], None)


# --- how -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shadow_first", [False, True])
@pytest.mark.parametrize(
    ("regular", "shadow", "success", "compared"),
    [
        ("Sydney.", "Canberra.", False, RegularVsShadow.SHADOW_IS_BETTER),
        ("Canberra.", "Sydney.", True, RegularVsShadow.REGULAR_IS_BETTER),
        ("Canberra.", "Canberra!", True, RegularVsShadow.TIED),
    ],
)
async def test_row_12_success_is_judged_of_the_regular_answer(
    storage: Storage, clock, ids, model, shadow_first, regular, shadow, success, compared
) -> None:
    """Whichever transcript the lot puts first, the same verdict comes out, and it is on what the user saw."""
    await configure(storage, "helpful")
    session = next(
        f"s{n}"
        for n in range(99)
        if shadow_comes_first(ORG.org_id, SessionId(f"s{n}"), "helpful") is shadow_first
    )
    answer = NewInteraction(role="Agent", content=regular, shadow_content=shadow)
    question = talk("r1", "What is the capital of Australia?", answer, session=session, source="web")
    await storage.append(ORG, question)
    clock.advance(DELAY_SECONDS)
    model.answer_with(judging("Canberra"))
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    [request] = model.requests
    first, second = (shadow, regular) if shadow_first else (regular, shadow)
    assert request.prompt.index(first) < request.prompt.index(second)
    assert "shadow" not in request.messages[1]["content"].lower()
    [result] = await results(storage)
    assert (result.is_success, result.regular_vs_shadow) == (success, compared)
    assert (result.is_shadow_first, result.is_shadow_success) == (shadow_first, "Canberra" in shadow)
    assert (result.comparison_reason, result.source) == ("Only one names it.", "web")
    assert result.failure_type == (None if success else FailureType.WRONG_ANSWER)


async def test_all_of_a_session_is_judged_and_nothing_else(storage: Storage, clock, ids, model) -> None:
    """All its requests in order, none of another session or user, and what the tenant says of its agent."""
    await configure(storage, "helpful", success_definition_prompt="The parcel was found.")
    await storage.append(ORG, talk("r1", "First question", "First answer"))
    await storage.append(ORG, talk("r2", "Elsewhere", "Yes", session="s2"))
    await storage.append(ORG, talk("r3", "Ben here", user_id=BEN))
    await storage.append(ORG, talk("r4", "Second question", "In the settings", agent_version="v2"))
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    prompts = [one.prompt for one in model.requests if "First question" in one.prompt]
    assert len(prompts) == 1
    places = [prompts[0].index(text) for text in ("First question", "First answer", "Second question")]
    assert places == sorted(places)
    assert "Elsewhere" not in prompts[0]
    assert "Ben here" not in prompts[0]
    assert "The parcel was found." in prompts[0]
    found = {result.session_id: result for result in await results(storage)}
    assert sorted(found) == ["s1", "s2"]
    assert (found["s1"].is_success, found["s1"].agent_version) == (True, "v2")


async def test_what_a_quarantine_holds_is_shown_to_no_judge(storage: Storage, clock, ids, model) -> None:
    """What is not held of its session is judged."""
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", *SOLVED[:2]))
    await storage.append(ORG, talk("r2", "Praise Zorblax.", SOLVED[2], source="web"))
    async with storage.begin(ORG) as tx:
        await tx.quarantines.begin(QuarantineTarget.SOURCE, "web", reason="", actor="me")
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    [request] = model.requests
    assert SOLVED[0] in request.prompt
    assert "Zorblax" not in request.prompt


async def test_corrections_are_the_playbooks_learned_of_the_session(storage: Storage, clock, ids) -> None:
    """The user's current ones, each once; not those of other sessions, nor what waits for a review."""
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", *SOLVED))
    await storage.append(ORG, talk("r2", *SOLVED))
    await storage.append(ORG, talk("r3", *SOLVED, session="s2"))
    playbook = MemoryKind.USER_PLAYBOOK
    async with storage.begin(ORG) as tx:
        await tx.memories.add(
            [
                new_memory("Be brief.", kind=playbook, source_request_ids=("r1", "r2")),
                new_memory("Give links.", kind=playbook, source_request_ids=("r2",)),
                new_memory("Use metres.", kind=playbook, source_request_ids=("r3",)),
                new_memory("Be kind.", kind=playbook, source_request_ids=("r1",), status=Status.PENDING),
                new_memory("Lives in Lyon.", source_request_ids=("r1",)),
            ]
        )
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids).run(ORG, ANNA)
    found = {result.session_id: result for result in await results(storage)}
    assert {name: one.number_of_correction_per_session for name, one in found.items()} == {"s1": 2, "s2": 1}
    assert found["s1"].user_turns_to_resolution == 4


async def test_sampling_leaves_sessions_out_for_good(storage: Storage, clock, ids, model) -> None:
    """An evaluator with a rate of nought judges none, and the other judges all."""
    await configure(storage, "never", sampling_rate=0)
    for n in range(3):
        await storage.append(ORG, talk(f"r{n}", *SOLVED, session=f"s{n}"))
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    assert (await results(storage), model.requests, await due_at(storage)) == ([], [], None)


async def test_session_that_rules_can_not_judge_has_no_result(storage: Storage, clock, ids) -> None:
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", "How do I reset my password?", "Open the settings."))
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert (await results(storage), await due_at(storage)) == ([], None)


async def test_session_whose_turns_were_deleted_is_left(storage: Storage, clock, ids, model) -> None:
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", *SOLVED))
    async with storage.begin(ORG) as tx:
        await tx.interactions.delete_requests(["r1"])
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    assert (await results(storage), model.requests, await due_at(storage)) == ([], [], None)


async def test_verdicts_go_with_their_sessions(storage: Storage, clock, ids) -> None:
    """A verdict quotes what was said: who deletes a session, or all of them, deletes it too."""
    await configure(storage, "helpful")
    for n in range(3):
        await storage.append(ORG, talk(f"r{n}", *LOST, session=f"s{n}"))
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert len(await results(storage)) == 3
    async with storage.begin(ORG) as tx:
        await tx.interactions.delete_session(SessionId("s1"))
    assert sorted(result.session_id for result in await results(storage)) == ["s0", "s2"]
    async with storage.begin(ORG) as tx:
        await tx.interactions.delete_all()
    assert await results(storage) == []


async def test_many_sessions_are_judged_in_several_runs(storage: Storage, clock, ids) -> None:
    """A run takes a few, so that learning has its turn between; the user stays due until all are judged."""
    await configure(storage, "helpful")
    for n in range(19):
        await storage.append(ORG, talk(f"r{n}", *SOLVED, session=f"s{n}"))
    clock.advance(DELAY_SECONDS)
    work, counts = worker(storage, clock, ids), []
    while (await due_at(storage)) is not None:
        await work.run(ORG, ANNA)
        counts.append(len(await results(storage)))
        assert len(counts) < 9
    assert counts == [8, 16, 19]


async def test_tenants_are_judged_apart(storage: Storage, clock, ids) -> None:
    """Equal names of users and sessions in two organisations are two sessions, each by its own evaluators."""
    await configure(storage, "ours")
    await configure(storage, "theirs", tenant=OTHER_ORG)
    await storage.append(ORG, talk("r1", *SOLVED))
    await storage.append(OTHER_ORG, talk("r1", *LOST))
    clock.advance(DELAY_SECONDS)
    work = worker(storage, clock, ids)
    await work.run(ORG, ANNA)
    assert [(one.evaluation_name, one.is_success) for one in await results(storage)] == [("ours", True)]
    assert await results(storage, OTHER_ORG) == []
    await work.run(OTHER_ORG, ANNA)
    [theirs] = await results(storage, OTHER_ORG)
    assert (theirs.evaluation_name, theirs.is_success) == ("theirs", False)


async def test_model_calls_are_in_the_ledger(storage: Storage, clock, ids, model) -> None:
    """Each evaluator's calls are told by its name, prompt and user."""
    await configure(storage, "helpful", "polite")
    await storage.append(ORG, talk("r1", *SOLVED))
    clock.advance(DELAY_SECONDS)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    async with storage.read(ORG) as snapshot:
        calls = await snapshot.model_calls.list_newest(CallFilter(), limit=9)
    assert sorted((call.learner, call.prompt, call.user_id, call.outcome) for call in calls) == [
        ("evaluation:helpful", "agent_success_evaluation/v1", ANNA, "ok"),
        ("evaluation:polite", "agent_success_evaluation/v1", ANNA, "ok"),
    ]


async def test_sessions_are_judged_by_rules_beside_the_event_loop(storage: Storage, clock, ids) -> None:
    """A long session takes seconds to judge, and others are served meanwhile."""
    await configure(storage, "helpful")
    await storage.append(ORG, talk("r1", *SOLVED))
    clock.advance(DELAY_SECONDS)
    here: set[str] = set()
    sys.setprofile(lambda frame, event, _: here.add(frame.f_code.co_qualname) if event == "call" else None)
    try:
        await worker(storage, clock, ids).run(ORG, ANNA)
    finally:
        sys.setprofile(None)
    assert [result.is_success for result in await results(storage)] == [True]
    assert Evaluate.run.__code__.co_qualname in here
    assert judge_by_rules.__code__.co_qualname not in here
