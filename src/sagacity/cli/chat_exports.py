"""Read chats that OpenAI and Anthropic export, as turns to publish."""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import cast

from sagacity.cli.exported_json import epoch_of, fields_of, is_storable, parsed, shown, text_of
from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput
from sagacity.schemas.base import MAX_TEXT

TURNS_A_REQUEST = 100
_CHARACTERS_A_REQUEST = 200_000
_LONGEST_ID = 400
_LONGEST_TITLE = 500


class ChatExport(StrEnum):
    """Whose export it is."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


class ExportedTurn(Value):
    """A message that can be published."""

    role: str
    content: str
    created_at: int | None = None
    """Seconds since 1970; None if the export does not say."""


class LeftOut(Value):
    """A message or conversation that is not published."""

    conversation: str
    reason: str


class ExportedChat(Value):
    """One conversation."""

    chat_id: str
    title: str
    turns: tuple[ExportedTurn, ...]


class ChatRequest(Value):
    """Turns that are published together, under an id derived from their content."""

    request_id: str
    session_id: str
    title: str
    turns: tuple[ExportedTurn, ...]


class ReadExport(Value):
    """The content of a file."""

    chats: tuple[ExportedChat, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def read_export(kind: ChatExport, text: str) -> ReadExport:
    """
    Read an export.

    Raises:
        InvalidInput: it is not JSON, or not a list of conversations.
    """
    found = parsed(text)
    if not isinstance(found, list):
        raise InvalidInput("the file must hold a JSON list of conversations")
    chats: list[ExportedChat] = []
    left_out: list[LeftOut] = []
    known: set[str] = set()
    for place, one in enumerate(cast("list[object]", found), start=1):
        fields = fields_of(one)
        chat_id = text_of(fields, "conversation_id", "id", "uuid")
        title = text_of(fields, "title", "name")[:_LONGEST_TITLE] or f"conversation {place}"
        if not conversation_id(chat_id):
            left_out.append(LeftOut(conversation=shown(title), reason="it has no valid id"))
        elif chat_id in known:
            left_out.append(LeftOut(conversation=shown(title), reason="its id came before in this file"))
        else:
            known.add(chat_id)
            turns, reasons = _turns(kind, fields)
            left_out += [LeftOut(conversation=shown(title), reason=reason) for reason in reasons]
            if turns:
                chats.append(ExportedChat(chat_id=chat_id, title=shown(title), turns=tuple(turns)))
            elif not reasons:
                left_out.append(LeftOut(conversation=shown(title), reason="it has no messages"))
    return ReadExport(chats=tuple(chats), left_out=tuple(left_out))


def conversation_id(chat_id: str) -> bool:
    """Return whether a conversation may be called so."""
    return bool(chat_id) and len(chat_id) <= _LONGEST_ID and is_storable(chat_id)


def reason_of(role: str, content: str) -> str:
    """Return why a message is left out; empty if it is not."""
    if role not in {"user", "assistant"}:
        return "a message of neither a user nor an assistant"
    if not content:
        return "a message without text"
    if len(content) > MAX_TEXT:
        return f"a message of more than {MAX_TEXT:,} characters"
    return "" if is_storable(content) else "a message with NUL characters or broken text"


def requests_of(
    kind: StrEnum, user_id: str, chat: ExportedChat, *, known: Collection[str] = ()
) -> Iterator[ChatRequest]:
    """
    Yield the requests that a conversation is published as.

    What they say determines their ids, so that an export that is read again makes the same ones.

    Args:
        kind: whose export it is.
        user_id: whose conversation.
        chat: the conversation.
        known: ids of requests that were published. What they say is passed over, also where the conversation has grown.
    """
    start = 0
    while start < len(chat.turns):
        batch = _batch(chat.turns, start)
        for count in range(len(batch), 0, -1) if known else ():
            request = _request(kind, user_id, chat, start, batch[:count])
            if request.request_id in known:
                break
        else:
            request = _request(kind, user_id, chat, start, batch)
            yield request
        start += len(request.turns)


def _batch(turns: Sequence[ExportedTurn], start: int) -> Sequence[ExportedTurn]:
    """Return the turns from *start* on that are published together: one at least."""
    length, end = 0, start
    while end < min(len(turns), start + TURNS_A_REQUEST):
        length += len(turns[end].content)
        if length > _CHARACTERS_A_REQUEST and end > start:
            break
        end += 1
    return turns[start:end]


def _request(
    kind: StrEnum, user_id: str, chat: ExportedChat, start: int, turns: Sequence[ExportedTurn]
) -> ChatRequest:
    said = [[turn.role, turn.content, turn.created_at] for turn in turns]
    told = json.dumps([user_id, chat.chat_id, start, said])
    return ChatRequest(
        request_id=f"import-{kind}-{hashlib.sha256(told.encode()).hexdigest()}",
        session_id=session_of(kind, chat),
        title=chat.title,
        turns=tuple(turns),
    )


def session_of(kind: StrEnum, chat: ExportedChat) -> str:
    """Return the session that a conversation becomes."""
    return f"{kind}-{chat.chat_id}"


def _turns(kind: ChatExport, fields: dict[str, object]) -> tuple[list[ExportedTurn], list[str]]:
    """Return the turns of a conversation, and why messages are left out."""
    messages = _of_tree(fields) if kind is ChatExport.OPENAI else _of_list(fields)
    turns: list[ExportedTurn] = []
    reasons: list[str] = []
    for role, content, at in messages:
        if role not in {"user", "assistant"} and not content:
            continue
        if reason := reason_of(role, content):
            reasons.append(reason)
        else:
            turns.append(ExportedTurn(role=role.capitalize(), content=content, created_at=at))
    return turns, reasons


def _of_tree(fields: dict[str, object]) -> list[tuple[str, str, int | None]]:
    """Return the messages of OpenAI's tree that lead to the last one; answers that were replaced are not among them."""
    nodes = fields_of(fields.get("mapping"))
    at: object = fields.get("current_node")
    found: list[tuple[str, str, int | None]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        node = fields_of(nodes[at])
        if message := fields_of(node.get("message")):
            role = text_of(fields_of(message.get("author")), "role")
            parts = fields_of(message.get("content")).get("parts")
            found.append((role, _joined(parts), epoch_of(message.get("create_time"))))
        at = node.get("parent")
    return found[::-1]


def _of_list(fields: dict[str, object]) -> list[tuple[str, str, int | None]]:
    """Return the messages of Anthropic's list."""
    listed = fields.get("chat_messages")
    found: list[tuple[str, str, int | None]] = []
    for one in cast("list[object]", listed) if isinstance(listed, list) else ():
        message = fields_of(one)
        sender = text_of(message, "sender")
        content = text_of(message, "text").strip() or _joined(message.get("content"))
        role = "user" if sender == "human" else sender
        found.append((role, content, epoch_of(message.get("created_at"))))
    return found


def _joined(parts: object) -> str:
    """Return the texts among *parts*: texts themselves, or objects of the type `text`."""
    texts: list[str] = []
    for part in cast("list[object]", parts) if isinstance(parts, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif (fields := fields_of(part)).get("type") == "text":
            texts.append(text_of(fields, "text"))
    return "\n".join(text for text in texts if text).strip()
