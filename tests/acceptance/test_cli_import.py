"""Chats of an export, imported in the terminal."""

import json
from pathlib import Path
from typing import Any

import httpx

from support.program import QUIET, sagacity
from support.server import running_server

EPISODES = [
    {"content": content, "role_type": role, "session_id": "t", "created_at": f"2025-01-01T00:00:0{at}Z"}
    for at, (role, content) in enumerate((("user", "Hi."), ("assistant", "Hello.")))
]
KINDS = ("semantic_memory", "episodic_memory", "procedural_memory")


def test_import_stores_each_chat_once_with_its_date(tmp_path: Path) -> None:
    """A preview stores nothing; an import stores each turn with its date; a later one what is new."""
    said = {"sender": "human", "text": "I live in Lyon.", "created_at": "2024-05-01T10:00:00Z"}
    answer = {"sender": "assistant", "text": "Noted.", "created_at": "2024-05-01T10:00:05Z"}
    file = tmp_path / "conversations.json"
    command = ("import", "--from", "anthropic", "-u", "ana", str(file), "--json")

    def write(*messages: dict[str, str]) -> None:
        file.write_text(json.dumps([{"uuid": "a-1", "name": "Trip", "chat_messages": messages}]))

    with running_server(tmp_path, QUIET) as server:

        def new_turns(*more: str) -> int | None:
            ended = sagacity(*command, *more, home=tmp_path, url=server.url)
            assert ended.code == 0, ended
            return json.loads(ended.out)["data"]["new_turns"]

        def sessions() -> list[dict[str, Any]]:
            reply = httpx.post(f"{server.url}/api/get_requests", json={"user_id": "ana"}, timeout=60)
            return reply.json()["sessions"]

        write(said)
        assert new_turns("--preview") is None
        assert sessions() == []
        assert [new_turns(), new_turns()] == [1, 0]
        write(said, answer)
        assert [new_turns(), new_turns()] == [1, 0]
        [session] = sessions()
    [second, first] = session["requests"]
    assert first["request"]["source"] == "import:anthropic"
    [turn], [reply] = first["interactions"], second["interactions"]
    assert (turn["content"], turn["origin"], reply["content"]) == ("I live in Lyon.", "imported", "Noted.")
    assert turn["happened_at"] == 1_714_557_600


def test_memories_of_another_program_are_stored_once(tmp_path: Path) -> None:
    """Each as what it is, with its dates and where it comes from; an import that is repeated changes nothing."""
    file = tmp_path / "mem0.json"
    entries = [{"id": str(number), "memory": f"Likes tea {number}"} for number in range(3)]
    entries += [{"id": kind, "memory": f"A {kind}", "metadata": {"memory_type": kind}} for kind in KINDS]
    file.write_text(
        json.dumps({"results": [one | {"created_at": "2025-03-01T00:00:00Z"} for one in entries]})
    )
    command = ("import", "--from", "mem0", "-u", "ana", str(file), "--json")
    with running_server(tmp_path, QUIET) as server:

        def profiles() -> list[dict[str, Any]]:
            reply = httpx.post(f"{server.url}/api/get_profiles", json={"user_id": "ana"}, timeout=60)
            return reply.json()["user_profiles"]

        def new_memories(*more: str) -> int | None:
            ended = sagacity(*command, *more, home=tmp_path, url=server.url)
            assert ended.code == 0, ended
            return json.loads(ended.out)["data"]["new_memories"]

        def told(path: str, **body: Any) -> list[dict[str, Any]]:
            reply = httpx.post(f"{server.url}/api/{path}", json=body, timeout=60).json()
            return reply["user_playbooks"]

        assert new_memories("--preview") is None
        assert profiles() == []
        assert new_memories() == 6
        stored = profiles()
        assert new_memories() == 0
        assert profiles() == stored
        file.write_text(json.dumps({"episodes": EPISODES}))
        zep = ("import", "--from", "zep", *command[3:])
        for more, new in (("--preview", None), ("--wide", 2), ("--wide", 0)):
            read = json.loads(sagacity(*zep, more, home=tmp_path, url=server.url).out)["data"]
            assert (read["conversations"], read["turns"], read["new_turns"]) == (1, 2, new)
        [session] = httpx.post(f"{server.url}/api/get_requests", json={"user_id": "ana"}, timeout=60).json()[
            "sessions"
        ]
        assert [turn["content"] for turn in session["requests"][0]["interactions"]] == ["Hi.", "Hello."]
        shown = httpx.get(f"{server.url}/api/memories", params={"user_id": "ana"}, timeout=60).json()
        [rule] = told("get_user_playbooks", user_id="ana")
    others = {one["memory_type"]: one for one in shown["memories"] if one["memory_type"] != "profile"}
    assert {kind: one["content"] for kind, one in others.items()} == {
        "semantic": "A semantic_memory",
        "episodic": "A episodic_memory",
    }
    assert others["semantic"]["valid_from"] == "2025-03-01T00:00:00Z"
    assert (rule["content"], rule["origin"], rule["unconfirmed"]) == ("A procedural_memory", "imported", True)
    assert {one["content"] for one in stored} == {f"Likes tea {number}" for number in range(3)}
    told = {(one["origin"], one["source"], one["last_modified_timestamp"]) for one in stored}
    assert told == {("imported", "import:mem0", 1_740_787_200)}
