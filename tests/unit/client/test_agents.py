"""What an agent has said in OpenAI's protocol, as turns to publish."""

import pytest
from pydantic import BaseModel

from sagacity.client.agents import turns_of
from sagacity.domain.context import ContextItem, Section, SectionName
from sagacity.domain.errors import InvalidInput
from sagacity.schemas.context import ContextPage

CALL = {"id": "c-1", "type": "function", "function": {"name": "find_order", "arguments": '{"number": 17}'}}


class OfASdk(BaseModel):
    """A message as a provider's SDK returns it."""

    role: str = "assistant"
    content: str | None = None
    refusal: str | None = None


def item(citation: str, kind: str, item_id: str) -> ContextItem:
    return ContextItem(citation=citation, kind=kind, item_id=item_id, text="…", tokens=3)


PAGE = ContextPage(
    sections=(
        Section(
            name=SectionName.PROFILE,
            tokens=9,
            budget_tokens=600,
            items=(item("p:7", "profile", "uid-7"), item("i:3", "interaction", "3")),
        ),
    )
)


def told(messages: list[object], page: ContextPage | None = None) -> list[dict[str, object]]:
    return [turn.model_dump(mode="json", exclude_defaults=True) for turn in turns_of(messages, page)]


def test_a_talk_becomes_turns_without_the_instructions():
    """What the agent was told by its maker is not learned from as if a user had said it."""
    assert told(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": "Be kind."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi!"},
        ]
    ) == [{"content": "Hello"}, {"role": "Assistant", "content": "Hi!"}]


def test_a_tool_call_comes_with_what_it_returned():
    calling = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    result = {"role": "tool", "tool_call_id": "c-1", "content": "sent on Monday"}
    used = {"tool_name": "find_order", "tool_data": {"input": {"number": 17}, "output": "sent on Monday"}}
    assert told([calling, result]) == [{"role": "Assistant", "tools_used": [used]}]


def test_arguments_that_are_no_json_are_kept_as_they_are():
    call = {"id": "c-2", "function": {"name": "find", "arguments": "{number: 17"}}
    [turn] = turns_of([{"role": "assistant", "tool_calls": [call]}])
    assert turn.tools_used[0].tool_data == {"input": "{number: 17"}


def test_a_result_of_no_known_call_is_a_turn_of_its_own():
    assert told([{"role": "tool", "tool_call_id": "c-9", "content": "late"}]) == [
        {"role": "Tool", "content": "late"}
    ]


def test_parts_become_one_text_and_an_image():
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "text", "text": "A boat?"},
        {"type": "input_audio", "input_audio": {"data": "…"}},
    ]
    assert told([{"role": "user", "content": parts}]) == [
        {"content": "What is this?\nA boat?", "interacted_image_url": "https://example.com/a.png"}
    ]


def test_a_message_of_an_sdk_and_a_refusal_are_read():
    assert told([OfASdk(content="Yes."), OfASdk(refusal="I cannot.")]) == [
        {"role": "Assistant", "content": "Yes."},
        {"role": "Assistant", "content": "I cannot."},
    ]


def test_a_message_that_says_nothing_is_left_out():
    assert told([{"role": "assistant", "content": ""}, {"role": "user", "content": []}]) == []


def test_an_answer_names_the_memories_it_used_and_reads_without_their_names():
    """Of what the context showed; a turn is no memory, and what was not shown is no source."""
    messages = [
        {"role": "user", "content": "As I wrote in [p:7]:"},
        {"role": "assistant", "content": "You are vegetarian [p:7][i:3], so no ham [p:7]. Soup [p:99]."},
    ]
    assert told(messages, PAGE) == [
        {"content": "As I wrote in [p:7]:"},
        {
            "role": "Assistant",
            "content": "You are vegetarian, so no ham. Soup.",
            "citations": [{"entity_type": "profile", "entity_id": "uid-7"}],
        },
    ]


@pytest.mark.parametrize("message", [{"content": "no role"}, {"role": "user", "content": 7}, "hello"])
def test_what_is_no_message_is_refused(message: object):
    with pytest.raises(InvalidInput, match=r"^messages\.1"):
        turns_of([{"role": "user", "content": "Hello"}, message])


def test_a_message_that_is_too_long_is_refused_like_any_turn():
    with pytest.raises(InvalidInput, match=r"at most 100,000 characters"):
        turns_of([{"role": "user", "content": "x" * 100_001}])
