"""What `sagacity import` does with memories that another program exported: they become profiles of a user."""

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from pydantic import JsonValue
from rich.console import Console

from sagacity.cli.import_chats import content_of
from sagacity.cli.invocation import connected
from sagacity.cli.memory_exports import ExportedMemory, MemoryExport, ReadMemories, read_memories
from sagacity.cli.output import Render, said, show, table
from sagacity.cli.progress import advancing
from sagacity.domain.amounts import counted
from sagacity.domain.errors import RateLimited
from sagacity.domain.trust import Origin

if TYPE_CHECKING:
    from sagacity.client import Sagacity

_A_CALL = 200
_MOST_LISTED = 10_000
_STATUSES = ("current", "pending", "archived")
_PAUSE_SECONDS = 5.0


def import_memories(
    context: typer.Context, path: Path, source: MemoryExport, user_id: str, *, preview: bool
) -> None:
    """Store the memories of a file, or with *preview* say what would be stored."""
    found = read_memories(source, content_of(path), user_id, now=int(time.time()))
    new = None if preview else _store(context, source, user_id, found)
    reasons = Counter(one.reason for one in found.left_out)
    told: dict[str, JsonValue] = {
        "is_preview": preview,
        "memories": len(found.memories),
        "new_memories": new,
        "left_out": [{"reason": reason, "count": count} for reason, count in reasons.most_common()],
        "examples": [one.model_dump() for one in found.left_out[:10]],
    }
    show(context, told, _drawn(found, reasons, new))


def _store(context: typer.Context, source: MemoryExport, user_id: str, found: ReadMemories) -> int:
    """Store what is not there yet; returns how many."""
    with connected(context, None) as client, advancing("importing memories") as advance:
        known = _known(client, source, user_id, found)
        new = [one for one in found.memories if one.profile_id not in known]
        for at in range(0, len(new), _A_CALL):
            some = [_profile(source, user_id, one) for one in new[at : at + _A_CALL]]
            _add(client, some)
            advance(at + len(some), len(new))
    return len(new)


def _known(client: "Sagacity", source: MemoryExport, user_id: str, found: ReadMemories) -> set[str]:
    """Return the ids of what was imported before, also of what was archived since."""
    known: set[str] = set()
    for status in _STATUSES:
        page = client.get_all_profiles(
            _MOST_LISTED, status_filter=status, user_id=user_id, source=_source(source)
        ).user_profiles
        known |= {one.profile_id for one in page}
        if len(page) < _MOST_LISTED:
            continue
        for one in found.memories:  # there are more than a list has
            if one.profile_id not in known:
                there = client.get_all_profiles(
                    1, status_filter=status, user_id=user_id, profile_id=one.profile_id
                )
                known |= {found.profile_id for found in there.user_profiles}
    return known


def _profile(source: MemoryExport, user_id: str, one: ExportedMemory) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {
        "profile_id": one.profile_id,
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


def _add(client: "Sagacity", profiles: list[dict[str, JsonValue]]) -> None:
    """Store some profiles, as soon as the server takes them."""
    while True:
        try:
            client.add_user_profile(profiles)
        except RateLimited as error:
            time.sleep(error.retry_after_seconds or _PAUSE_SECONDS)
        else:
            return


def _source(source: MemoryExport) -> str:
    return f"import:{source}"


def _drawn(found: ReadMemories, reasons: Counter[str], new: int | None) -> Render:
    total = counted(len(found.memories), "profile")
    told = said(f"would be stored: {total}" if new is None else f"stored: {total}, {new:,} of them new")
    some = table(("profile",), [(one.content,) for one in found.memories[:10]], empty="nothing to store")
    left = table(("left out", "how many"), reasons.most_common(), empty="nothing is left out")

    def render(console: Console) -> None:
        told(console)
        if new is None:
            some(console)
        left(console)

    return render
