"""The benchmark of the rules counts what is noted as a careful reader would."""

import json
from pathlib import Path

import pytest
from learning.rules import CONVERSATIONS, DATA, ROWS, Note, Statement, load, report

from sagacity.domain.change import Candidate
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import MemoryKind

NUTS = {"kind": "fact", "has": ["allerg", "nut"]}
SAMPLE = [
    {"turns": [{"role": "User", "text": "I'm allergic to nuts."}], "notes": [NUTS]},
    {"turns": [{"role": "User", "text": "I live in Oslo."}], "notes": [{"kind": "fact", "has": ["bergen"]}]},
    {"turns": [{"role": "User", "text": "Please stop using emojis."}], "notes": []},
    {"turns": [{"role": "User", "text": "what is the capital of Peru?"}], "notes": []},
]


def memory(content: str, trigger: str | None = None) -> Candidate:
    return Candidate(kind=MemoryKind.PROFILE, content=content, trigger=trigger, evidence=(InteractionId(1),))


def statement(text: str) -> Statement:
    return Statement(turns=(("User", text),), notes=())


def test_a_note_asks_for_words_whatever_their_case_and_accents() -> None:
    """Each pattern begins a word of what was noted."""
    note = Note("fact", ("joao|hugo", "lives?"))
    assert note.matches("fact", memory("Her friend João lives there."))
    assert not note.matches("fact", memory("Her friend Marjoao lives there."))
    assert not note.matches("fact", memory("João was mentioned."))
    assert not note.matches("instruction", memory("João lives there."))


def test_a_note_forbids_words_in_what_is_noted_but_not_in_its_trigger() -> None:
    """The old home is wrong as a fact, and no harm where it says when a rule applies."""
    note = Note("fact", ("portland",), lacks=("boston",))
    assert note.matches("fact", memory("Lives in Portland.", trigger="Asked about Boston"))
    assert not note.matches("fact", memory("Lives in Portland and Boston."))


def test_a_note_may_ask_for_any_word_that_denies() -> None:
    """`~` is one of them, in whatever language."""
    note = Note("fact", ("pork|schwein", "~"))
    assert note.matches("fact", memory("Doesn't eat pork."))
    assert note.matches("fact", memory("Isst kein Schweinefleisch."))
    assert not note.matches("fact", memory("Likes pork."))


def test_how_answers_are_wanted_may_be_either_kind() -> None:
    """A wish about the manner is right as a fact and as an instruction."""
    note = Note("manner", ("short",))
    assert all(note.matches(kind, memory("Prefers short answers.")) for kind in ("fact", "instruction"))


async def test_a_table_counts_what_is_found_missed_and_wrong(tmp_path: Path) -> None:
    """Of two labelled facts one is found; of three proposals one is right; one of two quiet turns stays quiet."""
    (tmp_path / "en.jsonl").write_text("\n".join(json.dumps(row) for row in SAMPLE))
    *_, score = await report("all", show=True, data=tmp_path)
    facts, instructions = score.tallies["fact"], score.tallies["instruction"]
    assert (facts.labelled, facts.found, facts.proposed, facts.right) == (2, 1, 2, 1)
    assert (instructions.labelled, instructions.proposed, instructions.right) == (0, 1, 0)
    assert (score.statements, score.teach_nothing, score.quiet) == (4, 2, 1)
    assert (len(score.missed), len(score.wrong)) == (1, 2)


def test_the_half_of_a_statement_depends_on_its_text_alone(tmp_path: Path) -> None:
    """A line that is added, or whose notes change, moves no other."""
    path = tmp_path / "en.jsonl"
    path.write_text("\n".join(json.dumps(row | {"notes": []}) for row in reversed(SAMPLE)))
    halves = {item.text: item.is_held_out for item in load(path)}
    assert halves == {
        row["turns"][0]["text"]: statement(row["turns"][0]["text"]).is_held_out for row in SAMPLE
    }
    assert set(halves.values()) == {True, False}


def test_the_labels_are_as_many_as_they_should_be() -> None:
    """Hundreds teach something, as many nothing; each row of the table has its share of both, and of both halves."""
    statements = {path.stem: load(path) for path in DATA.glob("*.jsonl")}
    everything = [item for items in statements.values() for item in items]
    assert set(statements) == {name for parts in ROWS.values() for name in parts} | {CONVERSATIONS}
    assert len({item.turns for item in everything}) == len(everything)
    assert sum(bool(item.notes) for item in everything) >= 400
    assert sum(not item.notes for item in everything) >= 400


@pytest.mark.parametrize(
    ("row", "least"),
    [("English", 200), ("German", 50), ("French", 50), ("Spanish", 50), ("Portuguese", 50)],
)
def test_a_language_has_labels_of_both_sorts_in_both_halves(row: str, least: int) -> None:
    """At least as many teach something, and as many nothing; a quarter of each is in either half."""
    items = [item for name in ROWS[row] for item in load(DATA / f"{name}.jsonl")]
    for teaches in (True, False):
        held_out = [item.is_held_out for item in items if bool(item.notes) == teaches]
        assert len(held_out) >= least
        assert min(sum(held_out), len(held_out) - sum(held_out)) * 4 >= len(held_out)
