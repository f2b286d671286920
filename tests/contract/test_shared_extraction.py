"""One call reads a window for all kinds, and windows follow the talk: with a model, on both databases."""

import json
import re

import pytest

from sagacity.domain.interaction import NewInteraction, ToolUse
from sagacity.domain.ledger import CallFilter
from sagacity.domain.memory import MemoryKind
from sagacity.storage.transaction import Storage
from support.learning import cursor, learn_by_model, learned
from support.parts import ORG, said
from support.scripted_llm import (
    ChatRequest,
    ScriptedLLM,
    as_json,
    cut_off,
    extracted,
    garbage,
    scripted_llm,
)

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]

PLAYBOOK = MemoryKind.USER_PLAYBOOK
FACTS, RULES = "profile:default_profile_extractor", "user_playbook:default_playbook_extractor"


@pytest.fixture
def server():
    with scripted_llm() as running:
        running.answer_with(proposing)
        yield running


def proposing(request: ChatRequest):
    """A fact and a rule of the last new turn; nothing is the same as anything."""
    if "verdicts" in (request.schema or {}).get("properties", {}):
        return as_json({"verdicts": []})
    last = int(re.findall(r"^\[#(\d+) ", request.prompt, re.MULTILINE)[-1])
    rule = {
        "rationale": "Asked for.",
        "trigger": f"Case {last}",
        "content": f"Keep bicycle {last} in the shed.",
    }
    return extracted(
        request,
        profiles=[{"evidence": [last], "content": f"User owns bicycle number {last}."}],
        playbooks=[rule | {"evidence": [last]}],
    )


def talk(*roles: str, session: str = "s1", start: int = 0):
    turns = tuple(
        NewInteraction(role=role, content=f"Word {start + n} about the bicycles in my shed.")
        for n, role in enumerate(roles)
    )
    request = said(request_id=f"{session}-{start}")
    return request.model_copy(update={"interactions": turns, "session_id": session})


def new_turns(request: ChatRequest) -> int:
    """How many turns a call was shown as new."""
    return len(
        re.findall(r"^\[#\d+ [a-z]+ \d\d:\d\d\]", request.prompt.partition("\nNEW\n")[2], re.MULTILINE)
    )


def extractions(server: ScriptedLLM) -> list[ChatRequest]:
    """The calls that read a window; those of judges are left out."""
    return [one for one in server.requests if "profiles" in (one.schema or {}).get("properties", {})]


async def learners_in_ledger(storage: Storage) -> list[str]:
    """Who called, judges left out, oldest first."""
    async with storage.read(ORG) as snapshot:
        calls = await snapshot.model_calls.list_newest(CallFilter())
    return [one.learner for one in reversed(calls) if not one.learner.startswith("deduplication")]


async def test_one_call_teaches_both_kinds(storage: Storage, clock, ids, server) -> None:
    """Facts and rules are learned of one answer, each with its provenance, and both cursors move."""
    await storage.append(ORG, talk("User", "Agent", "User", "Agent"))
    report = await learn_by_model(storage, clock, ids, server, force=True)
    assert await learners_in_ledger(storage) == ["extraction"]
    [fact], [rule] = await learned(storage), await learned(storage, PLAYBOOK)
    assert fact.provenance.prompt_version == rule.provenance.prompt_version == "conversation_extraction/v1"
    assert (fact.provenance.learner, rule.provenance.learner) == (FACTS, RULES)
    assert [(await cursor(storage, one)).seq for one in (FACTS, RULES)] == [4, 4]
    assert (report.added[MemoryKind.PROFILE], report.added[PLAYBOOK]) == (1, 1)
    [request] = server.requests
    assert "id: anna" in request.prompt.lower()


async def test_windows_follow_the_talk(storage: Storage, clock, ids, server) -> None:
    """They end with a session or an exchange, never before an answer; the rest waits until it is quiet."""
    await storage.append(ORG, talk(*("User", "Agent") * 8, session="s1"))
    await storage.append(ORG, talk(*("User", "Agent", "tool", "Agent") * 6, session="s2", start=16))
    await learn_by_model(storage, clock, ids, server)
    assert [new_turns(request) for request in extractions(server)] == [16]
    clock.advance(31)
    await learn_by_model(storage, clock, ids, server)
    assert [new_turns(request) for request in extractions(server)] == [16, 24]
    assert [(await cursor(storage, one)).seq for one in (FACTS, RULES)] == [40, 40]


async def test_talk_without_an_end_is_cut_before_a_question(storage: Storage, clock, ids, server) -> None:
    """One long session of uneven exchanges: each window begins with a person's turn."""
    await storage.append(ORG, talk(*("User", "Agent", "tool", "tool", "Agent") * 12))
    await learn_by_model(storage, clock, ids, server, force=True)
    for request in extractions(server):
        first = re.search(r"\nNEW\n(?:--- [^\n]+\n)?\[#\d+ (\w+)", request.prompt)
        assert first is not None
        assert first[1] == "user"
    assert sum(map(new_turns, extractions(server))) == 60


async def test_chosen_window_is_kept(storage: Storage, clock, ids, server) -> None:
    """Steps that an organisation chose are taken as they are, by preset or by number."""
    await storage.append(ORG, talk(*("User", "Agent") * 6))
    await learn_by_model(storage, clock, ids, server, batch_size=6, batch_interval=3)
    assert [new_turns(request) for request in extractions(server)] == [3, 3, 3, 3]
    await storage.append(ORG, talk(*("User", "Agent") * 6, start=12))
    await learn_by_model(storage, clock, ids, server, extraction_preset="standard")
    assert [new_turns(request) for request in extractions(server)[4:]] == [5, 5]


async def test_failure_is_that_of_both_and_costs_one_call(storage: Storage, clock, ids, server) -> None:
    """An answer that does not read is asked for once more, not once a kind; the next try learns both."""
    server.answer_with(lambda _: garbage())
    await storage.append(ORG, talk("User", "Agent"))
    report = await learn_by_model(storage, clock, ids, server, force=True)
    assert len(server.requests) == 2
    assert set(report.failed) == {FACTS, RULES}
    assert [(await cursor(storage, one)).attempts for one in (FACTS, RULES)] == [1, 1]
    server.answer_with(proposing)
    clock.advance(3_600)
    await learn_by_model(storage, clock, ids, server, force=True)
    assert (len(await learned(storage)), len(await learned(storage, PLAYBOOK))) == (1, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"prompt_versions": {"profile_extraction": 4}},
        {"incremental_extraction": True},
        {"user_playbook_extraction_enabled": False},
    ],
    ids=["own prompt", "one after another", "one kind"],
)
async def test_kinds_are_asked_apart_where_they_have_to_be(
    storage: Storage, clock, ids, server, fields
) -> None:
    """By a prompt of one's own, when told what others found, and where there is one kind only."""
    await storage.append(ORG, talk("User", "Agent"))
    await learn_by_model(storage, clock, ids, server, force=True, **fields)
    assert "extraction" not in await learners_in_ledger(storage)
    assert len(await learned(storage)) == 1


async def test_experts_answer_has_its_own_prompt(storage: Storage, clock, ids, server) -> None:
    turns = talk("User", "Agent")
    answered = turns.interactions[1].model_copy(update={"expert_content": "Oil the chain first."})
    await storage.append(ORG, turns.model_copy(update={"interactions": (turns.interactions[0], answered)}))
    await learn_by_model(storage, clock, ids, server, force=True)
    assert sorted(await learners_in_ledger(storage)) == [FACTS, RULES]


async def test_kinds_that_are_out_of_step_are_asked_apart(storage: Storage, clock, ids, server) -> None:
    """One that was switched on later catches up by itself, and then they share a call again."""
    await storage.append(ORG, talk("User", "Agent"))
    await learn_by_model(storage, clock, ids, server, force=True, user_playbook_extraction_enabled=False)
    await storage.append(ORG, talk("User", "Agent", start=2))
    await learn_by_model(storage, clock, ids, server, force=True)
    assert sorted(await learners_in_ledger(storage)) == [FACTS, FACTS, RULES]
    await storage.append(ORG, talk("User", "Agent", start=4))
    await learn_by_model(storage, clock, ids, server, force=True)
    assert (await learners_in_ledger(storage))[-1] == "extraction"


async def test_answer_that_names_one_kind_only_is_read(storage: Storage, clock, ids, server) -> None:
    """What is left out was not found."""
    server.answer_with(
        lambda request: json.dumps({"profiles": [{"evidence": [1], "content": "User rides."}]})
    )
    await storage.append(ORG, talk("User", "Agent"))
    await learn_by_model(storage, clock, ids, server, force=True)
    assert len(server.requests) == 1
    assert [one.content for one in await learned(storage)] == ["User rides."]
    assert await learned(storage, PLAYBOOK) == []


async def test_kind_before_which_the_answer_broke_off_is_asked_for_by_itself(
    storage: Storage, clock, ids, server
) -> None:
    """A model that has room for the facts only, also when asked for fewer, still teaches the rules."""

    def short_of_breath(request: ChatRequest):
        answer = proposing(request)
        fields = (request.schema or {}).get("properties", {})
        both = {"profiles", "playbooks"} <= fields.keys()
        return cut_off(json.loads(answer.text), at=answer.text.index("playbooks")) if both else answer

    server.answer_with(short_of_breath)
    await storage.append(ORG, talk("User", "Agent"))
    await learn_by_model(storage, clock, ids, server, force=True)
    assert await learners_in_ledger(storage) == ["extraction", "extraction", RULES]
    assert (len(await learned(storage)), len(await learned(storage, PLAYBOOK))) == (1, 1)


async def test_default_cost_is_a_third_at_most(storage: Storage, clock, ids, server) -> None:
    """Ten turns of a support chat of this length took 11,100 prompt tokens as two calls each five turns."""
    turn = "I have looked into the order, and the parcel was handed over to the carrier on Monday; "
    turns = tuple(
        NewInteraction(
            role=("User", "Agent")[n % 2],
            content=f"{n}: {turn * 4}",
            tools_used=(ToolUse(tool_name="find_order", tool_data={"order": n}),) if n % 4 == 1 else (),
        )
        for n in range(20)
    )
    server.answer_with(extracted)
    await storage.append(ORG, said().model_copy(update={"interactions": turns}))
    await learn_by_model(storage, clock, ids, server, force=True)
    sent = sum(len(json.dumps(request.body)) for request in extractions(server))
    assert sent / 4 / 2 <= 11_100 / 3
