"""Memories as mem0, Zep, Letta and LangGraph export them, read into profiles of one user."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import cast

from sagacity.cli.exported_json import epoch_of, fields_of, is_storable, parsed, shown, text_of
from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput
from sagacity.schemas.base import MAX_TEXT

_SHOWN_CHARACTERS = 80
_ABOUT_THE_USER = "human"
"""The label of Letta's block that says who the user is."""


class MemoryExport(StrEnum):
    """Whose export it is."""

    MEM0 = "mem0"
    ZEP = "zep"
    LETTA = "letta"
    LANGGRAPH = "langgraph"


class ExportedMemory(Value):
    """One fact about the user."""

    profile_id: str
    """Follows from what it is and says, so that it is known when it comes again."""
    content: str
    said_at: int | None = None
    """Seconds since 1970; None where the export does not say."""
    expires_at: int | None = None


class LeftOutMemory(Value):
    """What is not stored."""

    memory: str
    reason: str


class ReadMemories(Value):
    """What a file holds."""

    memories: tuple[ExportedMemory, ...] = ()
    left_out: tuple[LeftOutMemory, ...] = ()


class _Found(Value):
    """An entry of a file, before it is known whether it can be stored."""

    item_id: str = ""
    content: str = ""
    said_at: int | None = None
    expires_at: int | None = None
    reason: str = ""
    """Why it is left out; empty if nothing is wrong with it so far."""


def read_memories(kind: MemoryExport, text: str, user_id: str, *, now: int) -> ReadMemories:
    """
    Read an export.

    Args:
        kind: whose.
        text: of the file.
        user_id: whose memories are wanted; what names another user is left out.
        now: seconds since 1970; what held until then holds no longer.

    Raises:
        InvalidInput: it is no JSON, or not such an export.
    """
    kept: dict[str, ExportedMemory] = {}
    left_out: list[LeftOutMemory] = []
    for one in _READERS[kind](parsed(text), user_id):
        content = one.content.strip()
        reason = one.reason or _reason(one, content, now)
        told = json.dumps([str(kind), user_id, one.item_id, content])
        profile_id = f"import-{kind}-{hashlib.sha256(told.encode()).hexdigest()}"
        if not reason and profile_id in kept:
            reason = "it came before in this file"
        if reason:
            left_out.append(LeftOutMemory(memory=shown(content[:_SHOWN_CHARACTERS]), reason=reason))
        else:
            kept[profile_id] = ExportedMemory(
                profile_id=profile_id, content=content, said_at=one.said_at, expires_at=one.expires_at
            )
    return ReadMemories(memories=tuple(kept.values()), left_out=tuple(left_out))


def _reason(one: _Found, content: str, now: int) -> str:
    """Return why an entry cannot be stored."""
    if not content:
        return "it has no text"
    if len(content) > MAX_TEXT:
        return f"it has more than {MAX_TEXT:,} characters"
    if not is_storable(content):
        return "it has NUL characters or broken text"
    return "it no longer holds" if one.expires_at is not None and one.expires_at <= now else ""


def _mem0(file: object, user_id: str) -> Iterator[_Found]:
    """Read what `get_all` returns."""
    for entry in _entries(file, "results", "memories"):
        owner = text_of(entry, "user_id")
        if owner and owner != user_id:
            reason = "it is of another user"
        else:
            reason = "" if owner or not text_of(entry, "agent_id") else "it is an agent's, and no user's"
        yield _Found(
            item_id=text_of(entry, "id"),
            content=text_of(entry, "memory"),
            said_at=epoch_of(entry.get("updated_at")) or epoch_of(entry.get("created_at")),
            expires_at=epoch_of(entry.get("expiration_date")),
            reason=reason,
        )


def _zep(file: object, user_id: str) -> Iterator[_Found]:
    """Read the edges of a user's graph."""
    del user_id  # a graph is one user's, and does not say whose
    for entry in _entries(file, "edges"):
        yield _Found(
            item_id=text_of(entry, "uuid", "uuid_"),
            content=text_of(entry, "fact"),
            said_at=epoch_of(entry.get("valid_at")) or epoch_of(entry.get("created_at")),
            expires_at=epoch_of(entry.get("invalid_at")),
            reason="it no longer holds" if entry.get("expired_at") else "",
        )


def _letta(file: object, user_id: str) -> Iterator[_Found]:
    """Read an agent file: what its block about the user says, a line each."""
    del user_id  # an agent file does not say who the user is
    fields = fields_of(file)
    blocks = [*_listed(fields.get("blocks")), *_listed(fields.get("core_memory"))]
    if not any(isinstance(fields.get(name), list) for name in ("blocks", "core_memory")):
        raise InvalidInput("the file is no agent file of Letta: it has neither `blocks` nor `core_memory`")
    for block in blocks:
        label, value = text_of(block, "label"), text_of(block, "value")
        if label != _ABOUT_THE_USER:
            yield _Found(content=value, reason="a block that is not about the user")
            continue
        at = epoch_of(block.get("updated_at")) or epoch_of(block.get("created_at"))
        for line in value.splitlines():
            if content := line.strip().removeprefix("- ").removeprefix("* "):
                yield _Found(item_id=label, content=content, said_at=at)
    agents = [fields, *_listed(fields.get("agents"))]
    for agent in agents:
        for _ in _listed(agent.get("messages")):
            yield _Found(reason="a message, which is no memory")


def _langgraph(file: object, user_id: str) -> Iterator[_Found]:
    """Read items of a store."""
    for entry in _entries(file, "items"):
        namespace = _texts(entry.get("namespace"))
        is_theirs = user_id in namespace or len(namespace) <= 1
        key = json.dumps([namespace, text_of(entry, "key")])
        value = fields_of(entry.get("value"))
        content = text_of(value, "content", "memory", "text", "data") or text_of(
            fields_of(value.get("content")), "content"
        )
        yield _Found(
            item_id=key,
            content=content,
            said_at=epoch_of(entry.get("updated_at")) or epoch_of(entry.get("created_at")),
            reason="" if is_theirs else "its namespace names somebody or something else",
        )


_READERS: Mapping[MemoryExport, Callable[[object, str], Iterator[_Found]]] = {
    MemoryExport.MEM0: _mem0,
    MemoryExport.ZEP: _zep,
    MemoryExport.LETTA: _letta,
    MemoryExport.LANGGRAPH: _langgraph,
}


def _entries(file: object, *names: str) -> list[dict[str, object]]:
    """
    Return the entries of a file: a list, or what stands under the first of *names* that is there.

    Raises:
        InvalidInput: there is no list.
    """
    fields = fields_of(file)
    found = next((fields[name] for name in names if name in fields), file)
    if not isinstance(found, list):
        raise InvalidInput(f"the file must hold a JSON list, or an object with one under `{names[0]}`")
    return _listed(cast("object", found))


def _listed(value: object) -> list[dict[str, object]]:
    return [fields_of(one) for one in cast("list[object]", value)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, str)]
