"""Short answers to the agent's questions are read as the statements that they amount to."""

import pytest

from sagacity.learning.rules.instructions import instructions
from sagacity.learning.rules.profile import facts, in_full, profile_candidates
from unit.learning.rules.turns import turn, window


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("How old are you?", "41", ["Is 41 years old."]),
        ("Got it. And where do you live?", "in Leeds, with my cat", ["Lives in Leeds."]),
        ("What do you do for work?", "night nurse in Bristol", ["Is a night nurse."]),
        ("What do you do?", "retired", ["Is retired."]),
        ("Do you have kids at home?", "yes two, 5 and 8", ["Has two kids aged 5 and 8."]),
        ("Do you have any kids?", "no", ["Does not have kids."]),
        ("How old are the twins?", "4, Fionn and Maeve", ["Has twins named Fionn and Maeve."]),
        ("Do you have other pets?", "yes, two cats, Miso and Tofu", ["Has two cats named Miso and Tofu."]),
        ("Any diet?", "pescatarian, him not", ["Is pescatarian."]),
        ("Any food allergies?", "peanuts and sesame", ["Is allergic to peanuts and sesame."]),
        ("How do you sleep?", "badly", ["Sleeps: badly."]),
        ("What do you deploy to?", "mostly hetzner boxes", ["Deploys to: mostly hetzner boxes."]),
        ("How many nights a week do you work?", "four usually", ["Works: four nights a week usually."]),
        ("Which Python version do you use?", "3.11", ["Python version: 3.11."]),
        ("Do you smoke?", "no", ["Does not smoke."]),
        ("Are you vegetarian?", "yes", ["Is vegetarian."]),
        ("What's your dog's name?", "Pip", ["Has a dog named Pip."]),
        ("Wie alt bist du?", "34", ["Ist 34 Jahre alt."]),
        ("Hast du Kinder?", "ja, zwei, 4 und 9", ["Hat zwei Kinder."]),
        ("Vous avez des enfants ?", "oui, trois, 3, 6 et 11 ans", ["A trois enfants."]),
        ("Où habitez-vous ?", "à Roubaix, en appartement", ["Habite à Roubaix."]),
        ("¿A qué te dedicas?", "enfermera en urgencias", ["Trabaja como enfermera."]),
        ("¿Qué edad tienes?", "38", ["Tiene 38 años."]),
        ("Onde você mora?", "em Curitiba", ["Mora em Curitiba."]),
        ("Quantos anos você tem?", "45", ["Tem 45 anos."]),
    ],
)
def test_short_answer_is_a_statement(question: str, answer: str, told: list[str]) -> None:
    """What the agent asked is a part of what the user says."""
    found = profile_candidates(window(turn(1, question, "Assistant"), turn(2, answer)))
    assert [candidate.content for candidate in found] == told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do you live?", "why do you ask?"),
        ("Where do you live?", "that's none of your business"),
        ("How old are you?", "41% is what I meant"),
        ("How old are you? And where do you live?", "41"),
        ("How old are you? I ask because it matters.", "41"),
        ("Do you have kids?", "depends who you ask"),
        ("Are you vegetarian?", "yesterday I was"),
        ("How do you sleep?", "it depends"),
        ("How do I sleep?", "badly"),
        ("Which page are you on?", "the second"),
        ("What do you want to cook?", "pasta"),
        ("I asked how old you are.", "41"),
    ],
)
def test_other_answers_stay_as_they_are(question: str, answer: str) -> None:
    """An evasion, a question back, an answer to one of two questions or to the task of the moment is no statement."""
    assert in_full(answer, question) == answer


def test_question_of_an_earlier_window_counts() -> None:
    """The turn before the first unread one is known, though it is not read again."""
    asked, said = turn(1, "How old are you?", "Assistant"), turn(2, "41")
    found = profile_candidates(window(said, context=(asked,)))
    assert [candidate.content for candidate in found] == ["Is 41 years old."]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Write a post about our new oven. I'm the owner of a bakery.", ["Is the owner of a bakery."]),
        ("Draft an email to my team. I run a team of 9 at Siemens.", ["Runs a team of 9 at Siemens."]),
        ("do I need a visa for Japan, I'm from Brazil", ["Is from Brazil."]),
        ("Find a gift for my brother who plays bass", ["Has a brother who plays bass."]),
        ("Can you suggest a recipe for my vegan wife?", ["Has a wife who is vegan."]),
        ("Write an email:\n\nI'm from Brazil.", []),
        ("Write a letter as a pilot. I'm from Brazil.", []),
        ("Should I tell him I'm from Brazil, I'm from Chile, or nothing?", []),
    ],
)
def test_facts_within_a_request(text: str, told: list[str]) -> None:
    """What the user says beside a request is theirs; what the text is to say is not."""
    assert [draft.content for draft in facts(text)] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("stop apologizing, and answer in German", ["Stop apologizing.", "Answer in German."]),
        ("Too long, five lines max please.", ["Keep it short: five lines max."]),
    ],
)
def test_one_sentence_may_tell_several_things(text: str, told: list[str]) -> None:
    """Each clause is an instruction of its own."""
    assert [found.content for found in instructions(text, answered=True)] == told
