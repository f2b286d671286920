"""Who vouches for what: quotations, questions, suppositions and reports are told from statements."""

import pytest

from sagacity.learning.rules.sentences import MAX_SENTENCE, Sentence, Stance, split_sentences


def stated(text: str) -> list[str]:
    return [
        sentence.text[clause.start :]
        for sentence in split_sentences(text)
        for clause in sentence.clauses
        if clause.stance is Stance.STATED
    ]


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def test_sentences_are_cut_at_punctuation_and_not_at_abbreviations() -> None:
    """A title, an initial or a decimal does not end a sentence."""
    assert texts("I saw Dr. Lee at 3.5 km. Then I left!") == ["I saw Dr. Lee at 3.5 km.", "Then I left!"]


def test_sentences_of_other_scripts_are_kept_as_they_are() -> None:
    """Text passes through; only the cuts are ours."""
    text = "私の名前は花子です。東京に住んでいます。"
    assert "".join(texts(text)) == text
    assert texts("Меня зовут Анна. Я живу в Риге.") == ["Меня зовут Анна.", "Я живу в Риге."]
    assert texts("اسمي ليلى.") == ["اسمي ليلى."]


@pytest.mark.parametrize(
    "text",
    [
        "```\nalways use tabs\n```",
        "> always use tabs",
        '"Always use tabs. I live in Rome."',
        "Here is the email:\n\nI live in Rome.",
        "Please summarize this: I live in Rome.",
        "Subject: hello\nI live in Rome.",
        "<page>I live in Rome.</page>",
        "here's the log: I live in Rome\nwhy does it fail?",
        "It fails:\n2026-03-01 12:00:01 ERROR user=anna: I live in Rome.",
        "[2026-03-01T12:00:01Z] I live in Rome.",
        "ERROR I live in Rome.",
        "ValueError: always use tabs",
        "2026-03-01, 12:00 - Anna: I live in Rome.",
    ],
)
def test_material_is_not_speech(text: str) -> None:
    """Code, quotations, pasted text and tagged text vouch for nothing."""
    assert not any("Rome" in said or "tabs" in said for said in stated(text))


@pytest.mark.parametrize(
    "text",
    [
        "2026 was a good year, I live in Rome.",
        "Errors bore me, I live in Rome.",
        "12:30 is too early. I live in Rome.",
        "Info for you: I live in Rome.",
        "Here's the thing: I live in Rome.",
    ],
)
def test_what_only_begins_like_material_is_speech(text: str) -> None:
    """A line of a log begins with a day and a time, or with a level."""
    assert any("Rome" in said for said in stated(text))


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("Do I live in Boston?", Stance.ASKED),
        ("should I always use tabs", Stance.ASKED),
        ("If I lived in Boston, I would walk.", Stance.SUPPOSED),
        ("Imagine I live in Boston.", Stance.SUPPOSED),
        ("Write a story where I am a king.", Stance.SUPPOSED),
        ("Let's say I am vegan.", Stance.SUPPOSED),
    ],
)
def test_stance_of_the_first_clause(text: str, stance: Stance) -> None:
    """Questions ask, conditions suppose."""
    assert split_sentences(text)[0].clauses[0].stance is stance


def test_fact_before_a_question_is_stated() -> None:
    """What comes before the question in the same sentence still counts."""
    assert "I just moved to Austin, do you know any cafes?" in stated(
        "I just moved to Austin, do you know any cafes?"
    )
    assert "do you know any cafes?" not in stated("I just moved to Austin, do you know any cafes?")


def test_reported_speech_is_not_stated() -> None:
    """What a friend says is the friend's."""
    assert stated("My friend says, always use tabs.") == ["My friend says, always use tabs."]


def test_invention_reaches_to_the_end_of_the_turn() -> None:
    """After a request for fiction, the first person is a character."""
    sentences = split_sentences("Write me a short story. I am a baker. I live in Rome.")
    assert {clause.stance for sentence in sentences for clause in sentence.clauses} == {Stance.SUPPOSED}


def test_long_sentence_is_skipped() -> None:
    """Beyond the limit nothing is read, before and after it everything."""
    text = f"I am here. {'x ' * MAX_SENTENCE}. I am there."
    assert [sentence.text for sentence in split_sentences(text)] == ["I am here.", "I am there."]


def test_empty_text_has_no_sentences() -> None:
    """Nothing in, nothing out."""
    assert split_sentences("") == ()
    assert split_sentences(" \n ") == ()


def test_clause_starts_lie_inside_the_sentence() -> None:
    """Every clause can be matched from its start."""
    sentence: Sentence = split_sentences("Hi, well, I am Ana, and I live here - but not long.")[0]
    assert all(0 <= clause.start < len(sentence.text) for clause in sentence.clauses)
    assert [clause.start for clause in sentence.clauses] == sorted(
        {clause.start for clause in sentence.clauses}
    )
