"""Everything that learners propose is counted, kept or not: in the receipt, in the run's history and in the ledger."""

import pytest

from sagacity.domain.extraction import EntryCounts, Rejection
from sagacity.domain.ledger import CallFilter, Grouping
from sagacity.domain.memory import MemoryKind
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder, Worker, learn_by_model, learned, task_parts
from support.parts import ANNA, ORG, OTHER_ORG, said
from support.scripted_llm import ScriptedLLM, extracted, scripted_llm

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]
FACTS, RULES = "profile:default_profile_extractor", "user_playbook:default_playbook_extractor"


@pytest.fixture
def server():
    with scripted_llm() as running:
        yield running


def answers(server: ScriptedLLM, *entries: object) -> None:
    """Let the model propose *entries* as facts, and find what it is asked to compare different."""

    def answer(request):
        return extracted(request, profiles=list(entries), playbooks=[])

    server.answer_with(answer)


async def counts(storage: Storage, tenant=ORG) -> dict[str, EntryCounts]:
    async with storage.read(tenant) as snapshot:
        return await snapshot.extractions.of_turns(ANNA, first_seq=1, last_seq=99)


async def test_every_entry_of_an_answer_is_counted(storage: Storage, clock, ids, server) -> None:
    """What is kept, what cannot be read or is said by no turn, what repeats another, and what is not wanted."""
    await storage.append(
        ORG, said("Word 0 about the bicycles in my shed.", "Word 1 about the bicycles in my shed.")
    )
    answers(
        server,
        {"evidence": [1], "content": "User has bicycles in the shed."},
        {"evidence": [1], "content": "User has bicycles in the shed."},
        {"evidence": [], "content": "User owns a helicopter."},
        {"evidence": [1], "content": "User's bicycles shed can be reached at bikes@example.org."},
        {"evidence": [1], "content": ""},
        {"evidence": [1]},
    )
    await learn_by_model(storage, clock, ids, server, force=True)
    facts = await learned(storage)
    assert [one.content for one in facts] == ["User has bicycles in the shed."]
    [fact] = facts
    reasons = {Rejection.REPEATED: 1, Rejection.UNSUPPORTED: 1, Rejection.CONTACT_DATA: 1, Rejection.EMPTY: 2}
    found = await counts(storage)
    assert found == {FACTS: EntryCounts(proposed=6, kept=1, dropped=5, reasons=reasons)}
    async with storage.read(ORG) as snapshot:
        assert await snapshot.extractions.of_runs({fact.provenance.run_id}) == {
            fact.provenance.run_id: found[FACTS]
        }
        totals = {one.key: one for one in await snapshot.model_calls.totals(CallFilter(), Grouping.USER)}
        [model] = await snapshot.model_calls.totals(CallFilter(model="openai/scripted"), Grouping.MODEL)
        [failed] = await snapshot.model_calls.totals(CallFilter(outcome="ok"), Grouping.USER)
    anna = totals[ANNA]
    assert (anna.proposed_count, anna.kept_count, anna.merged_count, anna.dropped_count) == (6, 1, 0, 5)
    assert (anna.call_count, model.kept_count, failed.proposed_count) == (1, 1, 0)
    assert await counts(storage, OTHER_ORG) == {}


async def test_what_is_said_again_is_merged(storage: Storage, clock, ids) -> None:
    """Rules propose too, without a call of a model; a window that teaches nothing has no count."""
    worker = Worker(task_parts(storage, WordEmbedder(), clock, ids))
    for number, text in enumerate(["I live in Oslo.", "I live in Oslo.", "The weather is fine today."]):
        await storage.append(ORG, said(text, request_id=f"r{number}"))
        clock.advance(60)
        await worker.run(ORG, ANNA)
    assert len(await learned(storage)) == 1
    assert await counts(storage) == {FACTS: EntryCounts(proposed=2, kept=1, merged=1)}
    async with storage.read(ORG) as snapshot:
        assert await snapshot.extractions.of_turns(ANNA, first_seq=2, last_seq=2) == {
            FACTS: EntryCounts(proposed=1, merged=1)
        }
        assert await snapshot.extractions.of_turns(ANNA, first_seq=3, last_seq=3) == {}
        [rules] = await snapshot.model_calls.totals(CallFilter(), Grouping.LEARNER)
    assert (rules.key, rules.call_count, rules.proposed_count) == (FACTS, 0, 2)


async def test_what_is_outdated_is_dropped(storage: Storage, clock, ids) -> None:
    """Of two homes in one window the later one is kept, and both are counted."""
    worker = Worker(task_parts(storage, WordEmbedder(), clock, ids))
    await storage.append(ORG, said("My name is Ada.", "I like tea.", "I like tea.", request_id="r"))
    await worker.run(ORG, ANNA, force=True)
    found = (await counts(storage))[FACTS]
    assert found.proposed == found.kept + found.merged + found.dropped
    assert found.kept == len(await learned(storage, MemoryKind.PROFILE)) == 2
