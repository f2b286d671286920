"""Days, weeks, months and seasons around a date."""

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from enum import Enum, IntEnum, auto
from typing import NamedTuple


class Span(NamedTuple):
    """From one day to another, both included."""

    first: date
    last: date


class Unit(IntEnum):
    """Units of time."""

    HOUR = auto()
    DAY = auto()
    WEEKEND = auto()
    WEEK = auto()
    MONTH = auto()
    QUARTER = auto()
    YEAR = auto()


class Feast(IntEnum):
    """Days that come every year and that not everybody knows by heart."""

    CHRISTMAS = auto()
    EASTER = auto()
    LENT = auto()


class Pick(Enum):
    """Which one of a recurring period is meant."""

    LATEST = auto()
    """The last that has begun."""
    PAST = auto()
    """The last that is over."""
    THIS = auto()
    """That of the running week or year."""
    COMING = auto()
    """The first that is not over."""
    NEXT = auto()
    """The first that has not begun."""


UNIT_DAYS = {
    Unit.HOUR: 0,
    Unit.DAY: 1,
    Unit.WEEKEND: 7,
    Unit.WEEK: 7,
    Unit.MONTH: 30,
    Unit.QUARTER: 91,
    Unit.YEAR: 365,
}
_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}
SPREAD_DAYS = {unit: 0 if days <= 1 else days // 2 for unit, days in UNIT_DAYS.items()}
"""How far off "two weeks ago" may be: half a unit; days are taken at their word."""


def one_day(day: date, days: int = 0) -> Span:
    """Return the day that lies *days* after *day*."""
    moved = day + timedelta(days=days)
    return Span(moved, moved)


def shift(day: date, unit: Unit, count: int) -> date:
    """Return the same day *count* units later; the 31st becomes the last of a shorter month."""
    if unit not in _MONTHS:
        return day + timedelta(days=int(count / 24) if unit is Unit.HOUR else count * UNIT_DAYS[unit])
    months = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
    return day_of(months // 12, months % 12 + 1, day.day)


def day_of(year: int, month: int, day: int) -> date:
    """Return the date, or the month's last day where *day* is beyond it."""
    return date(year, month, min(day, monthrange(year, month)[1]))


def calendar_unit(unit: Unit, today: date, offset: int) -> Span:
    """Return the whole week, month … that comes *offset* after the one of *today*; weeks begin on Monday."""
    match unit:
        case Unit.HOUR | Unit.DAY:
            return one_day(today, offset)
        case Unit.WEEK | Unit.WEEKEND:
            monday = today + timedelta(days=7 * offset - today.weekday())
            return Span(monday + timedelta(days=5 if unit is Unit.WEEKEND else 0), monday + timedelta(days=6))
        case Unit.MONTH | Unit.QUARTER | Unit.YEAR:
            length = _MONTHS[unit]
            begun = (today.month - 1) // length * length + 1
            first = shift(today.replace(month=begun, day=1), unit, offset)
            return Span(first, shift(first, unit, 1) - timedelta(days=1))


def ago(unit: Unit, today: date, low: int, high: int) -> Span:
    """Return the time *low* to *high* units before *today*, half a unit wide to either side."""
    if unit is Unit.WEEKEND:
        return Span(calendar_unit(unit, today, -high).first, calendar_unit(unit, today, -low).last)
    spread = timedelta(days=SPREAD_DAYS[unit])
    return Span(shift(today, unit, -high) - spread, shift(today, unit, -low) + spread)


def weekday(number: int, today: date, pick: Pick) -> Span:
    """Return the day of the week (Monday is 0) that is meant."""
    since = (today.weekday() - number) % 7
    match pick:
        case Pick.LATEST:
            return one_day(today, -since)
        case Pick.PAST:
            return one_day(today, -(since or 7))
        case Pick.THIS:
            return one_day(today, number - today.weekday())
        case Pick.COMING:
            return one_day(today, -since % 7)
        case Pick.NEXT:
            return one_day(today, -since % 7 or 7)


def yearly(of_year: Callable[[int], Span], today: date, pick: Pick) -> Span:
    """
    Return the occurrence that is meant of something that comes every year.

    Args:
        of_year: gives the occurrence that begins in a year.
        today: the reference date.
        pick: which occurrence.
    """
    near = [of_year(today.year + offset) for offset in (-2, -1, 0, 1, 2)]
    match pick:
        case Pick.LATEST:
            return max(span for span in near if span.first <= today)
        case Pick.PAST:
            return max(span for span in near if span.last < today)
        case Pick.THIS:
            return near[1] if near[1].last >= today else near[2]
        case Pick.COMING:
            return min(span for span in near if span.last >= today)
        case Pick.NEXT:
            return min(span for span in near if span.first > today)


def month(number: int, year: int) -> Span:
    """Return a month of a year; January is 1."""
    return Span(date(year, number, 1), day_of(year, number, 31))


def season(number: int, year: int) -> Span:
    """Return a season of the northern half of the earth, spring being 1, by whole months; winter begins in December."""
    first = date(year, 3 * number, 1)
    return Span(first, shift(first, Unit.QUARTER, 1) - timedelta(days=1))


def feast(which: int, year: int) -> Span:
    """Return the days of a `Feast` of the western churches: Christmas from its eve, Easter from Good Friday."""
    if which == Feast.CHRISTMAS:
        return Span(date(year, 12, 24), date(year, 12, 26))
    from dateutil.easter import easter  # noqa: PLC0415  few questions name a feast

    sunday = easter(year)
    first, last = (-46, -1) if which == Feast.LENT else (-2, 1)
    return Span(one_day(sunday, first).first, one_day(sunday, last).first)


def third(span: Span, number: int) -> Span:
    """Return the early (0), middle (1) or late (2) third of *span*."""
    days = (span.last - span.first).days + 1
    first = span.first + timedelta(days=days * number // 3)
    return Span(first, max(first, span.first + timedelta(days=days * (number + 1) // 3 - 1)))
