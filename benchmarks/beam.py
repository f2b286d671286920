"""BEAM: one user works with an assistant on one subject for months, and asks about all of it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from histories import Question, Session, Turn, TurnKey, by_date, opened

SOURCE = (
    "BEAM is published by its authors (Tavakoli et al., 2025; huggingface.co/datasets/Mohammadta/BEAM, CC BY-SA 4.0). "
    "Give one chat a line (.jsonl), with `id`, `chat` and `probing_questions`, also packed (.xz): "
    "make bench-retrieval BEAM=PATH"
)


def load(path: Path) -> list[Question]:
    """Read those questions of a file that have evidence; ends the program if the file is missing."""
    with opened(path, SOURCE) as file:
        return [question for line in file if line.strip() for question in _questions(json.loads(line))]


def _questions(chat: dict) -> list[Question]:
    sessions: list[Session] = []
    turns: dict[int, TurnKey] = {}
    for batch in chat["chat"]:
        rows = [row for exchange in batch["turns"] for row in exchange]
        at = next(_time(row["time_anchor"]) for row in rows if row.get("time_anchor"))
        # A mark such as "->-> 1,2" after a turn is left from the creation of the data.
        said = tuple(Turn(row["role"], row["content"].split("->->")[0].rstrip()) for row in rows)
        session = Session(f"batch-{batch['batch_number']}", at, said)
        sessions.append(session)
        turns |= {row["id"]: (session.key, place) for place, row in enumerate(rows)}
    asked_at = max(session.at for session in sessions) + timedelta(days=60)
    questions: list[Question] = []
    for kind, rows in chat["probing_questions"].items():
        for place, row in enumerate(rows):
            evidence = frozenset(turns[number] for number in _numbers(row.get("source_chat_ids")))
            if evidence:
                questions.append(
                    Question(
                        question_id=f"{chat['id']}:{kind}:{place}",
                        kind=kind.replace("_", " "),
                        text=row["question"],
                        asked_at=asked_at,
                        user_id=chat["id"],
                        sessions=by_date(sessions),
                        evidence_turns=evidence,
                        evidence_sessions=frozenset(key for key, _ in evidence),
                    )
                )
    return questions


def _numbers(ids: Any) -> Iterator[int]:
    """Yield the turns' numbers, which are given as a list, a list of lists, or lists by what they are evidence of."""
    if isinstance(ids, int):
        yield ids
    elif ids:
        for one in ids.values() if isinstance(ids, dict) else ids:
            yield from _numbers(one)


def _time(text: str) -> datetime:
    """Read `March-15-2024`."""
    return datetime.strptime(text, "%B-%d-%Y").replace(tzinfo=UTC)
