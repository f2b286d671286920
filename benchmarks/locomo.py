"""LoCoMo: two named people talk with each other over months, and others ask what they said."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from histories import Question, Session, Turn, TurnKey, by_date, opened

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Of its questions, by the number of their category."""
SOURCE = (
    "LoCoMo is published by its authors (Maharana et al., ACL 2024; github.com/snap-research/locomo, CC BY-NC 4.0). "
    "Give its file as it is (.json), also packed (.xz): make bench-retrieval LOCOMO=PATH"
)


def load(path: Path) -> list[Question]:
    """Read the questions of a file that have evidence; ends the program when it is not there."""
    with opened(path, SOURCE) as file:
        return [question for one in json.load(file) for question in _questions(one)]


def _questions(one: dict) -> list[Question]:
    talk, name = one["conversation"], one["sample_id"]
    sessions: list[Session] = []
    turns: dict[str, TurnKey] = {}
    for key in (key for key in talk if re.fullmatch(r"session_\d+", key) and talk[key]):
        session = Session(key, _time(talk[f"{key}_date_time"]), tuple(_turn(turn) for turn in talk[key]))
        sessions.append(session)
        turns |= {turn["dia_id"]: (session.key, place) for place, turn in enumerate(talk[key])}
    asked_at = max(session.at for session in sessions) + timedelta(days=1)
    questions: list[Question] = []
    for place, row in enumerate(one["qa"]):
        named = [f"D{a}:{int(b)}" for a, b in re.findall(r"D(\d+):(\d+)", " ".join(row["evidence"]))]
        evidence = frozenset(turns[turn_id] for turn_id in named if turn_id in turns)
        if evidence:
            questions.append(
                Question(
                    question_id=f"{name}:{place}",
                    kind=KINDS[row["category"]],
                    text=row["question"],
                    asked_at=asked_at,
                    user_id=name,
                    sessions=by_date(sessions),
                    evidence_turns=evidence,
                    evidence_sessions=frozenset(key for key, _ in evidence),
                )
            )
    return questions


def _turn(row: dict) -> Turn:
    """What was said, with what a picture that came with it shows, as the authors give it to their own search."""
    shown = f"\n[shares {row['blip_caption']}]" if row.get("blip_caption") else ""
    return Turn(row["speaker"], f"{row['text']}{shown}")


def _time(text: str) -> datetime:
    """Read `1:56 pm on 8 May, 2023`, which names no time zone."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
