"""Hostile text: never an exception, never garbage, never without end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.learning.rules.playbook import playbook_candidates
from sagacity.learning.rules.profile import profile_candidates
from support.hang_guard import ending
from unit.learning.rules.turns import said

SIZE = 100_000

ADVERSARIAL = [
    "a" * SIZE,
    " " * SIZE,
    "I " * (SIZE // 2),
    "I'm " * (SIZE // 4),
    '"' * SIZE,
    "'a " * (SIZE // 3),
    "<a>" * (SIZE // 3),
    "<" * SIZE,
    "my sister " * (SIZE // 10),
    "please always " * (SIZE // 14),
    "and, but, so, " * (SIZE // 14),
    "By the way, also, " * (SIZE // 18),
    "I like " + "a " * (SIZE // 2),
    "when you " * (SIZE // 9),
    "in the future " * (SIZE // 14),
    "My name is " + "A" * SIZE,
    "My name is " + "A b " * (SIZE // 4),
    "\n" * SIZE,
    "- x:\n" * (SIZE // 5),
    ". " * (SIZE // 2),
    "?!" * (SIZE // 2),
    "\u202e\u0000\ufffd" * (SIZE // 3),
    "Summarize " * (SIZE // 10),
    "I live in Rome. " * (SIZE // 16),
    ("I have been " + "writing " * 60 + "for. ") * (SIZE // 500),
    *(
        f"{begun}{mark * 40}x"
        for begun in (
            *("I like coffee", "Please always answer with tables", "Ich mag Kaffee"),
            *("J'aime le café", "Me gusta el café", "Eu gosto de café"),
        )
        for mark in ("-", ".-", ", ")
    ),
    f"My hair is {'naturally ' * 40}x",
    f"I'm a {'big diehard ' * 40}x",
    f"We have an interview for {'a' * 550}",
    f"I have a dentist appointment with {'-&' * 250}",
    f"I have a trip to {'a.' * 270}",
    f"Apples are one of my favourites {'a' * 550}~",
]


@pytest.mark.parametrize("text", ADVERSARIAL, ids=lambda text: repr(text[:16] + text[-4:]))
def test_adversarial_text_is_read_to_its_end(text: str) -> None:
    """A hundred thousand characters made for backtracking are no trap."""
    with ending():
        found = (*profile_candidates(said("Hi", text)), *playbook_candidates(said("Hi", text)))
    assert all(len(candidate.content) < 400 for candidate in found)


@pytest.mark.parametrize(
    "text",
    [f"I'd really prefer it if you told me before you x-{' ' * 540}x\n" * 30, f"comme{chr(10) * 19_000}nts"],
    ids=["spaces", "lines"],
)
def test_blanks_are_read_to_their_end(text: str) -> None:
    """A window of turns that are nothing but blanks between two words takes no minutes."""
    with ending():
        turns = said("Hi", *[text] * 20)
        found = (*profile_candidates(turns), *playbook_candidates(turns))
    assert all(len(candidate.content) < 400 for candidate in found)


@given(st.text(max_size=400))
def test_any_text_is_survived(text: str) -> None:
    """No text raises, and every candidate has content and evidence."""
    for candidate in (*profile_candidates(said(text)), *playbook_candidates(said(text))):
        assert candidate.content.strip()
        assert candidate.evidence == (10,)


@pytest.mark.parametrize(
    "text",
    [
        "undefined",
        "../../../../../etc/passwd",
        "' OR 1=1 -- 1",
        "<script>alert('my name is Bob')</script>",
        "{{ my name is Bob }}",
        "{0}",
        "%s %n %x",
        "\u0000",
        "👾 🙇 💁 🙅",
        "ﾟ･✿ヾ╲(｡◕‿◕｡)╱✿･ﾟ",
        "찦차를 타고 온 펲시맨과 쑛다리 똠방각하",
        "הָיְתָהtestالصفحات التّحول",
        "If you're reading this, you've been in a coma for almost 20 years now.",
        "I'm {name} from {place}.",
    ],
)
def test_naughty_strings_teach_nothing(text: str) -> None:
    """Noise is not knowledge."""
    assert profile_candidates(said(text)) == ()
    assert playbook_candidates(said(text)) == ()


def test_braces_in_a_fact_are_kept() -> None:
    """Captured text is never taken for a template."""
    (candidate,) = profile_candidates(said("I prefer {curly} braces over tabs."))
    assert candidate.content == "Prefers {curly} braces over tabs."
