"""A question taken apart."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.analysis import Intent, QueryAnalysis, Speaker, TimeKind
from sagacity.domain.memory import MemoryKind
from sagacity.retrieval.query.analyze import READ_CHARACTERS, analyze

NOW = datetime(2023, 5, 30, 12, tzinfo=UTC)
PLAYBOOKS = (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL)


def of(text: str) -> QueryAnalysis:
    return analyze(text, now=NOW)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Do you remember my dog?", Intent.RECALL),
        ("What did I buy?", Intent.RECALL),
        ("When did I book it?", Intent.RECALL),
        ("Fix it as we discussed", Intent.RECALL),
        ("My favourite colour", Intent.RECALL),
        ("our choice", Intent.RECALL),
        ("Can you remind me what the sealant was?", Intent.RECALL),
        ("Woran erinnerst du dich?", Intent.RECALL),
        ("Write a poem", Intent.COMMAND),
        ("  CREATE a list", Intent.COMMAND),
        ("Please add milk", Intent.COMMAND),
        ("Could you help with it?", Intent.COMMAND),
        ("Where does Sarah work?", Intent.QUESTION),
        ("What's up", Intent.QUESTION),
        ("Could you see it?", Intent.QUESTION),
        ("Sarah works where?", Intent.QUESTION),
        ("莎拉在哪里工作？", Intent.QUESTION),
        ("أين تعمل سارة؟", Intent.QUESTION),
        ("Please explain it", Intent.QUESTION),
        ("Wo arbeitet Anna", Intent.QUESTION),
        ("I like tea", Intent.CONVERSATION),
        ("Remind me to call Bob", Intent.CONVERSATION),
        ("A soldier's forehead, unsaid", Intent.CONVERSATION),
        ("Adder and builder", Intent.CONVERSATION),
        ("", Intent.CONVERSATION),
    ],
)
def test_intent_is_the_first_that_fits(text: str, intent: Intent) -> None:
    """Recall, command, question, conversation, in this order and by whole words."""
    assert of(text).intent is intent


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("I like tea", 0.5),
        ("Where?", 0.65),
        ("Where does Sarah usually work?", 0.85),
        ("What did Sarah say?", 0.7),
        ("Which vintage camera and lens did Sarah Miller buy", 0.95),
        (" ".join(f"word{n}" for n in range(31)), 0.6),
    ],
)
def test_confidence_is_the_contracts(text: str, confidence: float) -> None:
    """Half, more by intent and keywords, more for a handy length and less beyond."""
    assert of(text).confidence == confidence


@pytest.mark.parametrize(
    "text",
    [
        "Where does Sarah work?", "Do you know me?", "me?", "How do I set up mysql?", "What is the capital of France?",
        "Write a poem", "yes", "Good morning, Sarah", "Thanks, what else did I ask?", "Translate it the usual way: hello",
        "Summarize this: Sarah called on Monday", "Rewrite this in my style: hello there", "Translate this to French",
        "2023-03-05", "03/05/2023", "42", "555-1234", "What is 2?", "🎉", "?", "Proofread: the report from last week",
        "I like tea", "ok Sarah", "你好吗", "that one", "no thanks", "Does that work?", "Great, that works.",
    ],
)  # fmt: skip
def test_memory_is_asked_when_in_doubt(text: str) -> None:
    """Whatever could touch on a person or on the past reaches memory."""
    assert of(text).requires_memory


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "Hi!", "hello", "Thank you very much!", "ok", "OK, cool.", "Good morning", "Danke", "bye bye",
        "ok, see you later", "see you later", "Merci beaucoup", "Muchas gracias", "Boa noite",
        "What's 2+2?", "2 + 2 =", "what is 15% of 80", "(3*4) / 2", "12 times 12?", "Wie viel ist 3 mal 4?",
        "Translate to French: the cat sat on the mat", "Please summarise this text:\ncats sit on mats",
        "Convert to JSON: a, b, c",
    ],
)  # fmt: skip
def test_memory_is_left_out_of_what_clearly_needs_none(text: str) -> None:
    """Greetings and thanks alone, mere arithmetic, and a command on a text that comes with it."""
    assert not of(text).requires_memory


def test_a_name_of_the_graph_makes_a_text_personal() -> None:
    """Also in lower case, and in a text that is given."""
    text = "Translate to French: luna sat on the mat"
    assert not analyze(text, now=NOW).requires_memory
    assert analyze(text, now=NOW, names=["luna"]).requires_memory


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            "Do you remember it?",
            (MemoryKind.EPISODIC, MemoryKind.SEMANTIC, MemoryKind.PROFILE, *PLAYBOOKS),
        ),
        ("Where does Sarah work?", (MemoryKind.SEMANTIC, MemoryKind.PROFILE)),
        ("How should I deploy?", (MemoryKind.SEMANTIC, MemoryKind.PROFILE, *PLAYBOOKS)),
        ("What are the next steps?", (MemoryKind.SEMANTIC, MemoryKind.PROFILE, *PLAYBOOKS)),
        ("How many dogs are there?", (MemoryKind.SEMANTIC, MemoryKind.PROFILE)),
        ("Which show is it?", (MemoryKind.SEMANTIC, MemoryKind.PROFILE)),
        ("Write a poem", (*PLAYBOOKS, MemoryKind.PROFILE)),
        ("I like tea", (MemoryKind.EPISODIC, MemoryKind.SEMANTIC, MemoryKind.PROFILE)),
    ],
)
def test_kinds_follow_the_intent(text: str, kinds: tuple[MemoryKind, ...]) -> None:
    """Most likely first; "show" is no "how"."""
    assert of(text).memory_types_needed == kinds


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("What did you recommend?", Speaker.AGENT),
        ("Remind me what you said about it", Speaker.AGENT),
        ("What was your suggestion?", Speaker.AGENT),
        ("The languages you recommended I learn?", Speaker.AGENT),
        ("I told you I like tea. What did you suggest?", Speaker.AGENT),
        ("What did I say about it?", Speaker.USER),
        ("As I told you, it is red", Speaker.USER),
        ("You mentioned a sealant. What did I tell you then?", Speaker.USER),
        ("Can you recommend a film?", None),
        ("What did Sarah say?", None),
        ("Where did I go?", None),
        ("my messages", None),
    ],
)
def test_speaker_is_whose_words_are_asked_for(text: str, speaker: Speaker | None) -> None:
    """A direct question decides before what is merely told."""
    assert of(text).speaker is speaker


def test_everything_is_told_of_one_question() -> None:
    """All fields of a question that has them all."""
    text = "What did you say about 'Dune' to @tom and SARAH last week, not Anna?"
    found = analyze(text, now=NOW, names=["Sarah"])
    assert found.original_query == text
    assert found.reference_at == NOW
    assert found.phrases == ("Dune",)
    assert found.topics == ("dune",)
    assert found.entities_mentioned == ("Sarah", "@tom", "Dune", "Anna")
    assert found.negated == ("anna",)
    assert found.time_reference is not None
    assert found.time_reference.kind is TimeKind.WEEK
    assert {"dune", "tom", "sarah", "last", "week", "anna"} <= set(found.keywords)


def test_typographic_apostrophes_read_as_plain_ones() -> None:
    """What a phone writes gives what a keyboard does."""
    plain, curly = of("What's my sister's name?"), of("What’s my sister’s name?")
    assert plain == curly.model_copy(update={"original_query": plain.original_query})


def test_a_reference_date_without_zone_is_a_callers_bug() -> None:
    """Days cannot be told without one."""
    with pytest.raises(ValueError, match="no time zone"):
        analyze("today", now=datetime(2023, 5, 30))  # noqa: DTZ001


PIECES = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            [
                "last",
                "week",
                "my",
                "birthday",
                "'",
                '"',
                "@anna",
                "Dr.",
                "without",
                "about",
                "you said",
                "2+2",
                "\x00",
            ]
        ),
    ),
    max_size=20,
).map(" ".join)


@given(PIECES, st.lists(st.text(max_size=8), max_size=3))
def test_any_text_is_taken_apart(text: str, names: list[str]) -> None:
    """No text fails, fields are bounded, and everything that is told is in the text or in the graph."""
    found = analyze(text, now=NOW, names=names)
    lower = text.replace("_", " ").lower()
    assert found.original_query == text
    assert 0 <= found.confidence <= 1
    assert all(word in lower for word in found.keywords)
    assert all(phrase in text for phrase in found.phrases)
    assert all(name in text or name in names for name in found.entities_mentioned)
    assert len(found.entities_mentioned) <= 10
    assert len(found.negated) <= 10
    assert len(found.topics) <= 10
    assert found.memory_types_needed


HOSTILE = ["'", '"', "“", "„", "@", "@a", "A", "a'", "A ", "Dr.", "1/", "1-", "1.", "1,", "(", "2+", "last ", "the ",
           "a 2 of ", "how ", "you ", "i ", "not ", "about ", "what is ", "?", "¿ ", "\x00", "🎉", "مر", "猫", "\u0301",
           "please translate ", "WEEK before ", "in the last ", "anna's "]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_repetitions_are_read_to_a_bound(piece: str) -> None:
    """Twenty thousand characters are taken apart like their beginning, and kept whole."""
    text = piece * (20_000 // len(piece))
    found = of(text)
    assert found.original_query == text
    shorter = of(text[:READ_CHARACTERS])
    assert found == shorter.model_copy(update={"original_query": text})
