"""Names in questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.graph import EntityMention
from sagacity.retrieval.query.names import name_candidates, names_in


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Where does Sarah work?", "Sarah"),
        ("where does sarah work", "Sarah"),
        ("WHERE DOES SARAH WORK", "Sarah"),
        ("What is Sarah's dog called?", "sarah"),
        ("What is Sarah’s dog called?", "Sarah"),
        ("How is James' knee?", "James"),
        ("Did I eat at McDonald's?", "McDonald's"),
        ("How often do I see Dr. Johnson?", "Dr. Johnson"),
        ("my account at the bank of america, is it open?", "Bank of  America"),
        ("Do I live in Washington D.C.?", "Washington D.C."),
        ("I work for Acme Inc.", "Acme Inc."),
        ("Anna—my sister", "Anna"),
        ("with Anna/Bob", "Bob"),
        ("Did I see AC/DC?", "AC/DC"),
        ("Who sang at the Beatles night?", "The Beatles"),
        ("ask @anna about it", "anna"),
        ("ask @anna about it", "@anna"),
        ("Do I know C++?", "C++"),
        ("Где работает Анна?", "Анна"),
        ("Straße in GROSSGERAU", "großgerau"),
        ("李明在哪里工作?", "李明"),
        ("أين تعمل سارة؟", "سارة"),
        ("¿Dónde vive José?", "josé"),
    ],
)
def test_a_name_of_the_graph_is_among_the_candidates(text: str, name: str) -> None:
    """Candidates are normalised as the graph's names are."""
    assert EntityMention(name=name).normalized_name in name_candidates(text)


def test_stop_words_alone_and_clauses_apart_are_no_candidates() -> None:
    """What cannot be a name is not asked for."""
    found = name_candidates("What is the dog, Anna?")
    assert "anna" in found
    assert "dog" in found
    assert not {"what", "is", "the", "what is", "what is the", "dog, anna"} & set(found)


def test_likely_names_come_first_and_are_bounded() -> None:
    """In a long text names are asked for before other words."""
    text = " ".join(f"word{n} other{n}" for n in range(150)) + " of Anna Miller here"
    found = name_candidates(text)
    assert len(found) == len(set(found)) == 200
    assert {"anna", "miller", "anna miller"} < set(found[:10])


LETTERS = st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Po", "Zs", "Cc"], max_codepoint=0x06FF)


@given(st.text(LETTERS, max_size=300))
def test_any_text_gives_bounded_candidates_in_normal_form(text: str) -> None:
    """Whatever the text, candidates are few, different and as the graph keeps names."""
    found = name_candidates(text)
    assert len(found) == len(set(found)) <= 200
    assert all(
        candidate and candidate == EntityMention(name=candidate).normalized_name for candidate in found
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does Sarah work?", ("Sarah",)),
        ("What's up?", ()),
        ("What's Sarah's job?", ("Sarah",)),
        ("Did Sarah Miller meet Dr. Johnson of IBM?", ("Sarah Miller", "Dr. Johnson", "IBM")),
        ("@anna and bob@example.org wrote to @tom_k.", ("@anna", "@tom_k")),
        ("Anna's dog. Tom's cat", ("Anna", "Tom")),
        ("Tell me what I did. Then stop", ()),
        ("Где живёт Анна?", ("Анна",)),
        ("Πού μένει η Μαρία;", ("Μαρία",)),
        ("What did I do on Sunday in March?", ()),
        ("WHERE IS IT?", ()),
        ("where does sarah work", ()),
        ("Anna, Bob and Anna", ("Anna", "Bob")),
    ],
)
def test_what_looks_like_a_name_is_mentioned(text: str, expected: tuple[str, ...]) -> None:
    """Handles and capitals; the first word of a sentence only if it means nothing else."""
    assert tuple(name for name in names_in(text, ()) if name not in {"Где", "Πού"}) == expected


def test_names_of_the_graph_come_first_and_once() -> None:
    """As they are kept there, whatever the question writes."""
    assert names_in("Did ROME or Sarah or Tom call sarah?", ["sarah"]) == ("sarah", "ROME", "Tom")


def test_mentioned_names_are_at_most_ten() -> None:
    """The contract's number."""
    text = ", ".join(f"of A{chr(97 + n)}b" for n in range(26))
    assert len(names_in(text, ["Zed"])) == 10
    assert names_in(text, ["Zed"])[0] == "Zed"
