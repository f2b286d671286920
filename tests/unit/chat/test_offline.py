"""What is answered without a model: to questions what answers them, to what is only told that it is kept."""

import pytest

from sagacity.chat.offline import best, extractive_answer
from sagacity.domain.caution import cautions_touched
from sagacity.domain.chat import EXTRACTIVE_MARKS, is_extractive
from sagacity.domain.context import Context, ContextItem, Section, SectionName

FOUND, NOTHING, NOT_SEARCHED, KEPT, OFF, NEAREST, UNKNOWN, FORGOTTEN, NOT_ALL = EXTRACTIVE_MARKS


def item(citation: str, said: str, relevance: float | None = 0.5, kind: str = "profile") -> ContextItem:
    return ContextItem(
        citation=citation,
        kind=kind,
        item_id=citation.partition(":")[2],
        text=f"- [{citation}] 2026-05-01{' user' if kind == 'interaction' else ''}: {said}",
        tokens=10,
        relevance=relevance,
    )


def context_of(*items: ContextItem) -> Context:
    section = Section(name=SectionName.PROFILE, tokens=10, budget_tokens=100, items=items)
    return Context(text="", total_tokens=10, truncated=False, sections=(section,))


PRAWNS = item("p:1", "Likes prawns.", 0.9)
ALLERGY = item("p:2", "Is allergic to prawns.", 0.2)
PORTO = item("p:3", "Lives in Porto.", 0.6)
ASKED = item("i:4", "Where do I live? And since when?", 0.8, "interaction")
SAID = item("i:5", "What a day! I moved to Porto.", 0.7, "interaction")


def test_what_must_not_be_missed_is_quoted_first() -> None:
    """However well something else fits the question."""
    answer = extractive_answer("Can I eat prawns?", context_of(PRAWNS, ALLERGY))
    assert answer.splitlines()[1:] == [
        "- 2026-05-01: Is allergic to prawns. [p:2]",
        "- 2026-05-01: Likes prawns. [p:1]",
    ]


def test_what_must_not_be_missed_is_quoted_also_if_no_strategy_found_it() -> None:
    """Nobody may be cooked prawns because of a bad score."""
    unfound = ALLERGY.model_copy(update={"relevance": None})
    assert list(best(context_of(unfound), cautions_touched("What should I cook tonight?"))) == [unfound]


def test_what_nothing_says_to_be_relevant_answers_nothing() -> None:
    """What is only new, or only of the profile, is no answer."""
    recent = item("p:6", "Has a cat.", None)
    assert NOTHING in extractive_answer("Where is my passport?", context_of(recent))
    assert NOT_SEARCHED in extractive_answer("Where is my passport?", context_of(recent), is_whole=False)


@pytest.mark.parametrize("message", ["Where is my passport?", "I moved to Porto."])
def test_nothing_is_said_to_be_unknown_or_kept_where_memory_is_off(message: str) -> None:
    """Nobody looked, and perhaps nothing is kept."""
    answer = extractive_answer(message, context_of(), is_off=True)
    assert answer == f"No language model is configured, {OFF}"
    assert is_extractive(answer)


def test_a_turn_that_only_asks_answers_nothing() -> None:
    """The same question of last week is the best match of all, and says nothing."""
    answer = extractive_answer("Where do I live?", context_of(ASKED, SAID, PORTO))
    assert answer.splitlines()[1:] == [
        "- 2026-05-01, you said: What a day! I moved to Porto. [i:5]",
        "- 2026-05-01: Lives in Porto. [p:3]",
    ]


@pytest.mark.parametrize(
    "message",
    [
        "Right. I met a lady here, Ruth.",
        "I signed up to run a birdhouse class",
        "My sister is in town.",
        "I think I will stay in.",
        "Ich war gestern in Porto.",
        "Je suis à Porto.",
        "Estoy en Porto.",
        "Estou no Porto.",
        "Ella started piano and Max wants a puppy.",
        "Tom started at Quay last week!",
        "Meine Enkelin Lena studiert in Porto Biologie.",
        "Meine Nachbarin heißt Frau Schmidt.",
    ],
)
def test_what_is_only_told_is_kept(message: str) -> None:
    """Whoever tells something has not asked for what resembles it."""
    answer = extractive_answer(message, context_of(PORTO, PRAWNS))
    assert answer == f"No language model is configured, {KEPT}"
    assert is_extractive(answer)


@pytest.mark.parametrize(
    "message",
    [
        "Thanks!",
        "Thanks, that helps!",
        "Thanks, you're great",
        "cool cool, cheers mate",
        "Danke, schönen Tag noch!",
        "thank you, very helpful",
        "Great, that works.",
        "Good morning",
        "ok, see you later",
        "Danke, das hilft!",
        "Merci beaucoup, bonne soirée",
        "Muchas gracias, perfecto",
        "Muito obrigada, boa noite",
    ],
)
def test_courtesies_ask_for_nothing(message: str) -> None:
    """Whoever says thanks wants no memories that resemble it."""
    answer = extractive_answer(message, context_of(PORTO, PRAWNS))
    assert answer == f"No language model is configured, {KEPT}"


@pytest.mark.parametrize(
    ("message", "says"),
    [("Forget what I said about prawns", FORGOTTEN), ("Forget everything", NOT_ALL)],
)
def test_what_is_to_be_forgotten_is_not_quoted(message: str, says: str) -> None:
    """Not even an allergy; it is said what becomes of it, and how to delete more."""
    answer = extractive_answer(message, context_of(PRAWNS, ALLERGY))
    assert answer.startswith(f"No language model is configured, {says} ")
    assert "prawns" not in answer
    assert "/forget" in answer
    assert is_extractive(answer)


def test_a_former_request_to_forget_answers_nothing() -> None:
    """It names what nobody wants to hear of any more."""
    asked = item("i:7", "Forget what I said about Porto", 0.9, "interaction")
    assert list(best(context_of(asked, PORTO))) == [PORTO]


def test_what_is_told_is_answered_with_a_warning() -> None:
    """Also whoever asks nothing is told what must not be missed."""
    answer = extractive_answer("I'm cooking prawns for dinner.", context_of(PRAWNS, ALLERGY))
    assert answer.splitlines()[1:] == ["- 2026-05-01: Is allergic to prawns. [p:2]"]


@pytest.mark.parametrize(
    "message",
    [
        "my address",
        "the city that my flat stands in",
        "where do I live",
        "I want to know where I live",
        "I moved somewhere. Do you know where?",
        "Tell me where I live.",
        "Remind me of my city.",
        "wo wohne ich",
        "die Stadt, in der Anna wohnt",
        "où est-ce que j'habite",
        "dónde vivo",
        "onde eu moro",
        "did i move to a new city",
        "am i in porto",
    ],
)
def test_what_asks_is_answered(message: str) -> None:
    """With a question mark or without one, in words or in a few of them."""
    assert "Lives in Porto." in extractive_answer(message, context_of(PORTO))


def test_the_reason_is_told_in_each() -> None:
    """A model that may not be called is another reason than none."""
    assert extractive_answer(
        "I'm in Porto.", context_of(PORTO), why="The spending cap is reached"
    ).startswith("The spending cap is reached, so I only keep")


def test_what_is_much_less_likely_than_the_best_is_left_out() -> None:
    """A line that hardly bears on the question hides the one that answers it."""
    near, far = item("p:6", "Moved to Porto in May.", 0.4), item("p:7", "Has a cat.", 0.2)
    answer = extractive_answer("Where do I live?", context_of(far, PORTO, near))
    assert answer.splitlines() == [
        f"No language model is configured, {FOUND}",
        "- 2026-05-01: Lives in Porto. [p:3]",
        "- 2026-05-01: Moved to Porto in May. [p:6]",
    ]


def test_what_may_not_answer_is_said_to_be_the_nearest() -> None:
    """Who asks for their passport, and is told of their cat, hears that this is no answer."""
    answer = extractive_answer("Where is my passport?", context_of(item("p:7", "Has a cat.", 0.2)))
    assert answer.splitlines() == [
        f"No language model is configured, {NEAREST}",
        "- 2026-05-01: Has a cat. [p:7]",
    ]
    assert is_extractive(answer)


@pytest.mark.parametrize(
    "message",
    [
        "What do you not know about me?",
        "what don't you know about me",
        "Was weißt du nicht über mich?",
        "Que ne sais-tu pas de moi ?",
        "¿Qué no sabes de mí?",
        "O que você não sabe de mim?",
    ],
)
def test_what_is_not_known_cannot_be_told(message: str) -> None:
    """Whatever resembles the question is known, and so no answer."""
    assert extractive_answer(message, context_of(PORTO)) == f"No language model is configured, {UNKNOWN}"


@pytest.mark.parametrize(
    "message",
    [
        "What do you know about me?",
        "tell me everything you remember about me",
        "Was weißt du über mich?",
        "Que sais-tu de moi ?",
        "¿Qué sabes de mí?",
        "O que você sabe sobre mim?",
    ],
)
def test_whoever_asks_for_all_is_told_facts_however_little_they_resemble_the_question(message: str) -> None:
    """Nothing resembles such a question."""
    unlike = item("p:8", "Plays the cello.", 0.01)
    answer = extractive_answer(message, context_of(SAID, unlike))
    assert answer.splitlines() == [
        f"No language model is configured, {FOUND}",
        "- 2026-05-01: Plays the cello. [p:8]",
    ]


@pytest.mark.parametrize(
    "question", ["What medication am I on?", "how much coffee do I drink", "When is my dentist appointment?"]
)
def test_whoever_asks_for_a_fact_is_not_warned(question: str) -> None:
    """An allergy does not come before the appointment that is asked for."""
    answer = extractive_answer(question, context_of(ALLERGY, PORTO))
    assert answer.splitlines()[1:] == ["- 2026-05-01: Lives in Porto. [p:3]"]


@pytest.mark.parametrize(
    "question",
    [
        "What should I cook tonight?",
        "What do we eat?",
        "which painkiller can I take",
        "what's for dinner",
        "Was essen wir heute?",
    ],
)
def test_whoever_asks_what_to_eat_or_take_is_warned(question: str) -> None:
    """The question begins like one for a fact."""
    assert "Is allergic to prawns." in extractive_answer(question, context_of(ALLERGY, PORTO)).splitlines()[1]
