"""
What a holdout finds if the truth is known, and how often it is wrong if its report is read every day.

    python benchmarks/holdout.py [--quick]

200 playbooks: 20 help, 10 harm, the others do nothing. Nothing is served; the statistics are the product's own.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from harness import Budget, Effort, Report, Table, median, run

from sagacity.domain.effect_evidence import weighed
from sagacity.domain.effects import EffectFinding, Lots

PLAYBOOKS, HELPING, HARMING = 200, 20, 10
SESSIONS_A_DAY, SURFACED, DAYS = 400, 8, 90
BASE = 0.5
"""How likely a session is a success without any playbook that does something."""
SET_UPS = ((0.05, 0.3), (0.1, 0.3), (0.1, 0.2), (0.2, 0.2), (0.2, 0.1))
"""Share that is held out, and by how much those that do something raise or lower success."""
_Z = 1.96
Counts = npt.NDArray[np.int64]


@dataclass
class Seen:
    """What was found day by day, in all runs of one set-up."""

    day_found: list[int] = field(default_factory=list)
    """Of each playbook that does something and was found the right way, since when."""
    found: int = 0
    """Of those that do something, how many were on the last day."""
    true: int = 0
    wrong_by_day: list[list[float]] = field(default_factory=list)
    """For each run and day, which share of the findings was wrong."""
    ever_wrong: list[float] = field(default_factory=list)
    """For each run, which share of all that was ever found was wrong."""
    naive: list[float] = field(default_factory=list)
    """For each run, which share of playbooks without effect a daily test at 5% ever called a finding."""


def truth(effect: float) -> npt.NDArray[np.float64]:
    """What each playbook does to success."""
    effects = np.zeros(PLAYBOOKS)
    effects[:HELPING], effects[HELPING : HELPING + HARMING] = effect, -effect
    return effects


def one_day(random: np.random.Generator, share: float, effects: npt.NDArray[np.float64]) -> Counts:
    """Sessions of one day by playbook, whether it was held out, and success: int64 [playbook, 2, 2]."""
    surfaced = np.argsort(random.random((SESSIONS_A_DAY, PLAYBOOKS)), axis=1)[:, :SURFACED]
    held_out = random.random(surfaced.shape) < share
    rate = BASE + np.where(held_out, 0.0, effects[surfaced]).sum(axis=1)
    success = np.broadcast_to((random.random(SESSIONS_A_DAY) < rate)[:, None], surfaced.shape)
    counts = np.zeros((PLAYBOOKS, 2, 2), dtype=np.int64)
    np.add.at(counts, (surfaced, held_out.astype(int), success.astype(int)), 1)
    return counts


def findings(counts: Counts, share: float) -> npt.NDArray[np.int64]:
    """What is said of each playbook: 1 for helps, -1 for harms, 0 for nothing."""
    cells = [(out, won) for out in (0, 1) for won in (0, 1)]
    lots = [
        [
            Lots(share=share, is_held_out=bool(out), sessions=int(one[out, won]), is_success=bool(won))
            for out, won in cells
            if one[out, won]
        ]
        for one in counts
    ]
    said = {EffectFinding.HELPS: 1, EffectFinding.HARMS: -1}
    return np.array([said.get(one.finding, 0) for one in weighed(lots)])


def naive_findings(counts: Counts) -> npt.NDArray[np.bool_]:
    """Which playbooks a test of two proportions would call a finding at 5%."""
    units = counts.sum(axis=2)
    enough = units.min(axis=1) > 0
    rate = counts[:, :, 1] / np.maximum(units, 1)
    pooled = counts[:, :, 1].sum(axis=1) / np.maximum(units.sum(axis=1), 1)
    error = np.sqrt(pooled * (1 - pooled) * (1 / np.maximum(units, 1)).sum(axis=1))
    return enough & (error > 0) & (np.abs(rate[:, 0] - rate[:, 1]) > _Z * error)


def simulate(random: np.random.Generator, share: float, effect: float, days: int, seen: Seen) -> None:
    """Look at one organisation each day."""
    effects = truth(effect)
    sign = np.sign(effects).astype(np.int64)
    counts = np.zeros((PLAYBOOKS, 2, 2), dtype=np.int64)
    since = np.zeros(PLAYBOOKS, dtype=np.int64)
    ever, naive = np.zeros(PLAYBOOKS, dtype=bool), np.zeros(PLAYBOOKS, dtype=bool)
    wrong_by_day = list[float]()
    for day in range(1, days + 1):
        counts += one_day(random, share, effects)
        said = findings(counts, share)
        wrong = (said != 0) & (said != sign)
        wrong_by_day.append(wrong.sum() / max((said != 0).sum(), 1))
        since[(since == 0) & (said != 0) & (said == sign)] = day
        ever |= said != 0
        naive |= naive_findings(counts)
    is_true = sign != 0
    seen.wrong_by_day.append(wrong_by_day)
    seen.ever_wrong.append(float((ever & ~is_true).sum() / max(ever.sum(), 1)))
    seen.naive.append(float(naive[~is_true].mean()))
    seen.true += int(is_true.sum())
    seen.found += int((is_true & (said == sign)).sum())
    seen.day_found += since[is_true & (since > 0)].tolist()


def measure(effort: Effort) -> Report:
    """Simulate each set-up some times."""
    random = np.random.default_rng(20)
    rows, worst, worst_ever = list[tuple[str, ...]](), 0.0, 0.0
    runs, days = effort.pick(1, 12), effort.pick(20, DAYS)
    for share, effect in SET_UPS:
        seen = Seen()
        for _ in range(runs):
            simulate(random, share, effect, days, seen)
        by_day, ever = float(np.mean(seen.wrong_by_day)), float(np.mean(seen.ever_wrong))
        worst_day = float(np.mean(seen.wrong_by_day, axis=0).max())
        worst, worst_ever = max(worst, by_day), max(worst_ever, ever)
        since = median(seen.day_found) if seen.day_found else 0.0
        rows.append(
            (
                f"{share:.0%}",
                f"{effect:.0%}",
                f"{seen.found / seen.true:.0%}",
                f"{since:.0f}" if since else "-",
                f"{since * SESSIONS_A_DAY * SURFACED / PLAYBOOKS:,.0f}" if since else "-",
                f"{by_day:.1%}",
                f"{worst_day:.1%}",
                f"{ever:.1%}",
                f"{np.mean(seen.naive):.0%}",
            )
        )
    return Report(
        "Effects of memories",
        f"{PLAYBOOKS} playbooks, of which {HELPING} raise success, {HARMING} lower it, and the others do nothing. "
        f"{SESSIONS_A_DAY} sessions a day surface {SURFACED} of them each: "
        f"{SESSIONS_A_DAY * SURFACED // PLAYBOOKS} sessions a day for each playbook. Half of the sessions are a "
        f"success anyway. The report is looked at each day for {days} days, {runs} times over. "
        "Sessions are drawn here; the statistics are those of the server.",
        [
            Budget("wrong among the findings of a day, on average", 100 * worst, 5.0, "%"),
            Budget("wrong among all that was ever found", 100 * worst_ever, 5.0, "%"),
        ],
        [
            Table(
                "Figures",
                (
                    "held out",
                    "effect",
                    "found at the end",
                    "median day",
                    "median sessions a playbook",
                    "wrong, average day",
                    "wrong, worst day",
                    "wrong, ever found",
                    "a daily test at 5%: playbooks without effect that it calls findings",
                ),
                rows,
                "The worst day is the worst of all days' averages over so few runs: one wrong finding that is the only "
                f"one in a run counts {100 / runs:.0f}% there. What is bounded is the average of a day.",
            )
        ],
    )


if __name__ == "__main__":
    run(measure)
