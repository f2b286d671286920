"""Read memories that mem0, Zep, Letta and LangGraph export, as memories of one user."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import cast

from sagacity.cli.exported_json import epoch_of, fields_of, is_storable, listed, parsed, shown, text_of
from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput
from sagacity.domain.user_memory import MemoryType
from sagacity.schemas.base import MAX_TEXT

_SHOWN_CHARACTERS = 80
_LONGEST_OTHER = 10_000
"""Characters of a memory that is no profile."""
_LONGEST_TITLE = 200
_ABOUT_THE_USER = "human"
"""The label of Letta's block that says who the user is."""
_MEM0_TYPES = {
    "semantic_memory": MemoryType.SEMANTIC,
    "episodic_memory": MemoryType.EPISODIC,
    "procedural_memory": MemoryType.PROCEDURAL,
}
_LANGGRAPH_KINDS = {
    "semantic": MemoryType.SEMANTIC,
    "facts": MemoryType.SEMANTIC,
    "episodic": MemoryType.EPISODIC,
    "episodes": MemoryType.EPISODIC,
    "episode": MemoryType.EPISODIC,
    "procedural": MemoryType.PROCEDURAL,
    "procedures": MemoryType.PROCEDURAL,
    "instructions": MemoryType.PROCEDURAL,
}
_EPISODE_PARTS = ("observation", "thoughts", "action", "result")
"""Of an episode of LangMem, in the order in which they are read."""


class MemoryExport(StrEnum):
    """Whose export it is."""

    MEM0 = "mem0"
    ZEP = "zep"
    LETTA = "letta"
    LANGGRAPH = "langgraph"


class ExportedMemory(Value):
    """One thing that another program remembered, as the kind of memory that it is here."""

    memory_id: str
    """Follows from what it is and says, so that it is known when it comes again."""
    kind: MemoryType = MemoryType.PROFILE
    content: str
    title: str = ""
    """What a fact is about, or what a procedure is called."""
    session_id: str = ""
    """Of an episode: the conversation in which it happened, where the export says so."""
    said_at: int | None = None
    """Seconds since 1970: since when it holds, or when it was said; None where the export does not say."""
    expires_at: int | None = None
    """Until when it holds; None where no end is known."""


class LeftOutMemory(Value):
    """What is not stored."""

    memory: str
    reason: str


class ReadMemories(Value):
    """The content of a file."""

    memories: tuple[ExportedMemory, ...] = ()
    left_out: tuple[LeftOutMemory, ...] = ()


class _Found(Value):
    """An entry of a file, before it is known whether it can be stored."""

    item_id: str = ""
    kind: MemoryType = MemoryType.PROFILE
    content: str = ""
    title: str = ""
    session_id: str = ""
    said_at: int | None = None
    expires_at: int | None = None
    reason: str = ""
    """Why it is left out; empty if nothing is wrong with it so far."""


def read_memories(source: MemoryExport, text: str, user_id: str, *, now: int) -> ReadMemories:
    """
    Read an export.

    Args:
        source: whose.
        text: of the file.
        user_id: whose memories are wanted; what names another user is left out.
        now: seconds since 1970; what held until then holds no longer.

    Raises:
        InvalidInput: it is not JSON, or not such an export.
    """
    kept: dict[str, ExportedMemory] = {}
    left_out: list[LeftOutMemory] = []
    for one in _READERS[source](parsed(text), user_id):
        content = one.content.strip()
        reason = one.reason or _reason(one, content, now)
        told = json.dumps([str(source), user_id, one.item_id, content])
        memory_id = f"import-{source}-{hashlib.sha256(told.encode()).hexdigest()}"
        if not reason and memory_id in kept:
            reason = "it came before in this file"
        if reason:
            left_out.append(LeftOutMemory(memory=shown(content[:_SHOWN_CHARACTERS]), reason=reason))
            continue
        fields = one.model_dump(exclude={"item_id", "content", "title", "reason"})
        title = shown(one.title[:_LONGEST_TITLE]) if one.title.strip() else ""
        kept[memory_id] = ExportedMemory(memory_id=memory_id, content=content, title=title, **fields)
    return ReadMemories(memories=tuple(kept.values()), left_out=tuple(left_out))


def _reason(one: _Found, content: str, now: int) -> str:
    """Return why an entry cannot be stored."""
    most = MAX_TEXT if one.kind is MemoryType.PROFILE else _LONGEST_OTHER
    if not content:
        return "it has no text"
    if len(content) > most:
        return f"it has more than {most:,} characters"
    if not is_storable(content) or not is_storable(one.session_id) or not is_storable(one.item_id):
        return "it has NUL characters or broken text"
    if len(one.session_id) > _LONGEST_TITLE:
        return "the id of its conversation is too long"
    if one.kind is MemoryType.SEMANTIC:  # one that has ended says what was so
        is_backwards = one.said_at is not None and one.expires_at is not None and one.expires_at < one.said_at
        return "it ended before it began" if is_backwards else ""
    return "it no longer holds" if one.expires_at is not None and one.expires_at <= now else ""


def _mem0(file: object, user_id: str) -> Iterator[_Found]:
    """Read what `get_all` returns; what kind a memory is stands among its metadata, if anywhere."""
    for entry in _entries(file, "results", "memories"):
        owner, metadata = text_of(entry, "user_id"), fields_of(entry.get("metadata"))
        named = text_of(entry, "memory_type") or text_of(metadata, "memory_type")
        kind = _MEM0_TYPES.get(named, MemoryType.PROFILE)
        if owner and owner != user_id:
            reason = "it is of another user"
        else:
            is_agents = not owner and bool(text_of(entry, "agent_id")) and kind is not MemoryType.PROCEDURAL
            reason = "it is an agent's, and no user's" if is_agents else ""
        yield _Found(
            item_id=text_of(entry, "id"),
            kind=kind,
            content=text_of(entry, "memory"),
            session_id=text_of(entry, "run_id") if kind is MemoryType.EPISODIC else "",
            said_at=epoch_of(entry.get("updated_at")) or epoch_of(entry.get("created_at")),
            expires_at=epoch_of(entry.get("expiration_date")),
            reason=reason,
        )


def _zep(file: object, user_id: str) -> Iterator[_Found]:
    """Read the edges of a user's graph: facts with the time in which they held."""
    del user_id  # a graph is one user's, and does not say whose
    fields = fields_of(file)
    if "edges" not in fields and any(name in fields for name in ("episodes", "messages")):
        return  # a file of messages alone
    for entry in _entries(file, "edges"):
        began, written = epoch_of(entry.get("valid_at")), epoch_of(entry.get("created_at"))
        ended = epoch_of(entry.get("invalid_at")) or epoch_of(entry.get("expired_at"))
        if began is None and written is not None and (ended is None or written <= ended):
            began = written
        yield _Found(
            item_id=text_of(entry, "uuid", "uuid_"),
            kind=MemoryType.SEMANTIC,
            content=text_of(entry, "fact"),
            title=text_of(entry, "name"),
            said_at=began,
            expires_at=ended,
        )


def _letta(file: object, user_id: str) -> Iterator[_Found]:
    """Read an agent file, or passages as the API lists them."""
    del user_id  # neither says who the user is
    if isinstance(file, list):
        entries = listed(cast("object", file))
        yield from _passages([one for one in entries if "message_type" not in one])
        return
    fields = fields_of(file)
    if not any(isinstance(fields.get(name), list) for name in ("blocks", "core_memory", "passages")):
        raise InvalidInput(
            "the file is none of Letta's: it has neither `blocks` nor `core_memory`, and is no list of passages"
        )
    for block in [*listed(fields.get("blocks")), *listed(fields.get("core_memory"))]:
        yield from _block(block)
    yield from _passages(listed(fields.get("passages")))


def _block(block: dict[str, object]) -> Iterator[_Found]:
    """Read a block: the user's line by line; another one, which tells the agent what to do, as a whole."""
    label, value = text_of(block, "label"), text_of(block, "value")
    at = epoch_of(block.get("updated_at")) or epoch_of(block.get("created_at"))
    if label != _ABOUT_THE_USER:
        yield _Found(item_id=label, kind=MemoryType.PROCEDURAL, content=value, title=label, said_at=at)
        return
    for line in value.splitlines():
        if content := line.strip().removeprefix("- ").removeprefix("* "):
            yield _Found(item_id=label, content=content, said_at=at)


def _passages(entries: list[dict[str, object]]) -> Iterator[_Found]:
    for entry in entries:
        yield _Found(
            item_id=text_of(entry, "id"),
            kind=MemoryType.SEMANTIC,
            content=text_of(entry, "text"),
            said_at=epoch_of(entry.get("created_at")),
        )


def _langgraph(file: object, user_id: str) -> Iterator[_Found]:
    """Read items of a store: a part of their namespace, or LangMem's name of their shape, says of which kind."""
    for entry in _entries(file, "items"):
        namespace = _texts(entry.get("namespace"))
        value = fields_of(entry.get("value"))
        words = [part.lower() for part in namespace]
        kinds = [_LANGGRAPH_KINDS[word] for word in words if word in _LANGGRAPH_KINDS]
        shape = _LANGGRAPH_KINDS.get(text_of(value, "kind").lower(), MemoryType.PROFILE)
        names = [part for part, word in zip(namespace, words, strict=True) if word not in _LANGGRAPH_KINDS]
        is_theirs = user_id in namespace or len(names) <= 1
        yield _Found(
            item_id=json.dumps([namespace, text_of(entry, "key")]),
            kind=kinds[0] if kinds else shape,
            content=_langgraph_text(value),
            said_at=epoch_of(entry.get("updated_at")) or epoch_of(entry.get("created_at")),
            reason="" if is_theirs else "its namespace names somebody or something else",
        )


def _langgraph_text(value: dict[str, object]) -> str:
    """Return the text of an item: its own, that within its content, or the parts of an episode of LangMem."""
    within = fields_of(value.get("content"))
    told = text_of(value, "content", "memory", "text", "data") or text_of(within, "content")
    parts = ((part, text_of(within, part)) for part in _EPISODE_PARTS)
    return told or "\n".join(f"{part.capitalize()}: {text}" for part, text in parts if text)


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
    return listed(cast("object", found))


def _texts(value: object) -> list[str]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, str)]
