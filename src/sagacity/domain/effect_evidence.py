"""What the counts of sessions with and without a memory allow us to conclude."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sagacity.domain.effects import (
    FEWEST,
    MOST_CORRECTIONS,
    MOST_TURNS,
    Difference,
    Effect,
    EffectFinding,
    Lots,
)
from sagacity.domain.sequential import Cell, bounds_of, discoveries, evidence_of, means_of


def judged(lots: Iterable[Lots], *, held_out: bool) -> int:
    """Return how many sessions on one side were judged."""
    return sum(one.sessions for one in lots if one.is_held_out is held_out and one.is_success is not None)


def is_enough(lots: Sequence[Lots]) -> bool:
    """Return whether enough sessions were judged to claim an effect."""
    return all(judged(lots, held_out=side) >= FEWEST for side in (False, True))


class Weighed(NamedTuple):
    """The amount of evidence, and the conclusion."""

    e_value: float
    finding: EffectFinding


def weighed(of: Sequence[Sequence[Lots]]) -> list[Weighed]:
    """
    Return what may be said of each of many memories, all together.

    Of those that are said to help or to harm, at most one in twenty is wrong on average (e-BH). One with too few
    sessions is not among those compared; how many sessions there are says nothing of how they went.
    """
    evidence = [evidence_of(_cells(lots, _success)) if is_enough(lots) else None for lots in of]
    compared = [place for place, one in enumerate(evidence) if one is not None]
    e_values = [one.either for one in evidence if one is not None]
    found = {compared[place] for place in discoveries(e_values)}
    told = list[Weighed]()
    for place, one in enumerate(evidence):
        if one is None:
            told.append(Weighed(1.0, EffectFinding.TOO_FEW))
        elif place not in found:
            told.append(Weighed(one.either, EffectFinding.NO_DIFFERENCE_SHOWN))
        else:
            helps = one.higher > one.lower
            told.append(Weighed(one.either, EffectFinding.HELPS if helps else EffectFinding.HARMS))
    return told


def effect_of(lots: Sequence[Lots], told: Weighed) -> Effect:
    """Return all that is said of one memory, or of one extractor version."""
    shown, held_out = (judged(lots, held_out=side) for side in (False, True))
    enough = is_enough(lots)
    return Effect(
        finding=told.finding,
        e_value=told.e_value,
        shown_sessions=sum(one.sessions for one in lots if not one.is_held_out),
        held_out_sessions=sum(one.sessions for one in lots if one.is_held_out),
        judged_shown=shown,
        judged_held_out=held_out,
        missing_shown=max(FEWEST - shown, 0),
        missing_held_out=max(FEWEST - held_out, 0),
        success=_difference(_cells(lots, _success), 1) if enough else None,
        corrections=_difference(_cells(lots, _corrections), MOST_CORRECTIONS) if enough else None,
        turns=_difference(_cells(lots, _turns), MOST_TURNS) if enough else None,
    )


def summary_of(findings: Sequence[EffectFinding], *, share: float) -> tuple[str, ...]:
    """Return the conclusions of a report in sentences."""
    if not findings:
        if share:
            return ("No session was drawn yet: searches and contexts have to name the session and its user.",)
        return ("Nothing is held out: set holdout_share in the configuration.",)
    few = findings.count(EffectFinding.TOO_FEW)
    told = (
        f"{findings.count(EffectFinding.HELPS)} of {len(findings) - few} compared memories help, and "
        f"{findings.count(EffectFinding.HARMS)} harm; of these findings at most 5% are wrong on average."
    )
    return (told, f"Of {few} more too few sessions were judged to say anything.") if few else (told,)


def _success(lots: Lots) -> float:
    return 1.0 if lots.is_success else 0.0


def _corrections(lots: Lots) -> float:
    return min(lots.corrections, MOST_CORRECTIONS) / MOST_CORRECTIONS


def _turns(lots: Lots) -> float:
    return min(lots.turns, MOST_TURNS) / MOST_TURNS


def _cells(lots: Sequence[Lots], value_of: Callable[[Lots], float]) -> list[Cell]:
    """Return judged sessions by what matters to one figure."""
    units: dict[tuple[float, bool, float], int] = {}
    for one in lots:
        if one.is_success is not None:
            key = (one.share, one.is_held_out, value_of(one))
            units[key] = units.get(key, 0) + one.sessions
    return [Cell(*key, units=count) for key, count in units.items()]


def _difference(cells: Sequence[Cell], most: int) -> Difference | None:
    """Return means and interval of values from 0 to *most*."""
    shown, held_out = means_of(cells)
    if shown is None or held_out is None:
        return None
    bounds = bounds_of(cells)
    return Difference(
        shown=shown * most,
        held_out=held_out * most,
        difference=(shown - held_out) * most,
        low=bounds.low * most,
        high=bounds.high * most,
    )
