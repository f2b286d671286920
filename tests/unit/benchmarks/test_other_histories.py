"""Questions of LoCoMo and BEAM as they are read from a file."""

import json
import lzma
from datetime import UTC, datetime
from pathlib import Path

import beam
import locomo
import pytest
from histories import Turn, histories_of
from retrieval_report import Hit, Outcome, Row, tables_of

TALK = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "I moved to Lyon."}],
        "session_1_date_time": "9:05 am on 2 January, 2023",
        "session_1": [
            {"speaker": "Ben", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a photo of a dog"},
            {"speaker": "Ada", "dia_id": "D1:2", "text": "What is his name?"},
        ],
        "session_3_date_time": "9:05 am on 2 June, 2023",
        "session_3": [],
    },
    "qa": [
        {"question": "What has Ben?", "evidence": ["D1:1; D2:01"], "category": 1},
        {"question": "Is Ada rich?", "evidence": [], "category": 3},
        {"question": "Where is Ada?", "evidence": ["D2:1", "D9:9"], "category": 4},
    ],
}
CHAT = {
    "id": "100K-1",
    "chat": [
        {
            "batch_number": 1,
            "turns": [
                [
                    {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "I run. ->-> 1,1"},
                    {"role": "assistant", "id": 1, "content": "Good."},
                ],
                [{"role": "user", "id": 2, "content": "I swim."}],
            ],
        }
    ],
    "probing_questions": {
        "abstention": [{"question": "Why?"}],
        "event_ordering": [{"question": "In which order?", "source_chat_ids": [[0], [2]]}],
        "knowledge_update": [
            {"question": "What now?", "source_chat_ids": {"original": [0], "updated": [2, 0]}}
        ],
    },
}


def test_talk_by_name_is_read(tmp_path: Path) -> None:
    """Sessions by date, pictures by their caption; a question without evidence in the talk is left out."""
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([TALK]))
    first, second = locomo.load(path)
    assert [(one.kind, one.text) for one in (first, second)] == [
        ("multi-hop", "What has Ben?"),
        ("single-hop", "Where is Ada?"),
    ]
    [history] = histories_of([first, second])
    assert [turn for _, turn in history.turns] == [
        Turn("Ben", "Look!\n[shares a photo of a dog]"),
        Turn("Ada", "What is his name?"),
        Turn("Ada", "I moved to Lyon."),
    ]
    assert [session.at for session in history.sessions] == [
        datetime(2023, 1, 2, 9, 5, tzinfo=UTC),
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    ]
    keys = [key for key, _ in history.turns]
    assert (first.evidence_turns, second.evidence_turns) == ({keys[0], keys[2]}, {keys[2]})
    assert first.asked_at > history.sessions[-1].at


def test_chats_with_an_assistant_are_read(tmp_path: Path) -> None:
    """Numbers of evidence come in lists, lists of lists and by name; marks are cut from the turns."""
    path = tmp_path / "beam.jsonl.xz"
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write(json.dumps(CHAT) + "\n")
    questions = beam.load(path)
    assert [one.kind for one in questions] == ["event ordering", "knowledge update"]
    [history] = histories_of(questions)
    assert [turn.content for _, turn in history.turns] == ["I run.", "Good.", "I swim."]
    keys = [key for key, _ in history.turns]
    assert {one.evidence_turns for one in questions} == {frozenset({keys[0], keys[2]})}
    assert history.sessions[0].at == datetime(2024, 3, 15, tzinfo=UTC)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """With where the data is published."""
    for load in (locomo.load, beam.load):
        with pytest.raises(SystemExit, match=r"there is no file .*published by its authors"):
            load(tmp_path / "missing.json")


def test_tables_tell_the_share_of_the_evidence(tmp_path: Path) -> None:
    """By kind of question too."""
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([TALK]))
    questions = locomo.load(path)
    [history] = histories_of(questions)
    hit = Hit(*history.turns[2], 1.0, {})
    outcomes = [Outcome(question, [hit], [hit], 1.0, 2.0, {}) for question in questions]
    whole, by_kind = tables_of("LoCoMo", [Row("default", "the default", outcomes)])
    assert whole.rows[0][:2] == ("the default", "0.750 ± 0.250")
    assert (by_kind.columns, by_kind.rows) == (
        ("search", "multi-hop", "single-hop"),
        [("the default", "0.500", "1.000")],
    )
