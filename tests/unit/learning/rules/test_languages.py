"""Statements in other languages: what is learned of them, and what is not."""

import json
from pathlib import Path

import pytest

from sagacity.learning.rules.languages.detect import ENGLISH, language_of, unread_language
from sagacity.learning.rules.languages.load import LANGUAGES, load_language
from sagacity.learning.rules.languages.read import facts_in, instructions_in
from sagacity.learning.rules.playbook import playbook_candidates
from sagacity.learning.rules.profile import profile_candidates
from support.hang_guard import ending
from unit.learning.rules.turns import said

SETS = Path(__file__).parent / "languages"
SIZE = 100_000
PARTS = 4
"""Of the hostile texts of a language; they take seconds each."""


def _lines(code: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (SETS / f"{code}.jsonl").read_text(encoding="utf-8").splitlines()]


EVERY = [(code, line) for code in LANGUAGES for line in _lines(code)]


@pytest.mark.parametrize(("code", "line"), EVERY, ids=lambda value: str(value)[:40])
def test_each_line_teaches_what_it_says(code: str, line: dict[str, object]) -> None:
    """A statement becomes its memory, in its own language; a question, a task or a story becomes none."""
    text = str(line["said"])
    assert [draft.content for draft in facts_in(code, text)] == line["facts"]
    assert [told.draft.content for told in instructions_in(code, text)] == line["rules"]


@pytest.mark.parametrize("code", LANGUAGES)
def test_lines_are_enough(code: str) -> None:
    """A language has sixty statements and forty sentences that teach nothing."""
    teaching = [line for line in _lines(code) if line["facts"] or line["rules"]]
    assert len(teaching) >= 60
    assert len(_lines(code)) - len(teaching) >= 40


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_statement_is_told_apart_by_its_language(code: str) -> None:
    """The commonest words tell what language a sentence is in; a few say too little to tell."""
    teaching = [str(line["said"]) for line in _lines(code) if line["facts"] or line["rules"]]
    missed = [text for text in teaching if language_of(text) != code]
    assert len(missed) <= len(teaching) // 25, missed


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_row_compiles(code: str) -> None:
    """No row is broken, also those that no line of the set uses."""
    table = load_language(code)
    for row in (*table.facts, *table.instructions):
        assert all(pattern.pattern for pattern in row.patterns)
        assert row.refuse is None or row.refuse.pattern


def test_a_short_turn_is_read_in_the_language_of_those_beside_it() -> None:
    """ "Emojis: nein" alone tells no language; what the user said before does."""
    assert language_of("Python, Docker", "Ich wohne in Hamburg und arbeite viel.") == "de"
    assert language_of("Python, Docker") == ENGLISH


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("im engaged!! getting married in september next year", ENGLISH),
        ("call me Dr. Banerjee", ENGLISH),
        ("I'm vegan now, since January actually.", ENGLISH),
        ("unser Hund heißt Balu", "de"),
        ("on peut se tutoyer ?", "fr"),
        ("arrête de t'excuser", "fr"),
        ("pregúntame antes de reservar nada", "es"),
        ("Me he mudado a Madrid", "es"),
        ("he comprado un coche", "es"),
        ("He had a car and he loved it", ENGLISH),
        ("he likes avocado", ENGLISH),
        ("me pergunta antes de reservar qualquer coisa", "pt"),
        ("tomo losartana toda manhã", "pt"),
        ("seja breve pfv", "pt"),
    ],
)
def test_few_words_tell_the_language(text: str, code: str) -> None:
    """Words that several languages have say less than those of one; letters of one language say as much as a word."""
    assert language_of(text) == code


def test_a_quoted_exclamation_ends_no_sentence() -> None:
    """ "ich hasse es, wenn du mit "Natürlich!" anfängst" goes on after the quotation."""
    (told,) = instructions_in("de", 'ich hasse es, wenn du mit "Natürlich!" anfängst. Danke.')
    assert told.draft.content == 'Der Nutzer mag es nicht, wenn du mit "Natürlich!" anfängst.'


def test_a_rule_that_is_liked_is_not_disliked() -> None:
    """ "ich mag es, wenn" and "ich mag es nicht, wenn" are opposites; "nenne" names nobody, and 1,80 is no age."""
    (told,) = instructions_in("de", "ich mag es, wenn du Beispiele bringst")
    assert told.draft.content == "Der Nutzer mag es, wenn du Beispiele bringst."
    assert not list(facts_in("de", "Wenn ich nach Rezepten frage, nenne vegane Alternativen."))
    assert [fact.slot for fact in facts_in("de", "ich bin 1,80 groß")] == ["body.1_80_gross"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Mi chiamo Luca e abito a Milano con mia moglie.", "it"),
        ("Ik woon in Utrecht en ik heb een hond.", "nl"),
        ("Mieszkam w Krakowie i nie jem mięsa.", "pl"),
        ("Я живу в Москве.", "ru"),
        ("私は東京に住んでいます。", "ja"),
        ("我住在北京。", "zh"),
        ("I live in Berlin and my name is Hans.", ""),
        ("Ich wohne in Hamburg.", ""),
        ("ok", ""),
        ("", ""),
    ],
)
def test_unread_language_is_said(text: str, code: str) -> None:
    """A receipt can say why nothing was learned."""
    assert unread_language(said(text)) == code


def test_candidates_are_in_the_language_of_the_user() -> None:
    """What was said in German is noted in German, in the same slots as in English, newest last."""
    homes = profile_candidates(said("Ich wohne in Hamburg.", "Ich bin gerade nach Leipzig gezogen."))
    assert [(home.content, home.slot, home.exclusive) for home in homes] == [
        ("Wohnt in Leipzig.", "location.home", True)
    ]
    (rule,) = playbook_candidates(said("Wenn ich nach Rezepten frage, gib immer vegane Alternativen an."))
    assert rule.content == "Gib immer vegane Alternativen an."
    assert rule.trigger == "Wenn der Nutzer nach Rezepten fragt"


def test_english_rules_do_not_read_other_languages() -> None:
    """ "Im" is German for "in the", not "I'm"."""
    assert profile_candidates(said("Im Urlaub, das war schön, und ich hab viel gelesen.")) == ()


@pytest.mark.parametrize(
    ("code", "part"),
    [
        pytest.param(code, part, marks=() if (code, part) == (LANGUAGES[0], 0) else pytest.mark.full)
        for code in LANGUAGES
        for part in range(PARTS)
    ],
)
def test_hostile_text_is_read_to_its_end(code: str, part: int) -> None:
    """The words of every pattern, a hundred thousand characters long, are no trap."""
    texts = [str(line["said"]).rstrip(".!? ") for line in _lines(code)]
    with ending():
        for text in texts[::12][part::PARTS]:
            stem = " ".join(text.split()[:2]) + " "
            for hostile in (stem * (SIZE // len(stem)), (stem + "a " * 280 + ". ") * 180, stem + "a, " * 190):
                assert all(len(it.content) < 400 for it in profile_candidates(said(hostile, text)))
                assert all(len(it.content) < 400 for it in playbook_candidates(said(hostile, text)))
