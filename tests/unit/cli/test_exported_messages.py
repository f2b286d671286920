"""Messages in files of Zep and Letta: whose each is, which belong together, and why the rest is left out."""

import json
from typing import Any

from sagacity.cli.chat_exports import ReadExport, requests_of
from sagacity.cli.exported_messages import read_messages
from sagacity.cli.memory_exports import MemoryExport

NEITHER = "a message of neither a user nor an assistant"


def read(kind: str, file: Any) -> ReadExport:
    return read_messages(MemoryExport(kind), json.dumps(file))


def exchanges(found: ReadExport) -> list[tuple[str, list[str]]]:
    """Each exchange: of which conversation, and who says what."""
    return [(chat.chat_id, [f"{turn.role}: {turn.content}" for turn in chat.turns]) for chat in found.chats]


def reasons(found: ReadExport) -> list[str]:
    return [one.reason for one in found.left_out]


def episode(minute: int, content: str, role_type: str = "user", **more: Any) -> dict[str, Any]:
    """An episode as Zep's API returns it."""
    at = f"2025-01-01T00:{minute:02}:00Z"
    fields = {"uuid": f"e-{minute}", "content": content, "created_at": at, "source": "message"}
    return fields | {"role": "Ana", "role_type": role_type, "session_id": "t-1"} | more


def message(role: str, text: str, second: int = 0, **more: Any) -> dict[str, Any]:
    """A message of an agent file of Letta."""
    at = f"2025-01-01T00:00:{second:02}+00:00"
    return {"role": role, "content": [{"type": "text", "text": text}], "created_at": at} | more


def test_zep_has_messages_among_its_episodes_newest_first() -> None:
    """They come in their order, by thread; what nobody said is left out, and facts have nothing to do with it."""
    said = [
        episode(4, "And a dog."),
        episode(2, "Nice!", "assistant"),
        episode(1, "I have a cat."),
        episode(3, "Hm.", "assistant", session_id="t-2"),
    ]
    data = episode(5, "{}", source="json")
    del data["role_type"], data["role"]
    found = read("zep", {"edges": [], "episodes": [*said, data, episode(6, " ")]})
    assert exchanges(found) == [
        ("t-1", ["User: I have a cat.", "Assistant: Nice!"]),
        ("t-1", ["User: And a dog."]),
        ("t-2", ["Assistant: Hm."]),
    ]
    assert reasons(found) == [NEITHER, "a message without text"]
    assert found.chats[0].turns[0].created_at == 1_735_689_660
    thread = [{"content": "I have a cat.", "role": "user", "name": "Ana"}]
    assert exchanges(read("zep", {"messages": thread})) == [("messages", ["User: I have a cat."])]


def test_letta_has_messages_of_agents_in_each_of_its_forms() -> None:
    """Events are no user's; an agent that answers by a tool thinks in its texts, another one speaks in them."""
    packed = json.dumps({"type": "user_message", "message": "I moved to Lyon.", "time": "2025-01-01"})
    event = json.dumps({"type": "heartbeat", "reason": "a tool ran", "time": "2025-01-01"})
    call = {"function": {"name": "send_message", "arguments": json.dumps({"message": "How is it?"})}}
    by_tool = [
        message("system", "You are Sam."),
        message("user", packed, 1),
        message("assistant", "They moved.", 2, tool_calls=[call]),
        message("tool", "OK", 3),
        message("user", event, 4),
        message("assistant", "Nothing to do.", 5, tool_calls=[{"function": {"name": "archive"}}]),
    ]
    sam = ("sam", ["User: I moved to Lyon.", "Assistant: How is it?"])
    found = read("letta", {"agents": [{"name": "sam", "messages": by_tool}], "blocks": []})
    assert exchanges(found) == [sam]
    assert sorted(reasons(found)) == [NEITHER, NEITHER, NEITHER, "a message without text"]
    assert exchanges(read("letta", {"name": "sam", "core_memory": [], "messages": by_tool})) == [sam]
    plain = [message("user", '{"a": 1}', tool_calls=None), message("assistant", "Noted.", 1)]
    found = read("letta", {"agents": [{"id": "agent-0", "messages": plain}], "blocks": []})
    assert exchanges(found) == [("agent-0", ['User: {"a": 1}', "Assistant: Noted."])]
    of_api = [
        {"message_type": "user_message", "content": "I moved.", "date": "2025-01-01T00:00:00Z"},
        {"message_type": "reasoning_message", "reasoning": "They moved."},
        {"message_type": "assistant_message", "content": [{"type": "text", "text": "Where to?"}]},
    ]
    found = read("letta", of_api)
    assert exchanges(found) == [("messages", ["User: I moved.", "Assistant: Where to?"])]
    assert reasons(found) == [NEITHER]


def test_a_later_file_with_other_messages_has_the_same_exchanges_under_the_same_ids() -> None:
    """A file has the newest messages: of an exchange that was there before only what was answered since is new."""
    turns = [episode(n, f"turn {n}", ("user", "assistant")[n % 2]) for n in range(6)]

    def ids(file: list[dict[str, Any]], *known: str) -> list[str]:
        found = read("zep", {"episodes": file})
        sent = [
            one for chat in found.chats for one in requests_of(MemoryExport.ZEP, "ana", chat, known=known)
        ]
        return [one.request_id for one in sent]

    first, later = ids(turns[:5]), ids(turns[2:])
    assert len(first) == len(set(first)) == 3
    assert later[0] == first[1]
    [new] = ids(turns[2:], *first)
    assert new not in first
    assert ids(turns[2:], *first, new) == []


def test_hostile_files_hold_no_messages() -> None:
    """Whatever stands where messages should."""
    for kind in ("zep", "letta"):
        for file in (
            None,
            7,
            "x",
            [],
            [None, 7],
            {"messages": {}},
            {"agents": [7, {"messages": [[], None]}]},
        ):
            assert read(kind, file).chats == ()
    deep = {"messages": [{"role": "user", "content": "[" * 9_000, "tool_calls": {}}, {"role": ["user"]}]}
    assert len(read("letta", deep).chats) == 1
    broken = {"episodes": [episode(1, "a\0b"), episode(2, "x", session_id="y" * 999)]}
    assert reasons(read("zep", broken)) == [
        "a message with NUL characters or broken text",
        "it has no valid id",
    ]
    assert read("mem0", {"messages": [message("user", "x")]}).chats == ()
