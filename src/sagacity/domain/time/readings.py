"""One reading for each way to name a time: from its words to the days that it means."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

from sagacity.domain.analysis import AnchorDate, Tense
from sagacity.domain.time import periods
from sagacity.domain.time.lexicon import Sort, Token
from sagacity.domain.time.periods import Pick, Span, Unit, calendar_unit, day_of, one_day, yearly

RECENT_DAYS = 30
OTHER_DAY_DAYS = 14
_LEAP_YEAR = 2000
_STEPS = {Sort.LAST: -1, Sort.PAST: -1, Sort.NEXT: 1}
_MONTHS = (Sort.MONTH, Sort.MONTH_OR_NAME, Sort.MONTH_OR_VERB)


class QuestionTime(NamedTuple):
    """When a question is asked, and which way it looks."""

    today: date
    tense: Tense | None

    @property
    def bare(self) -> Pick:
        """Which occurrence a name without "last" or "next" means."""
        return Pick.COMING if self.tense is Tense.FUTURE else Pick.LATEST


def _find(words: Sequence[Token], *sorts: Sort) -> Token:
    return next(word for word in words if word.sort in sorts)


def _unit(words: Sequence[Token]) -> Unit:
    return Unit(_find(words, Sort.UNIT).low)


def _count(words: Sequence[Token]) -> Token:
    """Return the number among *words*, or the "a" that means one."""
    return next((word for word in words if word.sort is Sort.NUMBER), None) or _find(words, Sort.A)


def _step(words: Sequence[Token]) -> int:
    """Return -1 for last, 0 for this, 1 for next; "this past" and "this coming" are not this."""
    return next((_STEPS[word.sort] for word in words if word.sort in _STEPS), 0)


def _pick(words: Sequence[Token]) -> Pick:
    return {-1: Pick.PAST, 0: Pick.THIS, 1: Pick.NEXT}[_step(words)]


def day_word(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "yesterday"."""
    return one_day(asked.today, _find(words, Sort.DAY).low)


def part_of_day(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "this morning", "last night"."""
    return one_day(asked.today, _step(words))


def ago(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "two weeks ago"."""
    count = _count(words)
    return periods.ago(_unit(words), asked.today, count.low, count.high)


def hence(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "two weeks from now"."""
    count = _count(words)
    return periods.ago(_unit(words), asked.today, -count.high, -count.low)


def in_time(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "in two weeks", which is how long it takes unless the question is about the future."""
    return hence(words, asked) if asked.tense is Tense.FUTURE else None


def lasting(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "for two weeks", from today on."""
    return Span(asked.today, periods.shift(asked.today, _unit(words), _count(words).high))


def nights_ago(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "two nights ago"."""
    count = _count(words)
    return Span(one_day(asked.today, -count.high).first, one_day(asked.today, -count.low).first)


def weekdays_ago(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "two Fridays ago"."""
    latest = periods.weekday(_find(words, Sort.WEEKDAYS, Sort.WEEKDAY).low, asked.today, Pick.PAST)
    return one_day(latest.first, -7 * (_count(words).low - 1))


def before_last(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "the weekend before last"."""
    named = _find(words, Sort.UNIT, Sort.WEEKDAY)
    if named.sort is Sort.WEEKDAY:
        return one_day(periods.weekday(named.low, asked.today, Pick.PAST).first, -7)
    return calendar_unit(Unit(named.low), asked.today, -2)


def running(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "the last three months" and "the past month": up to today, or from today on."""
    count = next((word.high for word in words if word.sort is Sort.NUMBER), 1)
    unit, step = _unit(words), _step(words)
    if unit is Unit.WEEKEND and count == 1:
        return calendar_unit(unit, asked.today, step)
    if unit is Unit.HOUR:
        unit, count = Unit.DAY, -(-count // 24)
    reached = periods.shift(asked.today, unit, step * count)
    return Span(min(reached, asked.today), max(reached, asked.today))


def relative_unit(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "last week"; "the last day" is none that is known."""
    unit = _unit(words)
    return None if unit in {Unit.HOUR, Unit.DAY} else calendar_unit(unit, asked.today, _step(words))


def relative_weekday(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "last Tuesday"."""
    return periods.weekday(_find(words, Sort.WEEKDAY).low, asked.today, _pick(words))


def weekday_of_week(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "Tuesday of last week"."""
    if _unit(words) is not Unit.WEEK:
        return None
    monday = calendar_unit(Unit.WEEK, asked.today, _step(words)).first
    return one_day(monday, _find(words, Sort.WEEKDAY).low)


def bare_weekday(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "on Tuesday"."""
    return periods.weekday(words[0].low, asked.today, asked.bare)


def _of_year(words: Sequence[Token]) -> Callable[[int], Span]:
    """Return what gives a year's month or season."""
    word = _find(words, Sort.SEASON, *_MONTHS)
    return partial(periods.season if word.sort is Sort.SEASON else periods.month, word.low)


def relative_name(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "last spring", "this March"."""
    pick = _pick(words)
    if pick is Pick.THIS and asked.tense is Tense.PAST:
        pick = Pick.LATEST
    return yearly(_of_year(words), asked.today, pick)


def name_of_year(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "in March 2023", "last year in March"."""
    year = next((word.low for word in words if word.sort is Sort.YEAR), None)
    if year is None:
        if _unit(words) is not Unit.YEAR:
            return None
        year = asked.today.year + _step(words)
    return _of_year(words)(year)


def bare_name(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "in March", "in the spring"."""
    return yearly(_of_year(words), asked.today, asked.bare)


def feast(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "over Christmas", "until Easter", "last Christmas"."""
    pick = asked.bare if len(words) == 1 else _pick(words)
    return yearly(partial(periods.feast, _find(words, Sort.FEAST).low), asked.today, pick)


def year(words: Sequence[Token], _asked: QuestionTime) -> Span:
    """Read "in 2022"."""
    return Span(date(words[0].low, 1, 1), date(words[0].low, 12, 31))


def stated_date(words: Sequence[Token]) -> AnchorDate | None:
    """Return the date that *words* name with day and month; None for one that there cannot be."""
    of_year = next((word.low for word in words if word.sort is Sort.YEAR), None)
    numeric = next((word for word in words if word.sort in {Sort.DATE, Sort.SHORT_DATE}), None)
    if numeric is not None:
        month, day = divmod(numeric.low, 100)
        of_year = numeric.high or None
    else:
        month, day = _find(words, *_MONTHS).low, _find(words, Sort.ORDINAL, Sort.NUMBER).low
    if not 1 <= month <= 12 or not 1 <= day <= day_of(_LEAP_YEAR, month, 31).day:  # noqa: PLR2004
        return None
    return AnchorDate(month=month, day=day, year=of_year)


def occurrence(stated: AnchorDate, today: date, pick: Pick) -> Span:
    """Return the day that is meant by a date that may lack its year; 29 February falls on the 28th elsewhere."""
    if stated.year is not None:
        return one_day(day_of(stated.year, stated.month, stated.day))
    return yearly(lambda of_year: one_day(day_of(of_year, stated.month, stated.day)), today, pick)


def explicit_date(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "March 5th", "5 March 2023", "2023-03-05"."""
    stated = stated_date(words)
    return None if stated is None else occurrence(stated, asked.today, asked.bare)


def day_of_month(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "the 15th", "Tuesday the 15th", "the 15th of last month"."""
    day = _find(words, Sort.ORDINAL).low
    if words[-1].sort is Sort.UNIT:
        if _unit(words) is not Unit.MONTH:
            return None
        offset = _step(words)
    elif asked.tense is Tense.FUTURE:
        offset = int(day < asked.today.day)
    else:
        offset = -int(day > asked.today.day)
    whole = calendar_unit(Unit.MONTH, asked.today, offset)
    return one_day(whole.first, day - 1) if 1 <= day <= whole.last.day else None


def now(_words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "now"."""
    return one_day(asked.today)


def lately(_words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "recently"."""
    return Span(one_day(asked.today, -RECENT_DAYS).first, asked.today)


def other_day(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "the other day"."""
    return (
        Span(one_day(asked.today, -OTHER_DAY_DAYS).first, asked.today) if _unit(words) is Unit.DAY else None
    )
