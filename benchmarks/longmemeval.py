"""LongMemEval_S: questions to an assistant, each over a long history of its own."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

from histories import Question, Session, Turn, by_date, opened

SAMPLE = Path(__file__).parent / "data" / "longmemeval_s_sample.jsonl"
SOURCE = (
    "LongMemEval_S is published by its authors (Wu et al., ICLR 2025; github.com/xiaowu0162/LongMemEval, MIT licence). "
    "Give its file as it is (.json) or with one question a line (.jsonl), also packed (.xz): "
    "make bench-retrieval DATA=PATH"
)


def load(path: Path | None) -> list[Question]:
    """Read the questions of a file, sessions sorted by date; ends the program when it is not there."""
    with opened(path, SOURCE) as file:
        rows = (
            json.load(file)
            if path is not None and ".json" in path.suffixes
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
    return by_date(found.values())


def _question(row: dict) -> Question:
    rows = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
    dated = [
        (
            Session(session_id, _time(date), tuple(Turn(turn["role"], turn["content"]) for turn in turns)),
            turns,
        )
        for session_id, date, turns in rows
    ]
    answering = frozenset(row["answer_session_ids"])
    return Question(
        question_id=row["question_id"],
        kind=row["question_type"],
        text=row["question"],
        asked_at=_time(row["question_date"]),
        user_id=row["question_id"],
        sessions=by_date(session for session, _ in dated),
        evidence_turns=frozenset(
            (session.key, place)
            for session, turns in dated
            for place, turn in enumerate(turns)
            if turn.get("has_answer")
        ),
        evidence_sessions=frozenset(session.key for session, _ in dated if session.session_id in answering),
        is_answerable=not row["question_id"].endswith("_abs"),
    )


def _time(text: str) -> datetime:
    """Read `2023/05/20 (Sat) 02:21`, which names no time zone."""
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
