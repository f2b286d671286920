"""The part of `sagacity import` that publishes chats exported by other programs."""

from collections import Counter
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from pydantic import JsonValue
from rich.console import Console

from sagacity.cli.chat_exports import (
    ChatExport,
    ChatRequest,
    ReadExport,
    read_export,
    requests_of,
    session_of,
)
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, said, show, table
from sagacity.cli.patience import patient
from sagacity.cli.progress import detailing
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput
from sagacity.domain.trust import Origin

if TYPE_CHECKING:
    from sagacity.client import Sagacity

_LARGEST_BYTES = 512 * 1024 * 1024
_PAGE = 1_000


def import_chats(
    context: typer.Context, path: Path, source: ChatExport, user_id: str, *, preview: bool
) -> None:
    """Publish the chats of a file, or with *preview* say what would be published."""
    found = read_export(source, content_of(path))
    turns = sum(len(chat.turns) for chat in found.chats)
    new = None if preview else publish(context, source, user_id, found)
    reasons = Counter(one.reason for one in found.left_out)
    shown: dict[str, JsonValue] = {
        "is_preview": preview,
        "conversations": len(found.chats),
        "turns": turns,
        "new_turns": new,
        "left_out": [{"reason": reason, "count": count} for reason, count in reasons.most_common()],
        "examples": [one.model_dump() for one in found.left_out[:10]],
    }
    show(context, shown, _drawn(found, reasons, turns, new))


def content_of(path: Path) -> str:
    """
    Return the text of a file.

    Raises:
        InvalidInput: it cannot be read, is too large, or is no text.
    """
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise InvalidInput(f"{path} has more than {_LARGEST_BYTES:,} bytes; split it")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text") from error


def publish(context: typer.Context, source: StrEnum, user_id: str, found: ReadExport) -> int:
    """Publish what is not there yet; returns how many turns."""
    new, published = 0, dict[str, set[str]]()
    with connected(context, None) as client, detailing("importing conversations") as tell:
        total = len(found.chats)
        for done, chat in enumerate(found.chats):
            session_id = session_of(source, chat)
            if session_id not in published:
                published[session_id] = _published(client, user_id, session_id)
            known = published[session_id]
            for one in requests_of(source, user_id, chat, known=known):
                patient(
                    partial(_publish_one, client, source, user_id, one),
                    lambda seconds, done=done: tell(done, total, f"waits {seconds:.0f} s for the rate limit"),
                )
                new += len(one.turns)
            tell(done + 1, total, "")
    return new


def _published(client: "Sagacity", user_id: str, session_id: str) -> set[str]:
    """Return the ids of a session's requests."""
    found: set[str] = set()
    while True:
        page = client.get_requests(user_id=user_id, session_id=session_id, top_k=_PAGE, offset=len(found))
        found |= {one.request.request_id for session in page.sessions for one in session.requests}
        if not page.has_more:
            return found


def _publish_one(client: "Sagacity", source: StrEnum, user_id: str, one: ChatRequest) -> None:
    """Publish a request."""
    turns = [turn.model_dump(exclude_none=True) | {"origin": Origin.IMPORTED} for turn in one.turns]
    client.publish_interaction(
        user_id,
        turns,
        source=f"import:{source}",
        session_id=one.session_id,
        request_id=one.request_id,
        metadata={"imported_from": str(source), "conversation_title": one.title},
    )


def _drawn(found: ReadExport, reasons: Counter[str], turns: int, new: int | None) -> Render:
    total = f"{counted(turns, 'turn')} of {counted(len(found.chats), 'conversation')}"
    told = said(f"would be stored: {total}" if new is None else f"stored: {total}, {new:,} of them new")
    left = table(("left out", "how many"), reasons.most_common(), empty="nothing is left out")

    def render(console: Console) -> None:
        told(console)
        left(console)

    return render
