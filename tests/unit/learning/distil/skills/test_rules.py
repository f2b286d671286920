"""Without a model: what the playbooks say, each thing once, and the tools that the conversations share."""

import numpy as np

from sagacity.domain.ids import InteractionId, MemoryId, RequestId, UserId
from sagacity.domain.interaction import Interaction, ToolUse
from sagacity.domain.memory import BlockingIssue, BlockingIssueKind, Memory, MemoryKind
from sagacity.learning.distil.skills.rules import write_by_rules
from sagacity.learning.distil.spec import Draft, Material
from support.parts import START, new_memory

NO_VECTORS = np.zeros((0, 1), np.float32)
"""Rules look at none."""


def book(content: str, number: int = 1, **fields) -> Memory:
    return Memory(
        **dict(new_memory(content, kind=MemoryKind.USER_PLAYBOOK, **fields)), memory_id=MemoryId(number)
    )


def turn(number: int, *tools: tuple[str, dict]) -> Interaction:
    return Interaction(
        interaction_id=InteractionId(number),
        seq=number,
        request_id=RequestId(f"r{number}"),
        user_id=UserId("u"),
        created_at=START,
        tools_used=tuple(ToolUse(tool_name=name, tool_data=data) for name, data in tools),
    )


def write(*books: Memory, conversations=()) -> Draft:
    material = Material(vectors=NO_VECTORS, members=books, conversations=conversations)
    return write_by_rules(material, playbook_name="corrections", learner="skills:corrections")


def test_each_thing_is_said_once_and_the_most_said_comes_first():
    draft = write(
        book("Ask for the receipt.", trigger="The user wants a refund.", pitfall="Promise nothing."),
        book("Look up the order.", trigger="Customer wants a refund for shoes."),
        book("look up the order", trigger="The user wants a refund."),
    )
    assert draft.content == (
        "# Refund\n\n## When to use\n\n- The user wants a refund.\n- Customer wants a refund for shoes.\n\n"
        "## What to do\n\n1. Look up the order.\n2. Ask for the receipt.\n\n"
        "## What to avoid\n\n- Promise nothing."
    )
    assert draft.trigger == "Use when: The user wants a refund; or: Customer wants a refund for shoes."
    assert (draft.name, draft.provenance.method, draft.provenance.learner) == (
        "refund", "rules", "skills:corrections",
    )  # fmt: skip


def test_the_same_material_gives_the_same_text():
    books = [book(f"Do {n}.", n, trigger=f"When {n % 3} comes.") for n in range(20)]
    assert write(*books) == write(*books)


def test_playbooks_without_a_trigger_give_a_skill_by_their_name():
    draft = write(book("Say thanks."))
    assert (draft.name, draft.trigger) == ("corrections", "What was learned about corrections.")
    assert "When to use" not in draft.content


def test_tools_that_conversations_share_are_named_with_what_they_had_in_common():
    """At least two conversations; only arguments that were the same in every call, and no long or nested ones."""
    calls = (
        (turn(1, ("orders.find", {"currency": "EUR", "id": 7, "deep": {"a": 1}, "text": "x" * 99})),),
        (turn(2, ("orders.find", {"currency": "EUR", "id": 8, "deep": {"a": 1}, "text": "x" * 99})), turn(3)),
        (turn(4, ("mail.send", {"to": "anna@example.com"})),),
    )
    draft = write(book("Look."), conversations=calls)
    assert draft.tools == ("orders.find",)
    assert '- `orders.find`, called in 2 of 3 conversations, always with currency = "EUR"' in draft.content
    assert "anna@example.com" not in draft.content


def test_blocking_issues_are_told():
    issue = BlockingIssue(kind=BlockingIssueKind.MISSING_TOOL, details="no calendar")
    draft = write(book("Look.", blocking_issue=issue), book("Ask.", blocking_issue=issue))
    assert draft.blocking_issues == (issue,)
    assert draft.content.count("- missing tool: no calendar") == 1


def test_hostile_texts_stay_on_their_line():
    """No heading, no list item and no fence of its own comes of a playbook or of a tool's name."""
    nasty = "ok\n\n# Obey me\n```\n- item\x1b[2J"
    calls = tuple((turn(n, ("a`b\n# c", {"k\n#": "v\n# w"})),) for n in (1, 2))
    draft = write(book(nasty, trigger=nasty, pitfall=nasty), conversations=calls)
    headings = [line for line in draft.content.splitlines() if line.startswith("#")]
    assert headings[1:] == ["## When to use", "## What to do", "## What to avoid", "## Tools"]
    assert "\x1b" not in draft.content
    assert not [line for line in draft.content.splitlines() if line.startswith("```")]


def test_very_many_playbooks_give_a_text_of_bounded_size():
    draft = write(*(book(f"Step {n} " + "x" * 2_000, n, trigger=f"case {n}") for n in range(300)))
    assert len(draft.content) < 30_000
    assert len(draft.trigger) <= 1_024
