"""
The places where a row refers to other rows by number, in columns and inside its JSON.

An import gives every row a new number, so each of these references must be rewritten.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Any, cast

from sagacity.domain.cluster import REPLACES
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import KINDS
from sagacity.storage.portable.lines import Row

_ENTITY = "entity"
"""The kind of an entity among the sources of an answer."""
_CITATION = re.compile(r"([a-z]):([0-9]{1,18})", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_BY_NUMBER = frozenset(
    {INTERACTION, _ENTITY, *(str(kind) for kind, spec in KINDS.items() if not spec.is_known_by_uid)}
)


class What(Enum):
    """What a number refers to."""

    MEMORY = auto()
    TURN = auto()
    ENTITY = auto()
    RELATIONSHIP = auto()
    TURN_UP_TO = auto()
    """A turn or, if it was deleted, the last one before it."""
    MEMORY_UP_TO = auto()
    """A memory or, if it was deleted, the last one before it."""


Number = Callable[[What, int], int | None]
"""Returns the new number of a row; None if there is no such row."""
_COLUMNS: Mapping[str, Mapping[str, What]] = {
    "memories": {"superseded_by": What.MEMORY},
    "memory_requests": {"memory_id": What.MEMORY},
    "changes": {"memory_id": What.MEMORY},
    "duplicate_pairs": {"memory_id": What.MEMORY, "other_id": What.MEMORY},
    "review_actions": {"memory_id": What.MEMORY, "other_id": What.MEMORY},
    "entity_names": {"entity_id": What.ENTITY, "memory_id": What.MEMORY},
    "entity_mentions": {"entity_id": What.ENTITY, "memory_id": What.MEMORY},
    "relationships": {"source_id": What.ENTITY, "target_id": What.ENTITY},
    "relationship_mentions": {"relationship_id": What.RELATIONSHIP, "memory_id": What.MEMORY},
    "sessions": {"episode_id": What.MEMORY},
    "exchanges": {"question_turn": What.TURN, "answer_turn": What.TURN},
    "playbook_clusters": {"memory_id": What.MEMORY},
    "distillations": {"last_read": What.MEMORY_UP_TO},
}
NAMED_LATER: Mapping[str, frozenset[str]] = {
    "memories": frozenset({"superseded_by", "attributes", "metadata"}),
    "sessions": frozenset({"episode_id"}),
    "interactions": frozenset({"citations"}),
}
"""Columns that refer to memories imported later; they are set in a second pass."""


def turned(table: str, row: Row, number: Number) -> Row:
    """Return *row* with new numbers; references to missing rows are dropped."""
    new = dict(row)
    for name, what in _COLUMNS.get(table, {}).items():
        if row[name] is not None:
            # The number for "from the beginning" refers to no row.
            new[name] = row[name] if row[name] <= 0 else number(what, row[name])
    match table:
        case "memories":
            new |= _of_memory(row, number)
        case "changes":
            new["before"], new["after"] = (_snapshot(row[name], number) for name in ("before", "after"))
        case "interactions":
            new["citations"] = _used(row["citations"], "entity_type", "entity_id", number)
        case "exchanges":
            new["memories"] = _used(row["memories"], "kind", "item_id", number)
            new["citations"] = _used(row["citations"], "kind", "item_id", number)
        case "usage_events":
            new["entity_id"] = _item(row["entity_type"], row["entity_id"], number)
        case "playbook_clusters":
            new["member_ids"] = _all(row["member_ids"], What.MEMORY, number)
        case "distillations" if new["last_read"] is None:
            new["last_read"] = 0
        case _:
            pass
    return new


def _of_memory(row: Mapping[str, Any], number: Number) -> Row:
    """Return the columns of a memory that refer to other rows, with new numbers."""
    attributes, metadata = dict(row["attributes"]), dict(row["metadata"])
    if skill := attributes.get("skill"):
        ids, replaces = skill.get("user_playbook_ids", []), skill.get("replaces")
        attributes["skill"] = skill | {
            "user_playbook_ids": _all(ids, What.MEMORY, number),
            "replaces": None if replaces is None else number(What.MEMORY, replaces),
        }
    if (through := attributes.get("confirmed_through")) is not None:
        attributes["confirmed_through"] = number(What.TURN_UP_TO, through)
    if isinstance(replaced := metadata.get(REPLACES), int) and not isinstance(replaced, bool):
        metadata[REPLACES] = number(What.MEMORY, replaced)
    return {
        "attributes": attributes,
        "metadata": metadata,
        "source_interaction_ids": _all(row["source_interaction_ids"], What.TURN, number),
    }


def _snapshot(memory: Mapping[str, Any] | None, number: Number) -> Row | None:
    """Return a change's snapshot of a memory, with new numbers."""
    if memory is None:
        return None
    # Fields that a snapshot leaves out are empty.
    whole: Row = {"attributes": {}, "metadata": {}, "source_interaction_ids": [], **memory}
    told = {name: value for name, value in _of_memory(whole, number).items() if name in memory}
    successor = memory.get("superseded_by")
    if successor is not None:
        told["superseded_by"] = number(What.MEMORY, successor)
    return dict(memory) | told | {"memory_id": number(What.MEMORY, memory["memory_id"]) or 0}


def _all(numbers: list[int], what: What, number: Number) -> list[int]:
    found = (number(what, one) for one in numbers)
    return [one for one in found if one is not None]


def _used(uses: list[Mapping[str, Any]], kind: str, item: str, number: Number) -> list[Row]:
    """Return the sources of an answer with new numbers, without missing ones."""
    found: list[Row] = []
    for use in uses:
        name = _item(use[kind], use[item], number)
        if name is None:
            continue
        new = dict(use) | {item: name}
        parts = _CITATION.fullmatch(use.get("citation", ""))
        cited = None if parts is None else number(_what(use[kind]), int(parts[2]))
        if parts is not None and cited is not None:
            new["citation"] = f"{parts[1]}:{cited}"
        found.append(new)
    return found


def _item(kind: str | None, name: str | None, number: Number) -> str | None:
    """Return the new API id of a memory or a turn; an id that refers to neither stays unchanged."""
    if name is None or kind not in _BY_NUMBER or not _NUMBER.fullmatch(name):
        return name
    found = number(_what(kind), int(name))
    return None if found is None else str(found)


def _what(kind: str) -> What:
    return {INTERACTION: What.TURN, _ENTITY: What.ENTITY}.get(kind, What.MEMORY)


def numbers_in(table: str, row: Row) -> set[tuple[What, int]]:
    """Return the numbers that *row* refers to."""
    found: set[tuple[What, int]] = set()

    def note(what: What, number: int) -> int | None:
        found.add((what, number))
        return cast("int | None", number)

    turned(table, row, note)
    return found
