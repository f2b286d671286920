"""The conclusions from many comparisons of an agent with its shadow, and how far to trust the judge."""

import math
from datetime import datetime
from enum import StrEnum
from typing import Literal

from sagacity.domain.base import DescribedValue, Value
from sagacity.domain.evaluation import RegularVsShadow
from sagacity.domain.ids import SessionId, UserId

FEWEST = 20
"""At least this many sessions must be decided before anything is claimed: four out of four are chance once in eight."""
_Z = 1.959963984540054
"""The normal distribution's two-sided 95 %."""
_LEVEL = 0.05


class ShadowFilter(Value):
    """Which comparisons to count; None for any."""

    start: datetime
    """At or after this moment."""
    end: datetime
    """Up to this moment."""
    agent_version: str | None = None
    source: str | None = None
    evaluation_name: str | None = None


class Finding(StrEnum):
    """What a share says of the two versions."""

    SHADOW_BETTER = "shadow_better"
    REGULAR_BETTER = "regular_better"
    NO_DIFFERENCE_SHOWN = "no_difference_shown"
    TOO_FEW = "too_few"


class Preference(StrEnum):
    """Whether a judge favours a version for its place."""

    FIRST_PREFERRED = "first_preferred"
    SECOND_PREFERRED = "second_preferred"
    NONE_SHOWN = "none_shown"
    TOO_FEW = "too_few"


class Interval(DescribedValue):
    """A Wilson score interval with 95 % confidence."""

    low: float
    """Its lower end, from 0 to 1."""
    high: float
    """Its upper end, from 0 to 1."""


class ShadowCounts(DescribedValue):
    """How the agent and its shadow compared; a session counts once, by all its evaluators together."""

    sessions: int = 0
    """Sessions that were compared."""
    shadow_wins: int = 0
    """Sessions in which the shadow was better, clearly or slightly."""
    regular_wins: int = 0
    """Sessions in which the answers that the user saw were better, clearly or slightly."""
    ties: int = 0
    """Sessions in which neither was better."""
    comparisons: int = 0
    """Verdicts: one for each evaluator and session."""
    verdicts: dict[RegularVsShadow, int] = {}
    """How many verdicts say what."""
    regular_successes: int = 0
    """Verdicts by which the session was a success with the answers that the user saw."""
    shadow_successes: int = 0
    """Verdicts by which it would have been one with the shadow's answers."""


class ShadowTally(ShadowCounts):
    """How the agent and its shadow compared, and what follows from it."""

    shadow_win_rate: float | None = None
    """The share of decided sessions, ties left out, that the shadow won; null without any."""
    interval: Interval | None = None
    """In which the true share lies; null without a decided session."""
    finding: Finding = Finding.TOO_FEW
    """`shadow_better` or `regular_better` if the whole interval is on one side of a half; `too_few` below 20."""


class ShadowGroup(ShadowTally):
    """The sessions of one agent version and source."""

    agent_version: str
    """The version that answered last."""
    source: str
    """The source of the last request that names one."""


class PositionCounts(Value):
    """Verdicts for one order in which the two versions were shown."""

    is_shadow_first: bool
    shadow_wins: int = 0
    regular_wins: int = 0
    ties: int = 0


class PositionCheck(DescribedValue):
    """
    Whether the judge favours the version that it is shown first, or second.

    Which comes first is drawn by lot, so without such a bias each place wins half of the decided verdicts.
    """

    shadow_first: int = 0
    """Verdicts for which the shadow was shown first."""
    regular_first: int = 0
    """Verdicts for which the answers that the user saw were shown first."""
    decided: int = 0
    """Verdicts that are no tie."""
    first_wins: int = 0
    """Decided verdicts for the version that was shown first."""
    p_value: float | None = None
    """Two-sided binomial test: how likely so uneven a result is without a bias; null without a decided verdict."""
    shadow_win_rate_when_first: float | None = None
    """The shadow's share of decided verdicts where it was shown first; null without any."""
    shadow_win_rate_when_second: float | None = None
    """The shadow's share of decided verdicts where it was shown second; null without any."""
    finding: Preference = Preference.TOO_FEW
    """`first_preferred` or `second_preferred` if the p-value is below 0.05; `too_few` below 20 decided verdicts."""


class Comparison(DescribedValue):
    """One evaluator's comparison of a session."""

    evaluation_name: str | None = None
    """The evaluator that judged."""
    regular_vs_shadow: RegularVsShadow
    """Which answers were better: the agent's, or those recorded for comparison."""
    is_success: bool
    """Whether the session was a success with the answers that the user saw."""
    is_shadow_success: bool | None = None
    """Whether it would have been one with the shadow's answers; null if that was not kept."""
    shown_first: Literal["regular", "shadow"] | None = None
    """Which version was shown first: in `reason` it is called A. Null if that was not kept."""
    reason: str = ""
    """What makes the difference, in the judge's words."""
    created_at: datetime
    """When it was judged."""


class DifferingSession(DescribedValue):
    """A session in which the two versions differ."""

    user_id: UserId | None = None
    """The user: the person who talks to the agent."""
    session_id: SessionId
    """The conversation."""
    agent_version: str
    """The version that answered last."""
    source: str
    """The source of the last request that names one."""
    score: int
    """Over its verdicts: 2 for each that the shadow is clearly better, 1 for slightly, -1 and -2 if it is worse."""
    comparisons: tuple[Comparison, ...] = ()
    """What each evaluator said, the newest first."""


class ShadowReport(DescribedValue):
    """How an agent compares with its shadow."""

    period_days: int
    """Number of periods of 24 hours that it covers, up to now."""
    total: ShadowTally
    """All sessions together."""
    groups: tuple[ShadowGroup, ...] = ()
    """By agent version and source, the largest first; at most 100."""
    position: PositionCheck
    """Whether the judge favours a version for its place."""
    sessions: tuple[DifferingSession, ...] = ()
    """Those in which the versions differ most."""
    summary: tuple[str, ...] = ()
    """What it says, in sentences."""


def wilson(successes: int, count: int) -> Interval | None:
    """
    Return the interval in which a share lies with 95 % confidence; None where nothing was counted.

    Source: Wilson, JASA 22 (1927), recommended by Brown, Cai & DasGupta, Stat. Sci. 16 (2001).
    """
    if not count:
        return None
    share, square = successes / count, _Z * _Z
    centre = (share + square / (2 * count)) / (1 + square / count)
    margin = _Z * math.sqrt(share * (1 - share) / count + square / (4 * count * count)) / (1 + square / count)
    return Interval(low=max(0.0, centre - margin), high=min(1.0, centre + margin))


def binomial_p(successes: int, count: int) -> float | None:
    """Return how likely a fair coin falls so unevenly, or more, to either side; None where nothing was counted."""
    if not count:
        return None
    at = max(successes, count - successes)
    term = math.exp(
        math.lgamma(count + 1) - math.lgamma(at + 1) - math.lgamma(count - at + 1) - count * math.log(2)
    )
    total = 0.0
    while at <= count and term > total * 1e-17:
        total += term
        term *= (count - at) / (at + 1)
        at += 1
    return min(1.0, 2 * total)


def tally(counts: ShadowCounts) -> ShadowTally:
    """Return counts with what follows from them."""
    decided = counts.shadow_wins + counts.regular_wins
    interval = wilson(counts.shadow_wins, decided)
    finding = Finding.NO_DIFFERENCE_SHOWN
    if decided < FEWEST or interval is None:
        finding = Finding.TOO_FEW
    elif interval.low > 1 / 2:
        finding = Finding.SHADOW_BETTER
    elif interval.high < 1 / 2:
        finding = Finding.REGULAR_BETTER
    return ShadowTally(
        **dict(counts),
        shadow_win_rate=_share(counts.shadow_wins, decided),
        interval=interval,
        finding=finding,
    )


def position_check(found: list[PositionCounts]) -> PositionCheck:
    """Return what the verdicts say about their judge, given one row for each order used."""
    none = {order: PositionCounts(is_shadow_first=order) for order in (True, False)}
    by_order = none | {one.is_shadow_first: one for one in found}
    first, second = by_order[True], by_order[False]
    decided = sum(one.shadow_wins + one.regular_wins for one in by_order.values())
    first_wins = first.shadow_wins + second.regular_wins
    p_value = binomial_p(first_wins, decided)
    finding = Preference.NONE_SHOWN
    if decided < FEWEST or p_value is None:
        finding = Preference.TOO_FEW
    elif p_value < _LEVEL:
        finding = Preference.FIRST_PREFERRED if 2 * first_wins > decided else Preference.SECOND_PREFERRED
    return PositionCheck(
        shadow_first=first.shadow_wins + first.regular_wins + first.ties,
        regular_first=second.shadow_wins + second.regular_wins + second.ties,
        decided=decided,
        first_wins=first_wins,
        p_value=p_value,
        shadow_win_rate_when_first=_share(first.shadow_wins, first.shadow_wins + first.regular_wins),
        shadow_win_rate_when_second=_share(second.shadow_wins, second.shadow_wins + second.regular_wins),
        finding=finding,
    )


def summary_of(total: ShadowTally, position: PositionCheck) -> tuple[str, ...]:
    """Return the conclusions of a report in sentences."""
    if not total.sessions:
        return ("No session was compared with a shadow.",)
    return (_about(total), _about_position(position))


def _about(total: ShadowTally) -> str:
    decided = total.shadow_wins + total.regular_wins
    if total.finding is Finding.TOO_FEW or total.interval is None:
        return f"Too few sessions to say which is better: {decided} decided, and {FEWEST} are needed."
    rate = f"{total.shadow_wins} of {decided} decided sessions (95% interval: {total.interval.low:.0%} to "
    rate += f"{total.interval.high:.0%})"
    match total.finding:
        case Finding.SHADOW_BETTER:
            return f"The shadow is better: it won {rate}."
        case Finding.REGULAR_BETTER:
            return f"The agent's own answers are better: the shadow won only {rate}."
        case _:
            return f"No difference is shown: the shadow won {rate}."


def _about_position(position: PositionCheck) -> str:
    if position.finding is Preference.TOO_FEW:
        return (
            f"Too few verdicts to check the judge for position bias: {position.decided} decided, and "
            f"{FEWEST} are needed."
        )
    told = f"the version shown first won {position.first_wins} of {position.decided} (p = {position.p_value:.2g})"
    match position.finding:
        case Preference.FIRST_PREFERRED:
            return f"The judge favours the version that it is shown first: {told}. Read the result with care."
        case Preference.SECOND_PREFERRED:
            return (
                f"The judge favours the version that it is shown second: {told}. Read the result with care."
            )
        case _:
            return f"No position bias is shown: {told}."


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
