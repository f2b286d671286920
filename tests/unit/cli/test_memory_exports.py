"""Memories of other programs: which kind each becomes, and why the rest is left out."""

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


def kinds(found: ReadMemories) -> list[str]:
    return [str(one.kind) for one in found.memories]


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


def test_mem0_says_of_which_kind_a_memory_is() -> None:
    """A procedure is an agent's and may be for this user; whoever is named otherwise is another."""
    types = ("semantic_memory", "episodic_memory", "procedural_memory", "unheard_of")
    file = [
        {
            "id": name,
            "memory": f"It is {name}",
            "user_id": "ana",
            "run_id": "run-1",
            "metadata": {"memory_type": name},
        }
        for name in types
    ]
    of_agent = {"id": "5", "memory": "Answer in three points", "agent_id": "helper", "memory_type": types[2]}
    found = read("mem0", [*file, of_agent, of_agent | {"user_id": "ben"}])
    assert kinds(found) == ["semantic", "episodic", "procedural", "profile", "procedural"]
    assert [one.session_id for one in found.memories] == ["", "run-1", "", "", ""]
    assert reasons(found) == ["it is of another user"]


def test_zep() -> None:
    """Facts with the time in which they held, also those that have ended, and the relation that they are about."""
    edge = {"name": "LIVES_IN", "created_at": "2025-01-02T00:00:00Z", "source_node_uuid": "a"}
    file = {
        "edges": [
            edge | {"uuid": "1", "fact": "Ana lives in Lyon", "valid_at": "2025-01-01T00:00:00Z"},
            edge | {"uuid": "2", "fact": "Ana lives in Nice", "invalid_at": "2025-01-01T00:00:00Z"},
            edge | {"uuid": "3", "fact": "Ana has a cat", "expired_at": "2025-01-03T00:00:00Z"},
            edge
            | {"uuid": "5", "fact": "Bad", "valid_at": "2025-01-02T00:00:00Z", "invalid_at": "2025-01-01"},
            edge | {"uuid": "4", "fact": "Ana rents a car", "invalid_at": "2090-01-01T00:00:00Z"},
        ]
    }
    found = read("zep", file)
    day = 1_735_776_000  # 2025-01-02
    assert [(one.content, one.said_at, one.expires_at) for one in found.memories] == [
        ("Ana lives in Lyon", day - 86_400, None),
        ("Ana lives in Nice", None, day - 86_400),
        ("Ana has a cat", day, day + 86_400),
        ("Ana rents a car", day, 3_786_912_000),
    ]
    assert {*kinds(found), *(one.title for one in found.memories)} == {"semantic", "LIVES_IN"}
    assert reasons(found) == ["it ended before it began"]


def test_letta() -> None:
    """The block about the user, line by line, in today's files and in former ones; other blocks are rules."""
    human = {"id": "block-0", "label": "human", "value": "Name: Ana\n\n- Likes tea\n", "limit": 5000}
    persona = {"label": "persona", "value": "I am Sam."}
    found = read("letta", {"agents": [{"messages": [{"role": "user"}]}], "blocks": [human, persona]})
    assert kept(found) == [("Name: Ana", None), ("Likes tea", None), ("I am Sam.", None)]
    assert kinds(found) == ["profile", "profile", "procedural"]
    assert found.memories[2].title == "persona"
    assert reasons(found) == []
    passages = [
        {"id": "passage-1", "text": "Ana has a boat", "created_at": "2025-01-01T00:00:00Z", "embedding": [1]}
    ]
    for file in (passages, {"passages": passages}):
        assert kept(read("letta", file)) == [("Ana has a boat", 1_735_689_600)]
        assert kinds(read("letta", file)) == ["semantic"]
    former = read("letta", {"core_memory": [human | {"updated_at": "2025-01-01T00:00:00"}], "messages": []})
    assert kept(former) == [("Name: Ana", 1_735_689_600), ("Likes tea", 1_735_689_600)]
    with pytest.raises(InvalidInput, match="none of Letta's"):
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
            "value": {"kind": "Episode", "content": {"observation": "D", "result": "E", "thoughts": 7}},
        },
        {"namespace": ["ana", "Semantic"], "key": "5", "value": {"text": "F"}},
        {"namespace": ["procedural", "memories"], "key": "6", "value": {"text": "G"}},
        {"namespace": ["procedural", "ben", "memories"], "key": "6", "value": {"text": "G"}},
        {"namespace": ["memories"], "key": "7", "value": {"content": {"thoughts": []}}},
    ]
    found = read("langgraph", {"items": items})
    assert [one.content for one in found.memories] == ["A", "B", "Observation: D\nResult: E", "F", "G"]
    assert kinds(found) == ["profile", "profile", "episodic", "semantic", "procedural"]
    assert found.memories[1].said_at == 1_738_868_072
    elsewhere = "its namespace names somebody or something else"
    assert reasons(found) == [elsewhere, elsewhere, "it has no text"]


def test_the_id_follows_from_what_it_is_and_says() -> None:
    """So a file can be imported again, and no two users or programs share one."""
    entry = {"id": "1", "memory": "Likes tea"}
    ids = {
        read("mem0", [entry]).memories[0].memory_id,
        read("mem0", [entry], "ben").memories[0].memory_id,
        read("mem0", [entry | {"memory": "Likes tea no more"}]).memories[0].memory_id,
        read("langgraph", [{"key": "1", "value": {"memory": "Likes tea"}}]).memories[0].memory_id,
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
