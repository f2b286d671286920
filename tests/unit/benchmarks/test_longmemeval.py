"""Questions as they are read from a file."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from histories import History, Question
from longmemeval import SAMPLE, load, pooled, taken


def written(folder: Path, *rows: dict[str, Any]) -> list[Question]:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return load(path)


def row(
    question_id: str, *sessions: tuple[str, str, list[str]], evidence: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A question over sessions of id, day and what was said; what begins with an asterisk is evidence."""
    return {
        "question_id": question_id,
        "question_type": "multi-session",
        "question": "Where?",
        "question_date": "2023/05/30 (Tue) 21:40",
        "answer_session_ids": list(evidence),
        "haystack_session_ids": [session_id for session_id, _, _ in sessions],
        "haystack_dates": [f"2023/05/{day} (Sat) 02:21" for _, day, _ in sessions],
        "haystack_sessions": [
            [
                {"role": "user", "content": text.removeprefix("*")}
                | ({"has_answer": True} if text.startswith("*") else {})
                for text in said
            ]
            for _, _, said in sessions
        ],
    }


def test_histories_are_sorted_by_date(tmp_path: Path) -> None:
    """A file's order is not the order in which things were said."""
    (question,) = written(tmp_path, row("q", ("late", "20", ["b"]), ("early", "03", ["a"])))
    assert [session.session_id for session in question.sessions] == ["early", "late"]
    assert question.sessions[0].at == datetime(2023, 5, 3, 2, 21, tzinfo=UTC)


def test_sessions_of_one_id_are_told_apart_by_what_was_said(tmp_path: Path) -> None:
    """Some ids stand for several conversations."""
    (question,) = written(tmp_path, row("q", ("same", "01", ["a"]), ("same", "02", ["b"])))
    first, second = question.sessions
    assert first.key != second.key


def test_evidence_is_the_turns_that_are_marked_and_the_sessions_that_are_named(tmp_path: Path) -> None:
    """Turns by their mark, sessions by the list of ids."""
    (question,) = written(
        tmp_path, row("q", ("gold", "01", ["a", "*b"]), ("other", "02", ["c"]), evidence=("gold",))
    )
    gold = question.sessions[0].key
    assert question.evidence_sessions == {gold}
    assert question.evidence_turns == {(gold, 1)}


def test_a_history_counts_turns_as_its_users_log_does(tmp_path: Path) -> None:
    """The turn at place n is the one with number n + 1."""
    (question,) = written(tmp_path, row("q", ("two", "02", ["c"]), ("one", "01", ["a", "b"])))
    history = History("q", question.sessions)
    assert [turn.content for _, turn in history.turns] == ["a", "b", "c"]
    assert [place for (_, place), _ in history.turns] == [0, 1, 0]


def test_pooled_sessions_are_there_once_dated_by_the_question_they_answer(tmp_path: Path) -> None:
    """A conversation that is noise to one question and evidence to another has the other's date."""
    noise = row("noise", ("shared", "09", ["*said"]), ("own", "10", ["x"]))
    asks = row("asks", ("shared", "04", ["*said"]), evidence=("shared",))
    for rows in ((noise, asks), (asks, noise)):
        sessions = pooled(written(tmp_path, *rows))
        assert [(one.session_id, one.at.day) for one in sessions] == [("shared", 4), ("own", 10)]


def test_a_sample_takes_the_kinds_in_turn_and_leaves_out_what_has_no_answer(tmp_path: Path) -> None:
    """Two questions of two kinds, although the first kind has more."""
    rows = [row("a1"), row("a2"), row("x_abs"), row("b1") | {"question_type": "preference"}]
    questions = written(tmp_path, *rows)
    assert [one.question_id for one in taken(questions, 2)] == ["a1", "b1"]
    assert [one.question_id for one in taken(questions, 9)] == ["a1", "b1", "a2"]


@pytest.mark.parametrize("path", [None, Path("no-such-file.jsonl.xz")])
def test_a_missing_file_ends_the_program_with_where_to_get_it(path: Path | None) -> None:
    """The message names the data set's source and how to hand it over."""
    with pytest.raises(SystemExit, match=r"xiaowu0162/LongMemEval.*DATA=PATH"):
        load(path)


def test_the_sample_has_evidence_for_each_question_that_has_an_answer() -> None:
    """What is shipped can be measured: three questions with evidence among other sessions, and one without."""
    questions = load(SAMPLE)
    answerable = [one for one in questions if one.is_answerable]
    assert (len(questions), len(answerable)) == (4, 3)
    for question in answerable:
        assert question.evidence_turns
        assert {key for key, _ in question.evidence_turns} <= question.evidence_sessions
        assert len(question.evidence_sessions) < len(question.sessions)
