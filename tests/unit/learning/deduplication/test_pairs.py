"""Pairs of statements without a model: which of the two stand, whichever was said first, in one window or in two."""

import asyncio
from datetime import UTC, datetime

import pytest

from sagacity.domain.change import Action
from sagacity.domain.memory import Attributes, MemoryKind
from sagacity.learning.deduplication.cases import Embedded, Neighbour
from sagacity.learning.deduplication.deduplicate import deduplicate
from support.windows import candidate, memory

FIRST, SECOND, BOTH = "first", "second", "both"
TOM, IN_OSLO = "Has a brother named Tom.", "Has a brother named Tom who lives in Oslo."
FACTS = [
    # One says all of the other: the fuller stands alone, whichever was said first.
    (TOM, IN_OSLO, SECOND, SECOND),
    ("Has a brother.", TOM, SECOND, SECOND),
    ("Has a dog.", "Has a dog named Max.", SECOND, SECOND),
    ("Likes pizza.", "Favourite food is pizza.", SECOND, SECOND),
    ("User loves green tea.", "Favorite drink is green tea.", SECOND, SECOND),
    ("Likes pizza.", "Likes pizza and pasta.", SECOND, SECOND),
    ("Lives in Lyon.", "Lives in Lyon near the park.", SECOND, SECOND),
    ("Lives in Lyon.", "Lives in Lyon with two cats.", SECOND, SECOND),
    ("Lives in Austin.", "Lives in Austin, Texas.", SECOND, SECOND),
    ("Works at Siemens.", "Works at Siemens as an engineer.", SECOND, SECOND),
    ("Works at Siemens.", "Works at Siemens since May 2026.", SECOND, SECOND),
    ("Works as an engineer.", "Works as a senior engineer at Siemens.", SECOND, SECOND),
    ("Is a nurse.", "Works as a nurse at Mercy.", SECOND, SECOND),
    ("Is married.", "Is married to Eva.", SECOND, SECOND),
    ("Is allergic to peanuts.", "Is allergic to peanuts and soy.", SECOND, SECOND),
    ("Does not eat pork.", "Does not eat pork or beef.", SECOND, SECOND),
    ("Uses Python.", "Uses Python for scripting.", SECOND, SECOND),
    ("Prefers SMS.", "Prefers SMS, not email.", SECOND, SECOND),
    ("Has two kids.", "Has two kids named Mia and Leo.", SECOND, SECOND),
    ("Hat einen Bruder.", "Hat einen Bruder namens Tom.", SECOND, SECOND),
    # A count has one value at a time, and so has a plan: the later stands.
    ("Has 2 cats.", "Has three cats.", SECOND, FIRST),
    ("Runs twice a week.", "Runs three times a week.", SECOND, FIRST),
    ("Wants to move to Oslo.", "Does not move to Oslo.", SECOND, FIRST),
    # What somebody must not have is liked no more, and that it is liked lifts no allergy.
    ("Likes prawns.", "Is allergic to prawns.", SECOND, BOTH),
    ("Loves cheese.", "Does not tolerate cheese.", SECOND, BOTH),
    ("Likes cheese.", "Is allergic to cheesecake.", BOTH, BOTH),
    ("Likes cats.", "Is allergic to cats.", BOTH, BOTH),
    # Both are true: both stand.
    ("Has 2 cats.", "Has 3 dogs.", BOTH, BOTH),
    ("Has two cats named Minka and Pepper.", "Has three cats on the balcony.", BOTH, BOTH),
    ("Runs twice a week.", "Swims three times a week.", BOTH, BOTH),
    (TOM, "Has a brother named Tim.", BOTH, BOTH),
    (TOM, "Has a brother named Tomas.", BOTH, BOTH),
    (TOM, "Has a sister named Tom.", BOTH, BOTH),
    ("Likes pizza.", "Likes pizza with pineapple.", BOTH, BOTH),
    ("Likes coffee.", "Likes coffee ice cream.", BOTH, BOTH),
    ("Likes pizza.", "Likes pasta.", BOTH, BOTH),
    ("Likes pizza.", "Favourite food is pizza with pineapple.", BOTH, BOTH),
    ("Uses Python.", "Uses Python 2.", BOTH, BOTH),
    ("Has a dog.", "Has a dog house.", BOTH, BOTH),
    ("Lives in York.", "Is from New York.", BOTH, BOTH),
    ("Eats meat.", "Eats meat only on Sundays.", BOTH, BOTH),
    ("Does not eat meat.", "Does not eat meat on Fridays.", BOTH, BOTH),
    ("Works at Apple.", "Works at Apple Bank.", BOTH, BOTH),
    ("Is allergic to peanuts.", "Is allergic to penicillin.", BOTH, BOTH),
    ("Takes metformin at 8.", "Takes metformin at 9.", BOTH, BOTH),
    ("Is married to Eva.", "Sister is divorced.", BOTH, BOTH),
    ("Sister Ana is pregnant.", "Gave birth to Leo.", BOTH, BOTH),
    ("Is pregnant.", "Sister gave birth to Leo.", BOTH, BOTH),
    ("Has a dog named Max.", "Dog Rex died.", BOTH, BOTH),
    ("Has a dog.", "Cat died.", BOTH, BOTH),
    ("Has two dogs.", "Dog died.", BOTH, BOTH),
    ("Lives in Lyon.", "Moved from Rome.", BOTH, BOTH),
    ("Works at Globex.", "Quit job at Initech.", BOTH, BOTH),
    ("Has a new car.", "Sold the old car.", BOTH, BOTH),
    ("Has a bike shop.", "Sold the bike.", BOTH, BOTH),
    ("Smokes.", "Sister quit smoking.", BOTH, BOTH),
    ("Is vegetarian.", "Eats fish.", BOTH, FIRST),
    ("Is divorced.", "Got married in 2012.", BOTH, BOTH),
    ("Speaks German.", "Speaks English.", BOTH, BOTH),
    ("Likes short films.", "Likes long films.", BOTH, BOTH),
    ("Is a student at MIT.", "Graduated from Stanford.", BOTH, BOTH),
    ("Is looking for a job.", "Has a job interview.", BOTH, BOTH),
    ("Works as a volunteer.", "Is retired.", BOTH, BOTH),
    ("Has a dog.", f"Has a {'very ' * 2_000}dog named Max.", BOTH, BOTH),
    ("Is married.", f"Is divorced, {'so ' * 200}he says.", BOTH, BOTH),
    # One ends the other: what was said later stands.
    ("Is married to Eva.", "Is divorced.", SECOND, FIRST),
    ("Got married.", "Got divorced.", SECOND, FIRST),
    ("Is single.", "Is engaged to Sam.", SECOND, FIRST),
    ("Is engaged to Sam.", "Is now happily married.", SECOND, FIRST),
    ("Is married.", "Is widowed.", SECOND, FIRST),
    ("Ist verheiratet.", "Ist geschieden.", SECOND, FIRST),
    ("Est mariée.", "Est divorcée.", SECOND, FIRST),
    ("Está casada.", "Está divorciada.", SECOND, FIRST),
    ("Sister is married.", "Sister is divorced.", SECOND, FIRST),
    ("Is vegetarian.", "Eats meat.", SECOND, FIRST),
    ("Is vegan.", "Eats meat again.", SECOND, FIRST),
    ("Lives in Lyon.", "Moved from Lyon to Rome.", SECOND, FIRST),
    ("Lives in Lyon near the park.", "Moved out of Lyon.", SECOND, FIRST),
    ("Works at Globex.", "Quit job at Globex.", SECOND, FIRST),
    ("Works as an engineer at Globex.", "Was laid off from Globex.", SECOND, FIRST),
    ("Works at Globex.", "Is unemployed.", SECOND, FIRST),
    ("Has a red Toyota car.", "Sold the car.", SECOND, FIRST),
    ("Has a girlfriend named Mia.", "Broke up with girlfriend.", SECOND, FIRST),
    ("Smokes.", "Quit smoking.", SECOND, FIRST),
    ("Is an engineer.", "Is a former engineer.", SECOND, FIRST),
    ("Likes mushrooms.", "Dislikes mushrooms.", SECOND, FIRST),
    ("Plans to go to Lisbon in May.", "Cancelled the trip to Lisbon.", SECOND, FIRST),
    # What has happened ends a state; a new state does not undo what has happened.
    ("Is pregnant.", "Gave birth to Leo.", SECOND, BOTH),
    ("Is expecting a baby.", "Had a baby.", SECOND, BOTH),
    ("Sister is pregnant.", "Sister gave birth.", SECOND, BOTH),
    ("Has a dog.", "Dog died.", SECOND, BOTH),
    ("Has a dog named Max.", "The dog died.", SECOND, BOTH),
    ("Has a dog named Max.", "Dog Max passed away.", SECOND, BOTH),
    ("Works at Siemens.", "Is retired.", SECOND, BOTH),
    ("Plans to move to Rome.", "Lives in Rome.", SECOND, BOTH),
    ("Has a wife named Eva.", "Is divorced from Eva.", SECOND, BOTH),
    ("Studies physics at MIT.", "Graduated from MIT.", SECOND, BOTH),
]  # fmt: skip
RULES = [
    ("Use pnpm.", "Use pnpm, not npm.", SECOND, SECOND),
    ("Use pnpm.", "Use pnpm instead of npm.", SECOND, SECOND),
    ("Use metric units.", "Use metric units because the user lives in Europe.", SECOND, SECOND),
    ("Use tables.", "Use tables for numbers.", BOTH, BOTH),
    ("Use bullet points.", "Use bullet points only in summaries.", BOTH, BOTH),
    ("Answer in German.", "Write comments in English.", BOTH, BOTH),
    ("Use Python 3.11.", "Use Python 3.12.", BOTH, BOTH),
    ("Do not use emojis.", "Do not use emojis in mails.", BOTH, BOTH),
    ("Use metric units for cooking.", "Use imperial units for heights.", BOTH, BOTH),
    ("Stop using emojis.", "Emojis are fine again.", SECOND, FIRST),
    ("Stop using emojis.", "You can use emojis.", SECOND, FIRST),
    ("No emojis.", "Use emojis again.", SECOND, FIRST),
    ("Do not use tables.", "You can use lists.", BOTH, BOTH),
    ("Use metric units.", "Use imperial units.", SECOND, FIRST),
    ("Keep answers short.", "Give detailed answers.", SECOND, FIRST),
    ("Answer in German.", "Answer in English.", SECOND, FIRST),
]  # fmt: skip
MAY, JULY = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
CASES = [
    pytest.param(kind, one, other, outcome, id=f"{one} {other}"[:80])
    for kind, pairs in ((MemoryKind.PROFILE, FACTS), (MemoryKind.USER_PLAYBOOK, RULES))
    for first, second, forth, back in pairs
    for one, other, outcome in (
        (first, second, forth),
        (second, first, {FIRST: SECOND, SECOND: FIRST}.get(back, back)),
    )
]


def standing(earlier, later, outcome):
    return {FIRST: {earlier}, SECOND: {later}, BOTH: {earlier, later}}[outcome]


@pytest.mark.parametrize(("kind", "earlier", "later", "outcome"), CASES)
def test_in_one_window(kind, earlier, later, outcome):
    """What stands has the evidence of what it says as well."""
    said = [
        candidate(earlier, kind=kind, evidence=(1,), said_at=MAY),
        candidate(later, kind=kind, evidence=(2,), said_at=JULY),
    ]
    decisions = asyncio.run(deduplicate([Embedded(one) for one in said], {}, judge=None))
    kept = [one.candidate for one in decisions if one.action is not Action.DISCARD]
    assert {one.content for one in kept} == standing(earlier, later, outcome)
    if outcome is FIRST:
        assert kept[0].evidence == (1, 2)


@pytest.mark.parametrize("is_late", [False, True], ids=["in order", "the earlier is imported late"])
@pytest.mark.parametrize(("kind", "earlier", "later", "outcome"), CASES)
def test_over_two_publishes(kind, earlier, later, outcome, is_late):
    """What was said later counts, also where it was sent before."""
    known, new = (later, earlier) if is_late else (earlier, later)
    known_at, new_at = (JULY, MAY) if is_late else (MAY, JULY)
    old = memory(1, known, kind=kind, turns=(1,), attributes=Attributes(said_at=known_at))
    one = Embedded(candidate(new, kind=kind, evidence=(2,), said_at=new_at))
    near = {0: [Neighbour(memory=old, cosine=0.4)]}
    [decision] = asyncio.run(deduplicate([one], near, judge=None))
    stands = set() if decision.action in {Action.SUPERSEDE, Action.MERGE} else {known}
    stands |= set() if decision.action in {Action.UPDATE, Action.DISCARD} else {new}
    assert stands == standing(earlier, later, outcome)


TWO_OF_A_KIND = [
    ("Has a dog named Rex.", "Has a dog named Max.", "The dog died.", set()),
    ("Has a dog named Rex.", "Has a dog named Max.", "Dog Max died.", {"Has a dog named Max."}),
    ("Has a dog named Rex.", "Has a cat named Max.", "The dog died.", {"Has a dog named Rex."}),
    ("Has a red car.", "Has a blue car.", "Sold the car.", set()),
    ("Has a red car.", "Has a blue car.", "Sold the blue car.", {"Has a blue car."}),
    ("Works at Globex.", "Works as a guide at Initech.", "Is unemployed.",
     {"Works at Globex.", "Works as a guide at Initech."}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "end", "gone"), TWO_OF_A_KIND, ids=[row[2] for row in TWO_OF_A_KIND]
)
def test_of_two_alike_only_the_one_that_is_named_ends(one, other, end, gone):
    """Which dog died is not known where two are; both stay, over two publishes and in one window."""
    known = [
        memory(n, text, turns=(n,), attributes=Attributes(said_at=MAY))
        for n, text in enumerate((one, other), start=1)
    ]
    new = Embedded(candidate(end, evidence=(3,), said_at=JULY))
    near = {0: [Neighbour(memory=it, cosine=0.4) for it in known]}
    [decision] = asyncio.run(deduplicate([new], near, judge=None))
    ended = set(decision.targets) if decision.action is Action.SUPERSEDE else set()
    assert {it.content for it in known if it.memory_id in ended} == gone
    said = [Embedded(candidate(it, evidence=(n,), said_at=MAY)) for n, it in enumerate((one, other), start=1)]
    decisions = asyncio.run(deduplicate([*said, new], {}, judge=None))
    dropped = {it.candidate.content for it in decisions if it.action is Action.DISCARD}
    assert dropped == gone
