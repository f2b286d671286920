"""LongMemEval_S as values: questions, the dated sessions they are asked over, and the turns that hold the evidence."""

import hashlib
import json
import lzma
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

SAMPLE = Path(__file__).parent / "data" / "longmemeval_s_sample.jsonl"
SOURCE = (
    "LongMemEval_S is published by its authors (Wu et al., ICLR 2025; github.com/xiaowu0162/LongMemEval, MIT licence). "
    "Give its file as it is (.json) or with one question a line (.jsonl), also packed (.xz): "
    "make bench-retrieval DATA=PATH"
)
TurnKey = tuple[str, int]
"""A session's key, and the turn's place in it from 0."""


@dataclass(frozen=True)
class Turn:
    """One turn as it was said."""

    role: str
    content: str
    is_evidence: bool


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
    sessions: tuple[Session, ...]
    evidence_session_ids: frozenset[str]

    @property
    def is_answerable(self) -> bool:
        """Whether anything in the history answers it."""
        return not self.question_id.endswith("_abs")

    @cached_property
    def evidence_sessions(self) -> frozenset[str]:
        """Keys of the sessions that answer it."""
        return frozenset(one.key for one in self.sessions if one.session_id in self.evidence_session_ids)

    @cached_property
    def evidence_turns(self) -> frozenset[TurnKey]:
        """Keys of the turns that answer it."""
        return frozenset(
            (session.key, place)
            for session in self.sessions
            for place, turn in enumerate(session.turns)
            if turn.is_evidence
        )


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


def load(path: Path | None) -> list[Question]:
    """Read the questions of a file, sessions sorted by date; ends the program when it is not there."""
    if path is None or not path.is_file():
        problem = f"there is no file {path}" if path else "no file of questions was given"
        raise SystemExit(f"{problem}. {SOURCE}")
    with (
        lzma.open(path, "rt", encoding="utf-8")
        if path.suffix == ".xz"
        else path.open(encoding="utf-8") as file
    ):
        rows = (
            json.load(file)
            if ".json" in path.suffixes
            else (json.loads(line) for line in file if line.strip())
        )
        return [_question(row) for row in rows]


def taken(questions: Sequence[Question], count: int) -> list[Question]:
    """Return *count* answerable questions, every kind in turn."""
    by_kind: dict[str, list[Question]] = {}
    for question in questions:
        if question.is_answerable:
            by_kind.setdefault(question.kind, []).append(question)
    turns = zip_longest(*(by_kind[kind] for kind in sorted(by_kind)))
    return [question for turn in turns for question in turn if question][:count]


def pooled(questions: Sequence[Question]) -> tuple[Session, ...]:
    """
    Return every session of all questions once, oldest first.

    A conversation that several questions share is dated differently in each; the date that counts is of the question
    whose evidence it is.
    """
    found: dict[str, Session] = {}
    for question in questions:
        for session in question.sessions:
            if session.key not in found or session.key in question.evidence_sessions:
                found[session.key] = session
    return _by_date(found.values())


def _question(row: dict) -> Question:
    sessions = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
    return Question(
        question_id=row["question_id"],
        kind=row["question_type"],
        text=row["question"],
        asked_at=_time(row["question_date"]),
        sessions=_by_date(
            Session(session_id, _time(date), tuple(_turn(turn) for turn in turns))
            for session_id, date, turns in sessions
        ),
        evidence_session_ids=frozenset(row["answer_session_ids"]),
    )


def _turn(row: dict) -> Turn:
    return Turn(row["role"], row["content"], bool(row.get("has_answer")))


def _by_date(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """Sort by date, and what has the same date by its key: no order of the file may tell where the evidence is."""
    return tuple(sorted(sessions, key=lambda session: (session.at, session.key)))


def _time(text: str) -> datetime:
    """Read `2023/05/20 (Sat) 02:21`, which names no time zone."""
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
