"""The common form of all data sets: questions, dated sessions that they are asked over, and turns that answer them."""

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TextIO

TurnKey = tuple[str, int]
"""A session's key, and the turn's place in it from 0."""


@contextmanager
def opened(path: Path | None, source: str) -> Iterator[TextIO]:
    """Open a file of questions, packed (.xz) or not; if it is missing, end the program and name its *source*."""
    if path is None or not path.is_file():
        problem = f"there is no file {path}" if path else "no file of questions was given"
        raise SystemExit(f"{problem}. {source}")
    if path.suffix == ".xz":
        with lzma.open(path, "rt", encoding="utf-8") as file:
            yield file
    else:
        with path.open(encoding="utf-8") as file:
            yield file


@dataclass(frozen=True)
class Turn:
    """One turn as it was said."""

    role: str
    content: str


@dataclass(frozen=True)
class Session:
    """One conversation."""

    session_id: str
    at: datetime
    turns: tuple[Turn, ...]

    @cached_property
    def key(self) -> str:
        """Its id and a hash of what was said: some ids stand for several conversations."""
        said = json.dumps([(turn.role, turn.content) for turn in self.turns])
        return f"{self.session_id}:{hashlib.sha1(said.encode()).hexdigest()[:8]}"  # noqa: S324  not a secret


@dataclass(frozen=True)
class Question:
    """A question, when it was asked, and all that was said before."""

    question_id: str
    kind: str
    text: str
    asked_at: datetime
    user_id: str
    """Whose history it is asked over; several questions may share one."""
    sessions: tuple[Session, ...]
    evidence_turns: frozenset[TurnKey]
    """Keys of the turns that answer it."""
    evidence_sessions: frozenset[str]
    """Keys of the sessions that answer it."""
    is_answerable: bool = True
    """Whether anything in the history answers it."""


@dataclass(frozen=True)
class History:
    """All that one user said, oldest session first."""

    user_id: str
    sessions: tuple[Session, ...]

    @cached_property
    def turns(self) -> Sequence[tuple[TurnKey, Turn]]:
        """Every turn with its key, in the order of the user's log: the turn number `seq` is at `seq` - 1."""
        return [
            ((session.key, place), turn)
            for session in self.sessions
            for place, turn in enumerate(session.turns)
        ]


def by_date(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """Sort by date, and what has the same date by its key: no order of the file may tell where the evidence is."""
    return tuple(sorted(sessions, key=lambda session: (session.at, session.key)))


def histories_of(questions: Iterable[Question]) -> list[History]:
    """Whose logs the answerable questions are asked over, each once."""
    return list(
        {one.user_id: History(one.user_id, one.sessions) for one in questions if one.is_answerable}.values()
    )
