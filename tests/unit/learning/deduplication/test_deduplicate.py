"""Each candidate gets one decision that can be carried out."""

import asyncio
import threading
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.change import Action
from sagacity.domain.memory import Attributes, MemoryKind, TimeToLive
from sagacity.learning.deduplication.cases import Embedded, Neighbour, Verdict
from sagacity.learning.deduplication.deduplicate import deduplicate
from sagacity.learning.deduplication.merge_texts import joined
from sagacity.learning.deduplication.settle import MOST_JUDGED, settle
from support.windows import candidate, memory

ADD, UPDATE, MERGE = Action.ADD, Action.UPDATE, Action.MERGE
SUPERSEDE, DISCARD = Action.SUPERSEDE, Action.DISCARD
PLAYBOOK = MemoryKind.USER_PLAYBOOK


class Says:
    """A judge that says what the test wants, and keeps what it was asked."""

    def __init__(self, *verdicts):
        self.verdicts = verdicts
        self.asked = []

    async def judge(self, cases):
        self.asked.append(cases)
        return self.verdicts


def run(candidates, neighbours=None, judge=None):
    """Decisions for candidates; a neighbour is (memory, cosine); candidates have orthogonal vectors unless given."""
    embedded = [one if isinstance(one, Embedded) else Embedded(one) for one in candidates]
    near = {
        index: [Neighbour(memory=one, cosine=cosine) for one, cosine in found]
        for index, found in (neighbours or {}).items()
    }
    return asyncio.run(deduplicate(embedded, near, judge=judge))


def short(decisions):
    return [(decision.action, decision.targets) for decision in decisions]


MAY, JULY, AUGUST = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 7, 8))
HOME = {"slot": "location.home", "exclusive": True}
SETTLED_AT_5 = Attributes(slot="location.home", confirmed_through=5)
CASES = {
    "nothing near": (candidate("Lives in Lyon"), [], (ADD, ())),
    "diet": (candidate("Is vegetarian."), [(memory(1, "Likes beef."), 0.3)], (SUPERSEDE, (1,))),
    "far": (candidate("Lives in Lyon"), [(memory(1, "Likes tea"), 0.3)], (ADD, ())),
    "near, no judge": (candidate("Likes green tea"), [(memory(1, "Likes tea a lot"), 0.8)], (ADD, ())),
    "same text": (candidate("User lives in Lyon."), [(memory(1, "lives in lyon"), 0.7)], (UPDATE, (1,))),
    "same text, no vector": (candidate("Lives in Lyon"), [(memory(1, "Lives in Lyon"), 0.0)], (UPDATE, (1,))),
    "filler": (candidate("Always lives in Lyon"), [(memory(1, "Lives in Lyon"), 0.96)], (UPDATE, (1,))),
    "other grammar": (candidate("Is living in Lyon"), [(memory(1, "Lives in Lyon"), 0.83)], (UPDATE, (1,))),
    "other grammar, far": (candidate("Is living in Lyon"), [(memory(1, "Lives in Lyon"), 0.4)], (ADD, ())),
    "other tense": (candidate("Worked at Globex"), [(memory(1, "Works at Globex"), 0.97)], (ADD, ())),
    "says less, not near enough": (
        candidate("Lives in Lyon"),
        [(memory(1, "Lives in old Lyon"), 0.94)],
        (ADD, ()),
    ),
    "other kind": (candidate("Lives in Lyon"), [(memory(1, "Lives in Lyon", kind=PLAYBOOK), 1.0)], (ADD, ())),
    "other name": (candidate("Sister is Ana"), [(memory(1, "Sister is Bea"), 0.99)], (ADD, ())),
    "other number": (candidate("Uses port 2"), [(memory(1, "Uses port 3"), 0.99)], (ADD, ())),
    "other count": (candidate("Has 2 cats"), [(memory(1, "Has three cats"), 0.9)], (SUPERSEDE, (1,))),
    "other order": (candidate("Flies Lyon to Rome"), [(memory(1, "Flies Rome to Lyon"), 0.99)], (ADD, ())),
    "says more": (candidate("Lives in Lyon near the park"), [(memory(1, "Lives in Lyon"), 0.96)], (MERGE, (1,))),
    "says less": (candidate("Lives in Lyon"), [(memory(1, "Lives in Lyon near the park"), 0.96)], (UPDATE, (1,))),
    "denial": (candidate("Does not eat fish"), [(memory(1, "Eats fish"), 0.99)], (SUPERSEDE, (1,))),
    "denial taken back": (candidate("Eats fish"), [(memory(1, "Does not eat fish"), 0.99)], (SUPERSEDE, (1,))),
    "exclusive slot": (
        candidate("Lives in Rome", **HOME),
        [(memory(1, "Lives in Lyon", slot="location.home"), 0.2), (memory(2, "Works in Lyon", slot="work.place"), 0.9)],
        (SUPERSEDE, (1,)),
    ),
    "exclusive slot, same value": (
        candidate("Lives in Lyon", **HOME),
        [(memory(1, "Lives in Lyon.", slot="location.home"), 0.2)],
        (UPDATE, (1,)),
    ),
    "exclusive slot with an old rival": (
        candidate("Lives in Lyon", **HOME),
        [(memory(1, "Lives in Lyon", slot="location.home"), 1.0), (memory(2, "Is in Rome", slot="location.home"), 0.5)],
        (SUPERSEDE, (1, 2)),
    ),
    "shared slot": (
        candidate("Plays chess", slot="hobby"),
        [(memory(1, "Plays go", slot="hobby"), 0.5)],
        (ADD, ()),
    ),
    "exclusive without a slot": (candidate("A", exclusive=True), [(memory(1, "B"), 0.5)], (ADD, ())),
    "negates in its slot": (
        candidate("No longer works at Globex", slot="work.employer", negates=True),
        [
            (memory(1, "Works at Globex as an engineer", slot="work.employer"), 0.4),
            (memory(2, "Works at Initech", slot="work.employer"), 0.9),
        ],
        (SUPERSEDE, (1,)),
    ),
    "negates without a slot": (
        candidate("No longer eats fish", negates=True),
        [(memory(1, "Likes fish"), 0.7), (memory(2, "Likes beef"), 0.7)],
        (SUPERSEDE, (1,)),
    ),
    "nothing to negate": (candidate("Does not eat fish", negates=True), [], (ADD, ())),
    "negated already": (
        candidate("No longer works at Globex", slot="work.employer", negates=True),
        [(memory(1, "No longer works at Globex.", slot="work.employer"), 0.9)],
        (UPDATE, (1,)),
    ),
    "an older turn against a newer memory": (
        candidate("Lives in Lyon", evidence=(5,), **HOME),
        [(memory(1, "Lives in Rome", slot="location.home", turns=(9,)), 0.5)],
        (DISCARD, ()),
    ),
    "a turn of before a person's word": (
        candidate("Lives in Lyon", evidence=(5,), **HOME),
        [(memory(1, "Lives in Rome", turns=(2,), attributes=SETTLED_AT_5), 0.5)],
        (DISCARD, ()),
    ),
    "a turn of after a person's word": (
        candidate("Lives in Lyon", evidence=(6,), **HOME),
        [(memory(1, "Lives in Rome", turns=(2,), attributes=SETTLED_AT_5), 0.5)],
        (SUPERSEDE, (1,)),
    ),
    "a memory written directly": (
        candidate("Lives in Lyon", evidence=(5,), **HOME),
        [(memory(1, "Lives in Rome", slot="location.home", turns=()), 0.5)],
        (SUPERSEDE, (1,)),
    ),
    "playbook: same": (
        candidate("Use tabs.", kind=PLAYBOOK, trigger="Writing Go"),
        [(memory(1, "use tabs", kind=PLAYBOOK, trigger="writing go"), 1.0)],
        (UPDATE, (1,)),
    ),
    "playbook: other situation": (
        candidate("Use tabs", kind=PLAYBOOK, trigger="writing Go"),
        [(memory(1, "Use tabs", kind=PLAYBOOK, trigger="writing Python"), 0.97)],
        (ADD, ()),
    ),
    "playbook: the contrary": (
        candidate("Don't use tabs", kind=PLAYBOOK, trigger="writing Go"),
        [(memory(1, "Always use tabs", kind=PLAYBOOK, trigger="Writing Go."), 0.9)],
        (SUPERSEDE, (1,)),
    ),
    "playbook: the contrary elsewhere": (
        candidate("Don't use tabs", kind=PLAYBOOK, trigger="writing Python"),
        [(memory(1, "Use tabs", kind=PLAYBOOK, trigger="writing Go"), 0.9)],
        (ADD, ()),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("one", "near", "expected"), CASES.values(), ids=CASES.keys())
def test_one_candidate_against_memories(one, near, expected):
    [decision] = run([one], {0: near})
    assert (decision.action, decision.targets) == expected
    assert decision.candidate == one


def test_repeats_within_a_batch_join_their_evidence():
    decisions = run(
        [candidate("Lives in Lyon", evidence=(1,)), candidate("User lives in Lyon.", evidence=(4, 3))]
    )
    assert short(decisions) == [(DISCARD, ()), (ADD, ())]
    assert decisions[1].candidate.evidence == (1, 3, 4)


def test_a_case_has_room_for_the_nearest_memories_only():
    """However many fill its slot: the judge's prompt does not grow with what is known."""
    pets = [
        (memory(number, f"Has the pet {number}.", slot="pets"), number / 2_000) for number in range(1, 1_001)
    ]
    near = [Neighbour(memory=one, cosine=cosine) for one, cosine in pets]
    [case] = settle([Embedded(candidate("Has a dog", slot="pets"))], {0: near}).cases
    assert [one.memory_id for one in case.memories] == list(range(1_000, 1_000 - MOST_JUDGED, -1))


def test_candidates_of_two_agent_versions_are_kept_apart():
    """Each version of the agent has a playbook of its own."""
    rules = [
        Embedded(
            candidate("Use tabs", kind=PLAYBOOK, trigger="writing Go", evidence=(turn,)),
            agent_version=version,
        )
        for turn, version in ((1, "v1"), (2, "v2"), (3, "v2"))
    ]
    assert short(run(rules)) == [(ADD, ()), (DISCARD, ()), (ADD, ())]


def test_near_repeats_within_a_batch_are_found_by_vector():
    near = np.array([1.0, 0.0], dtype=np.float32)
    decisions = run(
        [
            Embedded(candidate("Is living in Lyon", evidence=(1,)), near),
            Embedded(candidate("Lives in Lyon", evidence=(2,)), near),
        ]
    )
    assert short(decisions) == [(DISCARD, ()), (ADD, ())]


def test_the_newest_value_of_a_batch_wins():
    """Whatever the order of the candidates: the newer turn counts."""
    rome = candidate("Lives in Rome", evidence=(7,), **HOME)
    lyon = candidate("Lives in Lyon", evidence=(5,), **HOME)
    near = [(memory(1, "Lives in Lyon", slot="location.home", turns=(1,)), 0.9)]
    assert short(run([lyon, rome], {0: near, 1: near})) == [(DISCARD, ()), (SUPERSEDE, (1,))]
    assert short(run([rome, lyon], {0: near, 1: near})) == [(SUPERSEDE, (1,)), (DISCARD, ())]


def home(content, turn, **fields):
    return candidate(content, evidence=(turn,), **{**HOME, **fields})


@pytest.mark.parametrize(
    "pair",
    [
        (home("User lives in Austin, Texas, since June 2026.", 7), home("User no longer lives in San Francisco.", 7, negates=True)),
        (home("User is a vegetarian.", 7), home("User no longer eats meat.", 9, negates=True)),
        (home("User works at Siemens as an engineer.", 1), home("User started at Siemens in May 2026.", 3)),
        (home("User works at Siemens as an engineer.", 1), home("User works at Siemens in Munich.", 3)),
        (home("User lives in Lyon.", 1), home("User rents a flat in the Croix-Rousse.", 5)),
        (home("User lives in Austin.", 7), home("User lives in Texas.", 7)),
    ],
    ids=lambda pair: pair[1].content,
)  # fmt: skip
@pytest.mark.parametrize("is_turned", [False, True])
def test_what_can_be_true_together_is_kept_though_it_fills_one_slot(pair, is_turned):
    """A denial ends what was, and no statement of what is; and a detail is no other value."""
    decisions = run(reversed(pair) if is_turned else pair)
    assert [one.action for one in decisions] == [ADD, ADD]


def test_a_denial_ends_what_was_said_before_it_in_its_window():
    works = candidate("Works at Globex as an engineer.", evidence=(1,), slot="work.employer")
    left = candidate("No longer works at Globex.", evidence=(9,), slot="work.employer", negates=True)
    assert short(run([works, left])) == [(DISCARD, ()), (ADD, ())]


def test_a_denial_leaves_another_value_of_its_slot():
    gone = home("User no longer lives in San Francisco.", 2_000, negates=True)
    austin = memory(1, "User lives in Austin.", slot="location.home")
    assert short(run([gone], {0: [(austin, 0.6)]})) == [(ADD, ())]


def test_values_of_one_slot_are_a_case_for_a_judge():
    judge = Says(*(Verdict(index=index, action=ADD) for index in range(2)))
    values = [home("Lives in Rome", 1), home("Lives in Lyon", 2)]
    assert [one.action for one in run(values, judge=judge)] == [ADD, ADD]
    assert [case.twins for case in judge.asked[0]] == [(1,), (0,)]


@pytest.mark.parametrize(("said_at", "expected"), [(MAY, (DISCARD, ())), (AUGUST, (SUPERSEDE, (1,)))])
def test_what_was_said_later_counts_and_not_what_was_sent_later(said_at, expected):
    """An old conversation may be imported long after a new one was learned."""
    settled = Attributes(slot="location.home", said_at=JULY)
    austin = [(memory(1, "Lives in Austin", turns=(1_000,), attributes=settled), 0.5)]
    assert short(run([home("Lives in Boston", 2_000, said_at=said_at)], {0: austin})) == [expected]


@pytest.mark.parametrize(("said_at", "expected"), [(MAY, (DISCARD, ())), (AUGUST, (SUPERSEDE, (1,)))])
def test_what_was_said_before_a_person_wrote_does_not_overrule_them(said_at, expected):
    settled = Attributes(slot="location.home", said_at=JULY, confirmed_through=7)
    austin = [(memory(1, "Lives in Austin", turns=(), attributes=settled), 0.5)]
    assert short(run([home("Lives in Boston", 2_000, said_at=said_at)], {0: austin})) == [expected]


def test_the_later_said_value_of_a_batch_wins():
    boston, austin = home("Lives in Boston", 2, said_at=MAY), home("Lives in Austin", 1, said_at=JULY)
    assert short(run([boston, austin])) == [(DISCARD, ()), (ADD, ())]


def test_a_contradiction_within_a_batch_keeps_the_newer():
    decisions = run([candidate("Eats fish", evidence=(1,)), candidate("Does not eat fish", evidence=(2,))])
    assert short(decisions) == [(DISCARD, ()), (ADD, ())]


def test_two_that_repeat_one_memory_update_it_once():
    known = [(memory(1, "Lives in Lyon near the park", turns=(1,)), 0.96)]
    decisions = run(
        [candidate("Lives in Lyon", evidence=(5,)), candidate("Lives near the park", evidence=(6,))],
        {0: known, 1: known},
    )
    assert short(decisions) == [(DISCARD, ()), (UPDATE, (1,))]
    assert decisions[1].candidate.evidence == (5, 6)


TEA = memory(1, "Likes tea", attributes=Attributes(custom_features={"drink": "tea"}), keywords=("tea",))
NEAR = {0: [(TEA, 0.8)]}


def test_the_judge_is_asked_once_and_only_about_what_is_near():
    judge = Says()
    decisions = run(
        [candidate("Likes green tea"), candidate("Has a dog"), candidate("Likes tea")],
        {**NEAR, 1: [(TEA, 0.2)], 2: [(TEA, 0.99)]},
        judge,
    )
    assert short(decisions) == [(ADD, ()), (ADD, ()), (UPDATE, (1,))]
    assert [[case.index for case in cases] for cases in judge.asked] == [[0]]
    assert judge.asked[0][0].memories == (TEA,)


def test_the_judge_sees_all_of_the_slot():
    """However far they are by vector."""
    judge = Says()
    run(
        [candidate("Is vegetarian", slot="diet")],
        {0: [(memory(1, "Grills steak daily", slot="diet"), 0.3)]},
        judge,
    )
    assert [[one.memory_id for one in case.memories] for case in judge.asked[0]] == [[1]]


BEEF = memory(1, "User's favorite protein is beef.", slot="food.favorite_protein")
NO_MEAT = candidate("User no longer eats meat.", slot="diet", exclusive=True, negates=True, ends=(1,))


def test_what_its_extractor_says_it_ends_is_ended_without_a_judge():
    assert short(run([NO_MEAT], {0: [(BEEF, 0.39)]})) == [(SUPERSEDE, (1,))]


def test_what_its_extractor_says_it_ends_is_judged_however_far():
    judge = Says()
    run([NO_MEAT], {0: [(BEEF, 0.1), (memory(2, "User has a dog."), 0.2)]}, judge)
    assert [[one.memory_id for one in case.memories] for case in judge.asked[0]] == [[1]]


def test_the_judge_is_not_asked_without_cases():
    judge = Says()
    run([candidate("Likes tea")], {0: [(TEA, 1.0)]}, judge)
    assert judge.asked == []


def test_a_merge_unites_text_features_keywords_and_life():
    merge = Verdict(
        index=0, action=MERGE, targets=(1,), content="Likes green and black tea", reason="one topic"
    )
    one = candidate(
        "Likes green tea",
        time_to_live=TimeToLive.ONE_DAY,
        custom_features={"colour": "green"},
        keywords=("green",),
    )
    [decision] = run([one], NEAR, Says(merge))
    assert (decision.action, decision.targets, decision.reason) == (MERGE, (1,), "one topic")
    assert decision.candidate.content == "Likes green and black tea"
    assert decision.candidate.custom_features == {"drink": "tea", "colour": "green"}
    assert decision.candidate.keywords == ("green", "tea")
    assert decision.candidate.time_to_live is TimeToLive.INFINITY


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(index=0, action=UPDATE, targets=(99,)),
        Verdict(index=0, action=SUPERSEDE),
        Verdict(index=0, action=MERGE, targets=(1,), content=""),
        Verdict(index=0, action=MERGE, targets=(1, 99), content=None),
        Verdict(index=0, action=DISCARD),
        Verdict(index=0, action=DISCARD, twin=0),
        Verdict(index=0, action=DISCARD, twin=7),
        Verdict(index=5, action=UPDATE, targets=(1,)),
    ],
    ids=lambda verdict: f"{verdict.action} {verdict.targets} {verdict.twin}",
)
def test_impossible_verdicts_count_as_add(verdict):
    """Nothing that was learned is lost by what a judge says."""
    assert short(run([candidate("Likes green tea")], NEAR, Says(verdict))) == [(ADD, ())]


def test_the_first_of_two_verdicts_counts():
    replace, same = (Verdict(index=0, action=action, targets=(1,)) for action in (SUPERSEDE, UPDATE))
    assert short(run([candidate("Likes green tea")], NEAR, Says(replace, same))) == [(SUPERSEDE, (1,))]


def test_a_judge_cannot_let_an_older_turn_win():
    verdict = Verdict(index=0, action=SUPERSEDE, targets=(1,))
    assert short(run([candidate("Likes coffee", evidence=(2,))], NEAR, Says(verdict))) == [(DISCARD, ())]


@pytest.mark.parametrize(("through", "expected"), [(2_000, (DISCARD, ())), (1_999, (MERGE, (1, 2)))])
def test_a_judge_cannot_merge_what_a_person_confirmed_since(through, expected):
    """With a turn that was said before that; what is said later may be merged."""
    near = [
        (memory(1, "Likes tea", attributes=Attributes(confirmed_through=through)), 0.8),
        (memory(2, "Likes tea a lot"), 0.8),
    ]
    judge = Says(Verdict(index=0, action=MERGE, targets=(1, 2), content="Likes all tea"))
    assert short(run([candidate("Likes green tea")], {0: near}, judge)) == [expected]


def test_candidates_that_are_twins_are_judged_and_joined():
    """Also where the judge runs in a circle: one of them stays."""
    one, two = np.array([1.0, 0.0], dtype=np.float32), np.array([0.85, 0.5267827], dtype=np.float32)
    twins = [
        Embedded(candidate("Fond of tea", evidence=(1,)), one),
        Embedded(candidate("Tea lover", evidence=(2,)), two),
    ]
    judge = Says(Verdict(index=0, action=DISCARD, twin=1), Verdict(index=1, action=DISCARD, twin=0))
    decisions = run(twins, judge=judge)
    assert [case.twins for case in judge.asked[0]] == [(1,), (0,)]
    assert short(decisions) == [(DISCARD, ()), (ADD, ())]
    assert decisions[1].candidate.evidence == (1, 2)


def test_twins_keep_the_features_of_both():
    """Those of the one that stays first."""
    twin = candidate("Likes tea", evidence=(1,)).model_copy(
        update={"custom_features": {"sure": 1, "kind": "green"}}
    )
    stays = candidate("likes tea.", evidence=(2,)).model_copy(update={"custom_features": {"sure": 2}})
    assert joined(stays, [twin]).custom_features == {"sure": 2, "kind": "green"}


TEXTS = st.sampled_from(
    ["Lives in Lyon", "lives in Lyon.", "Is living in Lyon", "Lives in Rome", "No longer lives in Rome", "Eats fish",
     "Does not eat fish", "Likes tea", "Likes green tea"]
)  # fmt: skip
SLOTS = st.sampled_from(["", "home", "diet"])
MEMORIES = st.builds(
    lambda number, text, slot, turn: memory(number, text, slot=slot, turns=(turn,)),
    st.integers(1, 5), TEXTS, SLOTS, st.integers(1, 40),
)  # fmt: skip
VECTORS = st.sampled_from([None, *(np.array(v, dtype=np.float32) for v in ([1, 0], [0, 1], [0.6, 0.8]))])


@st.composite
def batches(draw, least=0):
    """Candidates whose newest turns differ, each with neighbours."""
    turns = draw(st.lists(st.integers(1, 50), unique=True, min_size=least, max_size=6))
    flags = st.booleans()
    embedded = [
        Embedded(
            candidate(
                draw(TEXTS), evidence=(turn,), slot=draw(SLOTS), exclusive=draw(flags), negates=draw(flags)
            ),
            draw(VECTORS),
        )
        for turn in turns
    ]
    found = st.lists(MEMORIES, max_size=4, unique_by=lambda one: one.memory_id)
    near = [[Neighbour(memory=one, cosine=draw(st.floats(-1, 1))) for one in draw(found)] for _ in turns]
    return embedded, near


def verdicts(count):
    index = st.integers(-1, count)
    targets = st.lists(st.integers(0, 6), max_size=3).map(tuple)
    content = st.sampled_from([None, "", "merged"])
    one = st.builds(Verdict, index=index, action=st.sampled_from(Action), targets=targets, twin=st.none() | index, rivals=st.lists(index, max_size=2).map(tuple), content=content)  # fmt: skip
    return st.lists(one, max_size=2 * count + 1)


@given(st.data(), batches())
def test_whatever_a_judge_says_decisions_can_be_carried_out(data, batch):
    """One decision each, targets among the neighbours and never twice, no evidence invented, not all thrown away."""
    embedded, near = batch
    judge = Says(*data.draw(verdicts(len(embedded))))
    decisions = asyncio.run(deduplicate(embedded, dict(enumerate(near)), judge=judge))
    assert len(decisions) == len(embedded)
    targets = [target for decision in decisions for target in decision.targets]
    assert len(targets) == len(set(targets))
    evidence = {turn for one in embedded for turn in one.candidate.evidence}
    for decision, one, found in zip(decisions, embedded, near, strict=True):
        assert set(decision.targets) <= {neighbour.memory.memory_id for neighbour in found}
        assert bool(decision.targets) == (decision.action in {UPDATE, MERGE, SUPERSEDE})
        assert decision.action is not UPDATE or len(decision.targets) == 1
        assert set(one.candidate.evidence) <= set(decision.candidate.evidence) <= evidence
        if decision.action is not MERGE:
            assert decision.candidate.content == one.candidate.content
    if embedded and not any(near):
        assert any(decision.action is ADD for decision in decisions)


@given(st.data(), batches(least=1))
def test_order_plays_no_part_without_a_judge(data, batch):
    """Neither that of the neighbours nor that of candidates whose newest turns differ."""
    embedded, near = batch
    order = data.draw(st.permutations(range(len(embedded))))
    shuffled = {place: data.draw(st.permutations(near[index])) for place, index in enumerate(order)}
    before = asyncio.run(deduplicate(embedded, dict(enumerate(near)), judge=None))
    after = asyncio.run(deduplicate([embedded[index] for index in order], shuffled, judge=None))
    assert after == [before[index] for index in order]


@given(batches())
def test_settling_leaves_no_candidate_twice(batch):
    embedded, near = batch
    settled = settle(embedded, dict(enumerate(near)))
    assert not settled.verdicts.keys() & {case.index for case in settled.cases}


@pytest.mark.parametrize(("threshold", "asked"), [(0.0, 0), (0.4, 1), (0.9, 0)])
def test_threshold_of_the_candidate_says_what_is_judged(threshold, asked):
    """Relevance 0.4 is a cosine of 0.28; without a threshold the judge is asked from 0.5 on."""
    one = Embedded(candidate("Plays chess."), threshold=threshold)
    judge = Says()
    run([one], {0: [(memory(1, "Is married to Tom."), 0.32)]}, judge)
    assert len(judge.asked) == asked


def test_merge_keeps_the_candidate_as_it_was():
    """What was proposed can be told from what it became."""
    one = candidate("Swims.", keywords=("new",))
    judge = Says(Verdict(index=0, action=MERGE, targets=(1,), content="Runs and swims."))
    [decision] = run([one], {0: [(memory(1, "Runs."), 0.7)]}, judge)
    assert (decision.candidate.content, decision.unmerged) == ("Runs and swims.", one)
    [added] = run([one])
    assert added.unmerged is None


def test_two_that_merge_into_one_text_become_one():
    """Both candidates are judged one with the same memory: one merge, which rests on the turns of both."""
    first, second = candidate("Uses pnpm.", evidence=(1,)), candidate("Their team uses pnpm.", evidence=(2,))
    known = {index: [(memory(1, "Works with pnpm."), 0.7)] for index in (0, 1)}
    verdicts = [
        Verdict(index=index, action=MERGE, targets=(1,), content=text)
        for index, text in ((0, "Uses pnpm, with their team."), (1, "uses pnpm with their team"))
    ]
    decisions = run([first, second], known, Says(*verdicts))
    assert short(decisions) == [(DISCARD, ()), (MERGE, (1,))]
    assert decisions[1].candidate.evidence == (1, 2)


def test_merge_takes_in_a_memory_that_says_just_that_already():
    """The text of a merge is that of another memory: it goes in too, so that none is there twice."""
    known = {0: [(memory(1, "Uses pnpm."), 0.8), (memory(2, "Uses pnpm, with their team."), 0.6)]}
    judge = Says(Verdict(index=0, action=MERGE, targets=(1,), content="Uses pnpm, with their team"))
    assert short(run([candidate("Their team uses pnpm.")], known, judge)) == [(MERGE, (1, 2))]


class Patient(list):
    """Memories that are only handed out once the event loop went round; or never, after a while."""

    def __init__(self, *near):
        super().__init__(near)
        self.went_round = threading.Event()
        self.waited = []

    def __iter__(self):
        self.waited.append(self.went_round.wait(10))
        return super().__iter__()


def test_the_event_loop_goes_on_while_words_are_compared():
    """However many memories there are: others are served meanwhile."""
    near = Patient(Neighbour(memory=memory(1, "Lives in Lyon"), cosine=0.9))

    async def compare():
        asyncio.get_running_loop().call_soon(near.went_round.set)
        return await deduplicate([Embedded(candidate("Lives in Lyon"))], {0: near}, judge=None)

    assert short(asyncio.run(compare())) == [(UPDATE, (1,))]
    assert near.waited
    assert all(near.waited)


CLAIM = {"is_unconfirmed": True, "said_at": AUGUST}
CLAIMED = Attributes(slot="location.home", said_at=AUGUST, is_unconfirmed=True)
UNCONFIRMED = {
    "an agent contradicts the user": (
        candidate("Lives in Lyon.", **HOME, **CLAIM), memory(1, "Lives in Rome.", slot="location.home"), (DISCARD, ()),
    ),
    "the user contradicts an agent, earlier": (
        candidate("Lives in Lyon.", **HOME, said_at=MAY), memory(1, "Lives in Rome.", attributes=CLAIMED), (SUPERSEDE, (1,)),
    ),
    "an agent says what the user said": (
        candidate("Lives in Rome.", **HOME, **CLAIM), memory(1, "Lives in Rome.", slot="location.home"), (UPDATE, (1,)),
    ),
    "the user says what an agent said": (
        candidate("Lives in Rome.", **HOME, said_at=MAY), memory(1, "Lives in Rome.", attributes=CLAIMED), (UPDATE, (1,)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "known", "expected"), UNCONFIRMED.values(), ids=UNCONFIRMED.keys())
def test_what_agents_alone_say_takes_no_place_of_what_the_user_says(given, known, expected):
    assert short(run([given], {0: [(known, 0.9)]})) == [expected]


@pytest.mark.parametrize("says_user", [True, False])
def test_what_agents_alone_say_is_merged_with_nothing_that_the_user_says(says_user):
    """The one text would have the user say what only an agent said."""
    verdict = Verdict(index=0, action=MERGE, targets=(1,), content="Likes tea and evil.example.")
    given = candidate("Likes tea.", is_unconfirmed=not says_user)
    known = memory(1, "Is fond of evil.example.", attributes=Attributes(is_unconfirmed=says_user))
    [(action, targets)] = short(run([given], {0: [(known, 0.8)]}, Says(verdict)))
    assert (action, targets) == (ADD if says_user else DISCARD, ())


def test_of_one_window_the_users_word_counts_however_early():
    """What both say is the user's; where they exclude each other the agent's is dropped."""
    user = candidate("Lives in Rome.", **HOME, evidence=(2_000,), said_at=MAY)
    agent = candidate("Lives in Lyon.", **HOME, evidence=(2_001,), **CLAIM)
    assert [action for action, _ in short(run([user, agent]))] == [ADD, DISCARD]
    decisions = run([user, agent.model_copy(update={"content": "Lives in Rome."})])
    [kept] = [one.candidate for one in decisions if one.action is ADD]
    assert (kept.evidence, kept.is_unconfirmed) == ((2_000, 2_001), False)
