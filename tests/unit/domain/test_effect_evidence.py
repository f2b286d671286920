"""What is claimed of memories, of how many sessions, and how often that is wrong where the truth is known."""

import numpy as np
import pytest

from sagacity.domain.effect_evidence import Weighed, effect_of, summary_of, weighed
from sagacity.domain.effects import FEWEST, MOST_TURNS, EffectFinding, Lots

HELPS, HARMS = EffectFinding.HELPS, EffectFinding.HARMS
SHARE = 0.1


def lots(shown: tuple[int, int], held_out: tuple[int, int], *, share: float = SHARE, **figures) -> list[Lots]:
    """Sessions that were a success, and that were none, of either side."""
    sides = ((False, shown), (True, held_out))
    return [
        Lots(share=share, is_held_out=out, sessions=count, is_success=won, **figures)
        for out, counts in sides
        for won, count in zip((True, False), counts, strict=True)
        if count
    ]


def test_nothing_is_claimed_of_few() -> None:
    """However clear it looks; how many are missing is said; and unjudged sessions are counted, but not compared."""
    few = [*lots((300, 0), (0, FEWEST - 1)), Lots(share=SHARE, is_held_out=True, sessions=7)]
    [told] = weighed([few])
    assert told == Weighed(1.0, EffectFinding.TOO_FEW)
    effect = effect_of(few, told)
    assert (effect.shown_sessions, effect.judged_shown, effect.missing_shown) == (300, 300, 0)
    assert (effect.held_out_sessions, effect.judged_held_out, effect.missing_held_out) == (26, 19, 1)
    assert (effect.success, effect.corrections, effect.turns) == (None, None, None)
    assert weighed([[]]) == [told]


def test_claims_allow_for_all_that_is_compared() -> None:
    """What is a finding by itself is none among many that do nothing; those with too few do not count among these."""
    clear, idle = lots((160, 40), (8, 17)), lots((100, 80), (11, 9))
    assert [one.finding for one in weighed([clear])] == [HELPS]
    together = weighed([clear, *[idle] * 400])
    assert {one.finding for one in together} == {EffectFinding.NO_DIFFERENCE_SHOWN}
    with_few = weighed([clear, *[lots((5, 5), (1, 0))] * 400])
    assert [with_few[0].finding, with_few[1].finding] == [HELPS, EffectFinding.TOO_FEW]
    assert weighed([lots((40, 160), (17, 8))])[0].finding is HARMS


def test_figures_are_in_their_own_units() -> None:
    """Turns are counted up to 50, with the means of both sides and an interval around their difference."""
    both = [
        *lots((100, 0), (0, 0), turns=MOST_TURNS + 50),
        *lots((100, 0), (0, 0), turns=10, corrections=1),
        *lots((0, 0), (30, 0), turns=10, corrections=4),
    ]
    effect = effect_of(both, weighed([both])[0])
    assert effect.turns is not None
    assert effect.corrections is not None
    assert (effect.turns.shown, effect.turns.held_out) == (pytest.approx(30), pytest.approx(10))
    assert effect.turns.low < effect.turns.difference < effect.turns.high
    assert effect.corrections.difference == pytest.approx(-3.5)
    assert effect.finding is EffectFinding.NO_DIFFERENCE_SHOWN


def test_summary_says_what_is_known() -> None:
    assert summary_of([], share=0.0) == ("Nothing is held out: set holdout_share in the configuration.",)
    assert "name the session" in summary_of([], share=0.1)[0]
    told = summary_of([HELPS, HARMS, HARMS, EffectFinding.TOO_FEW], share=0.1)
    assert told[0].startswith("1 of 3 compared memories help, and 2 harm;")
    assert told[1] == "Of 1 more too few sessions were judged to say anything."


def test_true_effects_are_found_and_few_others() -> None:
    """Of 200 playbooks 20 help and 10 harm; looked at every third day (`benchmarks/holdout.py` does so each day)."""
    random, share, days = np.random.default_rng(3), 0.2, 30
    truth = np.array([1] * 20 + [-1] * 10 + [0] * 170)
    counts = np.zeros((200, 2, 2), dtype=np.int64)
    ever_wrong = np.zeros(200, dtype=bool)
    found = np.zeros(200, dtype=np.int64)
    for day in range(days):
        surfaced = np.argsort(random.random((800, 200)), axis=1)[:, :8]
        held_out = random.random(surfaced.shape) < share
        rate = 0.5 + np.where(held_out, 0.0, 0.3 * truth[surfaced]).sum(axis=1)
        won = np.broadcast_to((random.random(800) < rate)[:, None], surfaced.shape)
        np.add.at(counts, (surfaced, held_out.astype(int), won.astype(int)), 1)
        if day % 3 != 2:
            continue
        told = weighed([lots((a, b), (c, d), share=share) for ((b, a), (d, c)) in counts.tolist()])
        found = np.array([{HELPS: 1, HARMS: -1}.get(one.finding, 0) for one in told])
        ever_wrong |= (found != 0) & (found != truth)
    assert ever_wrong.sum() <= 0.05 * 30
    assert (found == truth)[:30].sum() >= 0.9 * 30
