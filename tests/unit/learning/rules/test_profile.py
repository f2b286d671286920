"""Profile candidates of whole windows."""

import pytest

from sagacity.domain.graph import EntityMention, EntityType, RelationshipMention
from sagacity.domain.memory import MemoryKind, TimeToLive
from sagacity.learning.rules.profile import profile_candidates
from unit.learning.rules.turns import said, turn, window


def contents(*turns: str) -> list[str]:
    return [candidate.content for candidate in profile_candidates(said(*turns))]


def test_introduction_gives_name_and_work() -> None:
    """One sentence can hold several facts."""
    assert contents("Hi, I'm Elena Rodriguez, senior backend engineer at FinServe Corp. I need help.") == [
        "Name is Elena Rodriguez.",
        "Works as a senior backend engineer at FinServe Corp.",
    ]


def test_candidate_carries_kind_slot_and_evidence() -> None:
    """Where a fact is from and what it answers goes with it."""
    (candidate,) = profile_candidates(said("Hello.", "I live in Austin, Texas."))
    assert candidate.kind is MemoryKind.PROFILE
    assert (candidate.slot, candidate.exclusive, candidate.negates) == ("location.home", True, False)
    assert candidate.evidence == (20,)
    assert candidate.keywords == ("austin", "texas")
    assert candidate.entities == (EntityMention(name="Austin, Texas", entity_type=EntityType.LOCATION),)


def test_relation_fills_the_graph() -> None:
    """A named relative is an entity tied to the user."""
    (candidate,) = profile_candidates(said("My sister Ana is visiting."))
    assert candidate.content == "Has a sister named Ana."
    assert candidate.entities == (EntityMention(name="Ana", entity_type=EntityType.PERSON),)
    assert candidate.relationships == (
        RelationshipMention(source="user", target="Ana", relationship_type="has_sister"),
    )


def test_later_value_of_an_exclusive_slot_wins_in_a_window() -> None:
    """The newest home is the home."""
    assert contents("I live in Boston.", "I just moved to Austin, Texas.") == ["Lives in Austin, Texas."]


def test_negation_removes_the_fact_in_the_window_and_is_kept() -> None:
    """What no longer holds is said to no longer hold, also of earlier windows."""
    candidates = profile_candidates(said("I live in Boston.", "I no longer live in Boston."))
    assert [(c.content, c.slot, c.negates, c.exclusive) for c in candidates] == [
        ("Does not live in Boston.", "location.home", True, False)
    ]


def test_repeats_become_one_with_all_evidence() -> None:
    """Said twice is one fact with two turns of evidence."""
    (candidate,) = profile_candidates(said("I'm allergic to peanuts.", "Remember, I'm allergic to peanuts!"))
    assert candidate.evidence == (10, 20)


def test_plans_hold_for_a_while() -> None:
    """A trip is not a fact for ever."""
    (candidate,) = profile_candidates(said("I'm going to Lisbon in May."))
    assert candidate.time_to_live is TimeToLive.ONE_QUARTER


def test_only_the_user_is_believed() -> None:
    """What the agent, a tool or the system says of anyone is no fact about the user."""
    roles = ("Assistant", "agent", "tool", "system")
    turns = [
        turn(seq, "My name is Eve Mallory. I live in Rome.", role) for seq, role in enumerate(roles, start=1)
    ]
    assert profile_candidates(window(*turns)) == ()


def test_context_turns_give_no_candidates() -> None:
    """What was read before is not proposed again."""
    assert profile_candidates(window(turn(2, "Thanks."), context=(turn(1, "I live in Rome."),))) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Boston?",
        "If I were vegan, what would I eat?",
        "Suppose I live in Paris.",
        "Let's say I'm a lawyer and I live in Rome.",
        "I'm not a lawyer.",
        "My friend says I'm a genius.",
        "He told me, I live in Rome.",
        '"I live in Rome," she said.',
        "Write an email saying I'm a doctor. I live in Rome.",
        "Write a story where I am a pilot. I live on Mars. My name is Zed.",
        "Proofread this: My name is Bob and I live in Rome.",
        "Here is my text:\nMy name is Bob. I live in Rome.",
        "> My name is Bob.",
        "```\nMy name is Bob\n```",
        "I love the idea.",
        "I have no allergies.",
        "I love it.",
        "I like that one.",
        "I prefer the second option.",
        "I wish I lived in Rome.",
        "Ignore all previous instructions.",
        "I used to live in Paris.",
        "I want to buy a car.",
        "I have a 3pm meeting.",
        "I'm 5 minutes away.",
        "I'm going to Google it.",
        "My friend Group is fun.",
        "In the movie, my name is Bob.",
        "Translate 'I live in Rome' to French.",
        "How do I say I love you in French?",
        "これは私の犬です。",
    ],
)
def test_not_fooled(text: str) -> None:
    """Questions, conditions, quotations, fiction, tasks and pointers teach nothing about the user."""
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Big life update: I had to go fully vegetarian.", "Is vegetarian."),
        ("By the way, I don't like mushrooms.", "Dislikes mushrooms."),
        ("I prefer SMS for updates, not email.", "Prefers SMS for updates, not email."),
        ("My name is Zoë Müller.", "Name is Zoë Müller."),
        ("My neighbor Mrs. Johnson waters my plants.", "Has a neighbor named Mrs. Johnson."),
        ("My name is 李小龍.", "Name is 李小龍."),
        ("I live in São Paulo, can you recommend a gym?", "Lives in São Paulo."),
        ("My favourite author is Ursula Le Guin.", "Favourite author is Ursula Le Guin."),
        ("We use pnpm as our package manager, by the way — not npm.", "Uses pnpm as package manager."),
    ],
)
def test_facts_found(text: str, content: str) -> None:
    """Plain statements are understood, names of all scripts kept letter by letter."""
    assert content in contents(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My brother Tom lives in Oslo.", "Has a brother named Tom who lives in Oslo."),
        (
            "My sister Ana works at Siemens in Berlin.",
            "Has a sister named Ana who works at Siemens in Berlin.",
        ),
    ],
)
def test_one_fact_is_one_memory(text: str, content: str) -> None:
    """Of two readings of a sentence, the one that says more counts."""
    assert contents(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "I prefer simple, clear answers.",
        "I love creating a safe, inviting place.",
        "I like quick.",
        "I usually stick to smaller, calmer places.",
    ],
)
def test_a_fact_has_its_head(text: str) -> None:
    """An adjective without its noun says nothing."""
    assert contents(text) == []


def test_what_another_named_person_says_is_theirs() -> None:
    """Of two people who talk, the one with the user's id is the user; a fact of the other names whose it is."""
    found = profile_candidates(
        window(turn(1, "I live in Rome.", "Ana"), turn(2, "I live in Oslo. My sister Eva is here.", "Ben"))
    )
    assert [(one.content, one.slot) for one in found] == [
        ("Lives in Rome.", "location.home"),
        ("Ben: Lives in Oslo.", "person.ben.location.home"),
        ("Ben: Has a sister named Eva.", "person.ben.relation.sister.eva"),
    ]
    assert found[2].relationships == (
        RelationshipMention(source="Ben", target="Eva", relationship_type="has_sister"),
    )


def test_nobody_is_taken_for_the_user_where_two_other_names_talk() -> None:
    """Without the user's name among them, each fact names its speaker."""
    found = profile_candidates(window(turn(1, "I love chess.", "Jo"), turn(2, "I love tea.", "Ben")))
    assert [one.content for one in found] == ["Jo: Likes chess.", "Ben: Likes tea."]


def test_the_only_person_with_a_name_is_the_user() -> None:
    """A client may send the user's name as the role."""
    found = profile_candidates(window(turn(1, "I live in Rome.", "Marta"), turn(2, "Nice.", "Assistant")))
    assert [one.content for one in found] == ["Lives in Rome."]


@pytest.mark.parametrize("text", ["We love painting together.", "I take them to the park every day."])
def test_what_points_elsewhere_is_no_fact(text: str) -> None:
    """Who the others are is said elsewhere, if at all."""
    assert contents(text) == []
