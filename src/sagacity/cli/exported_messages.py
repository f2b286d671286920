"""Read messages from exports of Zep and Letta, one exchange at a time, as turns to publish."""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from sagacity.cli.chat_exports import (
    ExportedChat,
    ExportedTurn,
    LeftOut,
    ReadExport,
    conversation_id,
    reason_of,
)
from sagacity.cli.exported_json import epoch_of, fields_of, listed, parsed, shown, text_of
from sagacity.cli.memory_exports import MemoryExport

_UNNAMED = "messages"
"""The conversation of messages that do not say of which they are."""
_LETTA_TYPES = {"user_message": "user", "assistant_message": "assistant"}
_LETTA_SPEAKS = "send_message"
"""The tool by which agents of Letta answer that think in their own texts."""


class _Message(NamedTuple):
    conversation: str
    role: str
    content: str
    at: int | None


def read_messages(source: MemoryExport, text: str) -> ReadExport:
    """
    Read the messages of an export: those of Zep's episodes and threads, and those of Letta's agents.

    Files hold the newest messages, of which an earlier one has some. So each exchange, a question with its answers, is
    published by itself: it has the same id in every file.

    Raises:
        InvalidInput: it is not JSON.
    """
    file = parsed(text)
    if source is MemoryExport.ZEP:
        found = list(_zep(fields_of(file)))
    elif source is MemoryExport.LETTA:
        found = list(_letta(file))
    else:
        found = []
    turns: dict[str, list[ExportedTurn]] = {}
    left_out: list[LeftOut] = []
    for one in found:
        reason = reason_of(one.role, one.content)
        if reason or not conversation_id(one.conversation):
            left_out.append(
                LeftOut(conversation=shown(one.conversation), reason=reason or "it has no valid id")
            )
            continue
        turn = ExportedTurn(role=one.role.capitalize(), content=one.content, created_at=one.at)
        turns.setdefault(one.conversation, []).append(turn)
    chats = [
        ExportedChat(chat_id=name, title=shown(name), turns=tuple(exchange))
        for name, said in turns.items()
        for exchange in _exchanges(said)
    ]
    return ReadExport(chats=tuple(chats), left_out=tuple(left_out))


def _exchanges(turns: list[ExportedTurn]) -> Iterator[list[ExportedTurn]]:
    """Yield what the user says with what is answered, oldest first where every turn says when it was."""
    if all(one.created_at is not None for one in turns):
        turns = sorted(turns, key=lambda one: one.created_at or 0)
    exchange: list[ExportedTurn] = []
    for turn in turns:
        if turn.role == "User" and any(one.role != "User" for one in exchange):
            yield exchange
            exchange = []
        exchange.append(turn)
    if exchange:
        yield exchange


def _zep(file: dict[str, object]) -> Iterator[_Message]:
    """Yield the episodes of a graph that are messages, or the messages of a thread."""
    thread = text_of(file, "thread_id", "session_id") or _UNNAMED
    for one in [*listed(file.get("episodes")), *listed(file.get("messages"))]:
        role = text_of(one, "role_type", "role").lower()  # the second is a name where there is the first
        conversation = text_of(one, "thread_id", "session_id") or thread
        yield _Message(conversation, role, text_of(one, "content").strip(), epoch_of(one.get("created_at")))


def _letta(file: object) -> Iterator[_Message]:
    """Yield the messages of an agent file, in today's form or in the former one, or those that the API lists."""
    if isinstance(file, list):
        for one in listed(cast("object", file)):
            if kind := text_of(one, "message_type"):
                content = text_of(one, "content").strip() or _texts(one.get("content"))
                yield _Message(_UNNAMED, _LETTA_TYPES.get(kind, kind), content, epoch_of(one.get("date")))
        return
    fields = fields_of(file)
    for agent in [fields, *listed(fields.get("agents"))]:
        messages = listed(agent.get("messages"))
        speaks_by_tool = any(_sent(one) for one in messages)
        for one in messages:
            role = text_of(one, "role")
            content = _texts(one.get("content"))
            if role == "user":
                role, content = _unpacked(content)
            elif role == "assistant" and speaks_by_tool:
                content = _sent(one)
            conversation = text_of(agent, "name", "id") or _UNNAMED
            yield _Message(conversation, role, content, epoch_of(one.get("created_at")))


def _sent(message: dict[str, object]) -> str:
    """Return what an agent of Letta said by a tool call; its own text is a thought then."""
    texts: list[str] = []
    for call in listed(message.get("tool_calls")):
        function = fields_of(call.get("function"))
        if text_of(function, "name") == _LETTA_SPEAKS:
            texts.append(text_of(_object(text_of(function, "arguments")), "message"))
    return "\n".join(text for text in texts if text).strip()


def _unpacked(content: str) -> tuple[str, str]:
    """Return who says a user's message of Letta, and what: it may be an object that says so, or an event."""
    packed = _object(content)
    kind = text_of(packed, "type")
    if not kind or "time" not in packed:
        return "user", content
    return ("user", text_of(packed, "message").strip()) if kind == "user_message" else (kind, content)


def _object(text: str) -> dict[str, object]:
    """Return the object that a text is as JSON; an empty one for anything else."""
    try:
        return fields_of(json.loads(text)) if text.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return {}


def _texts(parts: object) -> str:
    """Return the texts among the parts of a message."""
    if isinstance(parts, str):
        return parts.strip()
    found: Iterable[str] = (text_of(one, "text") for one in listed(parts) if one.get("type") == "text")
    return "\n".join(text for text in found if text).strip()
