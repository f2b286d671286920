"""Memories of other programs: what becomes a profile, and why the rest does not."""

import json
from typing import Any

import pytest

from sagacity.cli.memory_exports import MemoryExport, ReadMemories, read_memories
from sagacity.domain.errors import InvalidInput

NOW = 1_780_000_000


def read(kind: str, file: Any, user_id: str = "ana") -> ReadMemories:
    return read_memories(MemoryExport(kind), json.dumps(file), user_id, now=NOW)


def kept(found: ReadMemories) -> list[tuple[str, int | None]]:
    return [(one.content, one.said_at) for one in found.memories]


def reasons(found: ReadMemories) -> list[str]:
    return [one.reason for one in found.left_out]


def test_mem0() -> None:
    """Of this user alone; the newest date counts, and what has ended is left out."""
    at = {"created_at": "2025-03-01T00:00:00Z", "updated_at": None}
    file = [
        {"id": "1", "memory": "Likes tea", "user_id": "ana", **at, "updated_at": "2025-03-02T00:00:00+00:00"},
        {"id": "2", "memory": "Likes jazz", **at},
        {"id": "3", "memory": "Likes golf", "user_id": "ben", **at},
        {"id": "4", "memory": "Answers in short", "agent_id": "helper", **at},
        {"id": "5", "memory": "Is in Rome", "user_id": "ana", "expiration_date": "2025-04-01", **at},
        {"id": "6", "memory": " ", "user_id": "ana"},
        {"id": "1", "memory": "Likes tea", "user_id": "ana"},
    ]
    found = read("mem0", {"results": file})
    assert kept(found) == [("Likes tea", 1_740_873_600), ("Likes jazz", 1_740_787_200)]
    assert reasons(found) == [
        "it is of another user",
        "it is an agent's, and no user's",
        "it no longer holds",
        "it has no text",
        "it came before in this file",
    ]
    assert read("mem0", file) == found


def test_zep() -> None:
    """Facts that hold, since when they do; one that will end has an end."""
    edge = {"name": "LIVES_IN", "created_at": "2025-01-02T00:00:00Z", "source_node_uuid": "a"}
    file = {
        "edges": [
            edge | {"uuid": "1", "fact": "Ana lives in Lyon", "valid_at": "2025-01-01T00:00:00Z"},
            edge | {"uuid": "2", "fact": "Ana lives in Nice", "invalid_at": "2025-01-01T00:00:00Z"},
            edge | {"uuid": "3", "fact": "Ana has a cat", "expired_at": "2025-01-03T00:00:00Z"},
            edge | {"uuid": "4", "fact": "Ana rents a car", "invalid_at": "2090-01-01T00:00:00Z"},
        ]
    }
    found = read("zep", file)
    assert kept(found) == [("Ana lives in Lyon", 1_735_689_600), ("Ana rents a car", 1_735_776_000)]
    assert [one.expires_at for one in found.memories] == [None, 3_786_912_000]
    assert reasons(found) == ["it no longer holds"] * 2


def test_letta() -> None:
    """The block about the user, line by line, in today's files and in former ones."""
    human = {"id": "block-0", "label": "human", "value": "Name: Ana\n\n- Likes tea\n", "limit": 5000}
    persona = {"label": "persona", "value": "I am Sam."}
    found = read("letta", {"agents": [{"messages": [{"role": "user"}]}], "blocks": [human, persona]})
    assert kept(found) == [("Name: Ana", None), ("Likes tea", None)]
    assert reasons(found) == ["a block that is not about the user", "a message, which is no memory"]
    former = read("letta", {"core_memory": [human | {"updated_at": "2025-01-01T00:00:00"}], "messages": []})
    assert kept(former) == [("Name: Ana", 1_735_689_600), ("Likes tea", 1_735_689_600)]
    with pytest.raises(InvalidInput, match="no agent file"):
        read("letta", {"agents": []})


def test_langgraph() -> None:
    """Texts in each of their places; a namespace with more than one part has to name the user."""
    at = {"updated_at": "2025-02-06T18:54:32.568596+00:00"}
    items: list[dict[str, Any]] = [
        {
            "namespace": ["memories", "ana"],
            "key": "1",
            "value": {"kind": "Memory", "content": {"content": "A"}},
        },
        {"namespace": ["memories"], "key": "2", "value": {"data": "B"}, **at},
        {"namespace": ["memories", "ben"], "key": "3", "value": {"text": "C"}},
        {
            "namespace": ["ana", "docs"],
            "key": "4",
            "value": {"kind": "Episode", "content": {"thoughts": "D"}},
        },
    ]
    found = read("langgraph", {"items": items})
    assert kept(found) == [("A", None), ("B", 1_738_868_072)]
    assert reasons(found) == ["its namespace names somebody or something else", "it has no text"]


def test_the_id_follows_from_what_it_is_and_says() -> None:
    """So a file can be imported again, and no two users or programs share one."""
    entry = {"id": "1", "memory": "Likes tea"}
    ids = {
        read("mem0", [entry]).memories[0].profile_id,
        read("mem0", [entry], "ben").memories[0].profile_id,
        read("mem0", [entry | {"memory": "Likes tea no more"}]).memories[0].profile_id,
        read("langgraph", [{"key": "1", "value": {"memory": "Likes tea"}}]).memories[0].profile_id,
    }
    assert len(ids) == 4


@pytest.mark.parametrize("kind", [kind for kind in MemoryExport if kind is not MemoryExport.LETTA])
@pytest.mark.parametrize("file", ["{", "7", "{}", "[" * 100_000])
def test_what_is_no_export_is_refused(kind: MemoryExport, file: str) -> None:
    with pytest.raises(InvalidInput, match=r"not valid JSON|must hold a JSON list"):
        read_memories(kind, file, "ana", now=NOW)


@pytest.mark.parametrize("kind", MemoryExport)
def test_hostile_entries_are_left_out(kind: MemoryExport) -> None:
    """Nothing of a wrong type, and no text that no database keeps, gets through."""
    texts: list[Any] = ["a\0b", "\ud800", "x" * 100_001, None, 7, ["x"], {"a": 1}]
    entries = [
        {
            "id": [], "uuid": {}, "key": 3, "namespace": {"a": 1}, "user_id": 7, "label": "human",
            "memory": text, "fact": text, "value": text if kind is MemoryExport.LETTA else {"text": text},
            "created_at": "never", "updated_at": 1e300, "valid_at": True, "expiration_date": {},
        }
        for text in texts
    ]  # fmt: skip
    found = read(str(kind), {"blocks": [*entries, 5]} if kind is MemoryExport.LETTA else [*entries, 5, None])
    assert found.memories == ()
