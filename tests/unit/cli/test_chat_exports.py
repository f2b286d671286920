"""Exports of chats become requests, the same ones each time; what cannot be stored is named."""

import json
from collections.abc import Mapping

import pytest

from sagacity.cli.chat_exports import TURNS_A_REQUEST, ChatExport, ReadExport, read_export, requests_of
from sagacity.domain.errors import InvalidInput
from sagacity.schemas.base import MAX_TEXT

ROOT = {"id": "root", "message": None, "parent": None, "children": ["system"]}


def node(
    name: str, parent: str, role: str, *parts: object, at: object = 1_700_000_000.5
) -> dict[str, object]:
    """One message of OpenAI's tree."""
    content = {"content_type": "text", "parts": list(parts)}
    message = {"id": name, "author": {"role": role}, "create_time": at, "content": content}
    return {"id": name, "message": message, "parent": parent, "children": []}


def openai(*nodes: dict[str, object], current: str, **more: object) -> dict[str, object]:
    """One conversation of OpenAI's."""
    mapping = {str(one["id"]): one for one in (ROOT, *nodes)}
    return {"title": "Food", "conversation_id": "c-1", "mapping": mapping, "current_node": current} | more


def anthropic(*messages: Mapping[str, object]) -> dict[str, object]:
    """One conversation of Anthropic's."""
    return {"uuid": "a-1", "name": "Trip", "chat_messages": list(messages)}


def read(kind: ChatExport, *conversations: object) -> ReadExport:
    return read_export(kind, json.dumps(conversations))


def test_openai_tree_follows_the_last_branch() -> None:
    """Answers that were replaced, and messages of the system, are not among the turns; dates are."""
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    found = read(
        ChatExport.OPENAI,
        openai(
            node("system", "root", "system", "Be kind."),
            node("u1", "system", "user", image, "I am vegetarian."),
            node("a1", "u1", "assistant", "Replaced."),
            node("a2", "u1", "assistant", "Noted.", at=None),
            current="a2",
        ),
    )
    [chat] = found.chats
    said = [(turn.role, turn.content, turn.created_at) for turn in chat.turns]
    assert said == [("User", "I am vegetarian.", 1_700_000_000), ("Assistant", "Noted.", None)]
    assert [one.reason for one in found.left_out] == ["a message of neither a user nor an assistant"]


def test_anthropic_list_reads_texts_and_parts() -> None:
    """Both forms of a message's text are read, and its time with it."""
    found = read(
        ChatExport.ANTHROPIC,
        anthropic(
            {"sender": "human", "text": "I live in Lyon.", "created_at": "2024-05-01T10:00:00.5Z"},
            {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "Lovely."}]},
        ),
    )
    [chat] = found.chats
    assert [(turn.role, turn.content, turn.created_at) for turn in chat.turns] == [
        ("User", "I live in Lyon.", 1_714_557_600),
        ("Assistant", "Lovely.", None),
    ]


def test_requests_are_the_same_each_time_and_differ_by_user() -> None:
    """Reading a file again gives the same ids, in parts that a publish takes; another user's differ."""
    messages = [{"sender": "human", "text": f"number {n}"} for n in range(TURNS_A_REQUEST + 1)]
    [chat] = read(ChatExport.ANTHROPIC, anthropic(*messages)).chats
    first, second = requests_of(ChatExport.ANTHROPIC, "ana", chat)
    assert (len(first.turns), len(second.turns)) == (TURNS_A_REQUEST, 1)
    assert [first, second] == list(requests_of(ChatExport.ANTHROPIC, "ana", chat))
    others = {one.request_id for one in requests_of(ChatExport.ANTHROPIC, "ben", chat)}
    assert not others & {first.request_id, second.request_id}


def test_of_a_conversation_that_has_grown_only_what_is_new_is_published() -> None:
    """Whatever it was each time, every turn is in one request, and in no two."""
    messages: list[dict[str, object]] = [
        {"sender": "human", "text": f"number {n}"} for n in range(2 * TURNS_A_REQUEST)
    ]
    published: dict[str, list[str]] = {}
    for length in (3, 4, TURNS_A_REQUEST, TURNS_A_REQUEST + 7, 2 * TURNS_A_REQUEST, 2 * TURNS_A_REQUEST):
        [chat] = read(ChatExport.ANTHROPIC, anthropic(*messages[:length])).chats
        for one in requests_of(ChatExport.ANTHROPIC, "ana", chat, known=set(published)):
            published[one.request_id] = [turn.content for turn in one.turns]
        assert [text for texts in published.values() for text in texts] == [
            m["text"] for m in messages[:length]
        ]


@pytest.mark.parametrize("text", ["", "{", "{}", "null", "[" * 100_000])
def test_a_file_that_is_no_export_is_refused(text: str) -> None:
    """What is no list of conversations is an input error."""
    with pytest.raises(InvalidInput):
        read_export(ChatExport.OPENAI, text)


def test_hostile_parts_are_left_out_with_reasons() -> None:
    """Circles, wrong types, broken and huge texts cost only what they are part of."""
    looped = openai(node("u1", "u2", "user", "round"), node("u2", "u1", "user", "again"), current="u1")
    strange: dict[str, object] = {
        "conversation_id": "c-2",
        "mapping": [],
        "current_node": {},
        "title": "\x1b[2J",
    }
    bad = openai(
        node("u1", "root", "user", "x" * (MAX_TEXT + 1)),
        node("u2", "u1", "user", "a\x00b", at=1e300),
        node("u3", "u2", "user", "\ud800", at=True),
        node("u4", "u3", "user", 7, at="soon"),
        node("u5", "u4", "user", "fine", at="0001-01-01T00:00:00+23:00"),
        current="u5",
        conversation_id="c-3",
    )
    found = read(ChatExport.OPENAI, looped, strange, bad, bad, 5, {"conversation_id": "x" * 500})
    assert [[turn.content for turn in chat.turns] for chat in found.chats] == [["again", "round"], ["fine"]]
    assert [one.reason for one in found.left_out] == [
        "it has no messages",
        f"a message of more than {MAX_TEXT:,} characters",
        "a message with NUL characters or broken text",
        "a message with NUL characters or broken text",
        "a message without text",
        "its id came before in this file",
        "it has no valid id",
        "it has no valid id",
    ]
    assert all(one.conversation.isprintable() for one in found.left_out)
