"""The part of `sagacity import` that adds memories exported by other programs to a user."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer
from pydantic import JsonValue
from rich.console import Console

from sagacity.cli.chat_exports import ReadExport
from sagacity.cli.exported_messages import read_messages
from sagacity.cli.import_chats import content_of, publish
from sagacity.cli.invocation import connected
from sagacity.cli.memory_exports import ExportedMemory, MemoryExport, ReadMemories, read_memories
from sagacity.cli.output import Render, said, show, table
from sagacity.cli.patience import patient
from sagacity.cli.progress import detailing
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput
from sagacity.domain.trust import Origin
from sagacity.domain.user_memory import MemoryType

if TYPE_CHECKING:
    from sagacity.client import Sagacity

_A_CALL = 100
_MOST_LISTED = 10_000
_STATUSES = ("current", "pending", "archived")
_NOUNS = {
    MemoryType.PROFILE: "profile",
    MemoryType.SEMANTIC: "fact",
    MemoryType.EPISODIC: "episode",
    MemoryType.PROCEDURAL: "rule",
}


class Turns(NamedTuple):
    """Messages of a file."""

    conversations: int
    turns: int
    new: int | None
    """Of which so many were not there yet; None where nothing is stored."""

    @classmethod
    def of(cls, found: ReadExport, new: int | None) -> "Turns":
        """Count what was read."""
        return cls(len({one.chat_id for one in found.chats}), sum(len(one.turns) for one in found.chats), new)


def import_memories(
    context: typer.Context, path: Path, source: MemoryExport, user_id: str, *, preview: bool
) -> None:
    """Store the memories of a file and publish its messages, or with *preview* say what would be stored."""
    text = content_of(path)
    found, chats = read_memories(source, text, user_id, now=int(time.time())), read_messages(source, text)
    new = None if preview else _store(context, source, user_id, found)
    turns = Turns.of(chats, None if preview else publish(context, source, user_id, chats))
    reasons = Counter(one.reason for one in (*found.left_out, *chats.left_out))
    kinds = Counter(one.kind for one in found.memories)
    told: dict[str, JsonValue] = {
        "is_preview": preview,
        "memories": len(found.memories),
        "kinds": {str(kind): kinds[kind] for kind in MemoryType},
        "new_memories": new,
        "conversations": turns.conversations,
        "turns": turns.turns,
        "new_turns": turns.new,
        "left_out": [{"reason": reason, "count": count} for reason, count in reasons.most_common()],
        "examples": [one.model_dump() for one in (*found.left_out, *chats.left_out)[:10]],
    }
    show(context, told, _drawn(found, turns, kinds, reasons, new))


def _store(context: typer.Context, source: MemoryExport, user_id: str, found: ReadMemories) -> int:
    """Store what is not there yet; returns how many."""
    profiles = [one for one in found.memories if one.kind is MemoryType.PROFILE]
    others = [one for one in found.memories if one.kind is not MemoryType.PROFILE]
    with connected(context, None) as client, detailing("importing memories") as tell:
        known = _known(client, source, user_id, profiles) if profiles else set[str]()
        missing = [one for one in profiles if one.memory_id not in known]
        new, done, total = len(missing), 0, len(missing) + len(others)

        def waits(seconds: float) -> None:
            tell(done, total, f"waits {seconds:.0f} s for the rate limit")

        for some in _batches(missing):
            patient(
                lambda some=some: client.add_user_profile([_profile(source, user_id, one) for one in some]),
                waits,
            )
            done += len(some)
            tell(done, total, "")
        for some in _batches(others):
            new += patient(lambda some=some: _add(client, source, user_id, some), waits)
            done += len(some)
            tell(done, total, "")
    return new


def _batches(memories: Sequence[ExportedMemory]) -> Iterator[Sequence[ExportedMemory]]:
    for at in range(0, len(memories), _A_CALL):
        yield memories[at : at + _A_CALL]


def _add(client: "Sagacity", source: MemoryExport, user_id: str, some: Sequence[ExportedMemory]) -> int:
    """Store what is no profile, without what is there already; returns how many."""
    reply = client.add_memories([_memory(source, one) for one in some], user_id=user_id)
    if reply.failed:
        raise InvalidInput(f"the server refuses {counted(reply.failed, 'memory')}: {reply.errors[0].error}")
    return reply.created


def _known(
    client: "Sagacity", source: MemoryExport, user_id: str, profiles: Sequence[ExportedMemory]
) -> set[str]:
    """Return the ids of what was imported before, also of what was archived since."""
    known: set[str] = set()
    for status in _STATUSES:
        page = client.get_all_profiles(
            _MOST_LISTED, status_filter=status, user_id=user_id, source=_source(source)
        ).user_profiles
        known |= {one.profile_id for one in page}
        if len(page) < _MOST_LISTED:
            continue
        for one in profiles:  # there are more than a list has
            if one.memory_id not in known:
                there = client.get_all_profiles(
                    1, status_filter=status, user_id=user_id, profile_id=one.memory_id
                )
                known |= {found.profile_id for found in there.user_profiles}
    return known


def _profile(source: MemoryExport, user_id: str, one: ExportedMemory) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {
        "profile_id": one.memory_id,
        "user_id": user_id,
        "content": one.content,
        "source": _source(source),
        "origin": str(Origin.IMPORTED),
    }
    if one.said_at is not None:
        fields["last_modified_timestamp"] = one.said_at
    if one.expires_at is not None:
        fields["expiration_timestamp"] = one.expires_at
    return fields


def _memory(source: MemoryExport, one: ExportedMemory) -> dict[str, JsonValue]:
    """Return what is sent of a fact, an episode or a rule."""
    fields: dict[str, JsonValue] = {
        "id": one.memory_id,
        "memory_type": str(one.kind),
        "content": one.content,
        "source": _source(source),
        "origin": str(Origin.IMPORTED),
    }
    if one.said_at is not None:
        fields["valid_from"] = _moment(one.said_at)
    if one.expires_at is not None:
        fields["valid_to"] = _moment(one.expires_at)
    if one.session_id:
        fields["conversation_id"] = one.session_id
    if one.title:
        fields["topic" if one.kind is MemoryType.SEMANTIC else "procedure_name"] = one.title
    return fields


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _source(source: MemoryExport) -> str:
    return f"import:{source}"


def _drawn(
    found: ReadMemories, turns: Turns, kinds: Counter[MemoryType], reasons: Counter[str], new: int | None
) -> Render:
    counts = [counted(kinds[kind], noun) for kind, noun in _NOUNS.items() if kinds[kind]]
    total = ", ".join(counts) or "nothing"
    if kinds[MemoryType.PROCEDURAL]:
        total += "; rules wait until a person approves them"
    if turns.turns:
        total += f", and {counted(turns.turns, 'turn')} of {counted(turns.conversations, 'conversation')}"
    all_new = None if new is None else new + (turns.new or 0)
    told = said(
        f"would be stored: {total}" if all_new is None else f"stored, {all_new:,} of them new: {total}"
    )
    rows = [(_NOUNS[one.kind], one.content) for one in found.memories[:10]]
    some = table(("kind", "memory"), rows, empty="nothing to store")
    left = table(("left out", "how many"), reasons.most_common(), empty="nothing is left out")

    def render(console: Console) -> None:
        told(console)
        if new is None:
            some(console)
        left(console)

    return render
