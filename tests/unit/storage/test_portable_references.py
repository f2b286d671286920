"""Every place in which a row names another by its number, turned to other numbers."""

from typing import Any

from sagacity.storage.portable.references import NAMED_LATER, What, numbers_in, turned
from sagacity.storage.schema.tables import metadata

KNOWN = {
    (What.MEMORY, 1): 101,
    (What.MEMORY, 2): 102,
    (What.TURN, 7): 107,
    (What.ENTITY, 3): 103,
    (What.TURN_UP_TO, 9): 107,
    (What.MEMORY_UP_TO, 5): 102,
}


def number(what: What, old: int) -> int | None:
    return KNOWN.get((what, old))


def memory(**fields: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"attributes": {}, "metadata": {}, "source_interaction_ids": []}
    return {"memory_id": 1, "superseded_by": None} | empty | fields


def test_a_memory_names_turns_and_memories_also_within() -> None:
    """What is not there is dropped; what is no number of a row stays."""
    skill = {"name": "s", "user_playbook_ids": [1, 9, 2], "replaces": 2}
    old = memory(
        superseded_by=2,
        attributes={"skill": skill, "confirmed_through": 9, "slot": "x"},
        metadata={"replaces": 1, "rest": 7},
        source_interaction_ids=[7, 8],
    )
    new = turned("memories", old, number)
    assert new["superseded_by"] == 102
    assert new["attributes"]["skill"] == {"name": "s", "user_playbook_ids": [101, 102], "replaces": 102}
    assert (new["attributes"]["confirmed_through"], new["attributes"]["slot"]) == (107, "x")
    assert (new["metadata"], new["source_interaction_ids"]) == ({"replaces": 101, "rest": 7}, [107])
    assert turned("memories", memory(metadata={"replaces": "mine"}), number)["metadata"] == {
        "replaces": "mine"
    }
    assert (What.MEMORY, 9) in numbers_in("memories", old)


def test_a_change_holds_memories_as_they_were() -> None:
    """Whole ones, and some of which fields are missing."""
    row = {"memory_id": 1, "before": None, "after": {"memory_id": 2, "superseded_by": 1, "content": "x"}}
    assert turned("changes", row, number) == {
        "memory_id": 101,
        "before": None,
        "after": {"memory_id": 102, "superseded_by": 101, "content": "x"},
    }


def test_an_answer_names_what_it_rests_on() -> None:
    """Profiles by their uid, all else by number, and each by how the prompt called it."""
    uses = [
        {"citation": "p:1", "kind": "profile", "item_id": "uid"},
        {"citation": "i:7", "kind": "interaction", "item_id": "7"},
        {"citation": "n:3", "kind": "entity", "item_id": "3"},
        {"citation": "u:44", "kind": "user_playbook", "item_id": "44"},
        {"citation": "h:1", "kind": "said", "item_id": "1"},
    ]
    row = {"question_turn": 7, "answer_turn": 8, "memories": uses, "citations": []}
    new = turned("exchanges", row, number)
    assert (new["question_turn"], new["answer_turn"]) == (107, None)
    assert [(one["citation"], one["item_id"]) for one in new["memories"]] == [
        ("p:101", "uid"),
        ("i:107", "107"),
        ("n:103", "103"),
        ("h:101", "1"),
    ]


def test_what_has_no_row_is_told_from_what_is_gone() -> None:
    """An event of a memory that is gone stays without it; how far playbooks were read falls back to what is there."""
    gone = {"entity_type": "user_playbook", "entity_id": "44"}
    assert turned("usage_events", gone, number)["entity_id"] is None
    kept = {"entity_type": "profile", "entity_id": "uid"}
    assert turned("usage_events", kept, number)["entity_id"] == "uid"
    assert [turned("distillations", {"last_read": one}, number)["last_read"] for one in (5, -1, 4)] == [
        102,
        -1,
        0,
    ]


def test_what_is_named_later_is_columns_that_there_are() -> None:
    assert all(names <= set(metadata.tables[table].c.keys()) for table, names in NAMED_LATER.items())
