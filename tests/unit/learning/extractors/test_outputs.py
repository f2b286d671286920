"""Answers that differ from the schema in form only are read as what they mean."""

import json

import pytest

from sagacity.learning.extractors import outputs
from sagacity.providers.llm.structured import parse

RULE = {"rationale": "r", "trigger": "t", "content": "c"}
SKILL = {"worth_writing": True, "name": "do-it", "description": "d", "instructions": "# A\n1. b"}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (RULE, RULE),
        ({"answer": {"playbook": RULE}}, RULE),
        ({"playbook": RULE | {"content": ["c", "d"]}}, RULE | {"content": "c\nd"}),
        ({"playbook": "c"}, RULE | {"rationale": "", "trigger": ""}),
        ({"playbook": "null"}, None),
        ({"playbook": None}, None),
    ],
)
def test_playbook_for_all(given: object, read: dict[str, str] | None) -> None:
    """Without the field around it, within another, as steps, or as bare text."""
    said = parse(json.dumps(given), outputs.PlaybookAggregation).playbook
    assert (None if said is None else said.model_dump(exclude_none=True)) == read


@pytest.mark.parametrize(
    "odd",
    [
        {"reason": None, "allowed_tools": "a.b, c"},
        {"allowed_tools": ["a.b", "c"], "instructions": ["# A", "1. b"]},
    ],
)
def test_skill(odd: dict[str, object]) -> None:
    """Null for a text that may be missing, tools as one text, instructions as lines; also in a field of its own."""
    for given in (SKILL | odd, {"skill": SKILL | odd}):
        said = parse(json.dumps(given), outputs.SkillGenerationOutput)
        assert (said.instructions, said.allowed_tools) == ("# A\n1. b", ("a.b", "c"))


@pytest.mark.parametrize(
    "given",
    [
        [{"content": "c", "evidence": [1]}],
        {"facts": [{"content": "c", "evidence": [1]}]},
        {"profiles": {"content": "c", "evidence": [1], "slot": None, "negates": None}},
    ],
)
def test_facts(given: object) -> None:
    """A list alone or under another name, and one fact outside a list."""
    said = parse(json.dumps(given), outputs.ProfileExtraction)
    assert [(one.content, one.evidence, one.slot) for one in said.profiles] == [("c", (1,), "")]


def test_conversation() -> None:
    """Null for a list means nothing, a rule may be bare text, and both may stand in one list."""
    said = parse('{"profiles": null, "playbooks": ["Be brief."]}', outputs.ConversationExtraction)
    assert (said.profiles, [one.content for one in said.playbooks]) == ((), ["Be brief."])
    mixed = parse(json.dumps([{"content": "a", "evidence": [1]}, RULE]), outputs.ConversationExtraction)
    assert [one.content for one in (*mixed.profiles, *mixed.playbooks)] == ["a", "c"]
    assert len(mixed.profiles) == 1


def test_verdicts_and_summaries() -> None:
    """Null stands for what is not said, and words may come as one text."""
    side = {"is_success": True, "is_escalated": None, "failure_reason": ["a", "b"]}
    compared = {"a": side, "b": side, "better": "A", "is_significantly_better": None}
    said = parse(json.dumps(compared), outputs.SessionComparison)
    assert (said.a.failure_reason, said.a.is_escalated, said.is_significantly_better) == (
        "a\nb",
        False,
        False,
    )
    summary = parse('{"summary": "s", "title": null, "keywords": "a, b"}', outputs.SessionSummary)
    assert (summary.title, summary.keywords) == ("", ("a", "b"))
    verdict = parse('{"item": "N1", "action": "add"}', outputs.ProfileDeduplication)
    assert [one.item for one in verdict.verdicts] == ["N1"]
    words = parse(
        '{"memories": [{"item": "N1", "words": "a, b"}, {"item": "N2"}]}', outputs.DocumentExpansion
    )
    assert [one.words for one in words.memories] == [("a", "b")]
