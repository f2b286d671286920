"""Until when a fact is assumed to hold."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Final

from sagacity.domain.change import Candidate
from sagacity.domain.time.lexicon import Sort
from sagacity.domain.time.periods import Unit, day_of, shift
from sagacity.domain.time.romance import ROMANCE, lexicon_of, without_accents

_LASTING: Final = frozenset(
    {"identity", "location.home", "work", "education", "family", "relationship", "project"}
)
"""Areas, or an area with an aspect, whose facts hold until something else is said, without a time to live."""

_ISO = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?(?!\d)"
)
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_MONTHS: Final = {Sort.MONTH, Sort.MONTH_OR_NAME, Sort.MONTH_OR_VERB}
_NEAR_WORDS = 3
"""How many words before a year its month or season may be: "the 3rd of June, Tuesday, 2026"."""


def ends_at(candidate: Candidate, said_at: datetime) -> datetime | None:
    """
    Return when *candidate*, said at *said_at*, stops being assumed to hold; None for never.

    That is the last day that it names or else the end of its time to live, but not before the last date in its text.
    Homes, employers, roles, projects and the like only end when something else is said.
    """
    if candidate.valid_until is not None:
        return _end_of(candidate.valid_until)
    area = candidate.slot.partition(".")[0]
    expiry = candidate.time_to_live.expiry(said_at)
    if expiry is None or area in _LASTING or candidate.slot in _LASTING:
        return None
    named = last_day_in(candidate.content)
    return expiry if named is None else max(expiry, _end_of(named))


def last_day_in(text: str) -> date | None:
    """
    Return the last day that *text* may refer to; None if it names none.

    It reads ISO dates and months, and years alone or with a month or season, in five languages.
    """
    return max(_days_in(text), default=None)


def _days_in(text: str) -> Iterator[date]:
    for found in _ISO.finditer(text):
        year, month = int(found["year"]), int(found["month"])
        last = monthrange(year, month)[1]
        yield date(year, month, min(int(found["day"] or last), last))
    words = [without_accents(word.casefold()) for word in _WORD.findall(_ISO.sub(" ", text))]
    for place, word in enumerate(words):
        if _YEAR.fullmatch(word):
            yield _last_day(int(word), words[max(0, place - _NEAR_WORDS) : place])


def _last_day(year: int, before: list[str]) -> date:
    """Return the last day of the season or month named right before a year, or else of the year."""
    months, seasons = _named()
    season = next((seasons[word] for word in before if word in seasons), None)
    if season is not None:  # over by the end of the month in which the next one begins
        return shift(date(year, 1, 31), Unit.MONTH, 3 * season + 2)
    return day_of(year, next((months[word] for word in reversed(before) if word in months), 12), 31)


@cache
def _named() -> tuple[dict[str, int], dict[str, int]]:
    """Return the months and the seasons of all languages, in lower case and without accents, by their numbers."""
    words = [
        (without_accents(word), it) for code in ("en", *ROMANCE) for word, it in lexicon_of(code).items()
    ]
    months = {word: number for word, (sort, number, _) in words if sort in _MONTHS}
    return months, {word: number for word, (sort, number, _) in words if sort is Sort.SEASON}


def _end_of(day: date) -> datetime:
    """Return the end of a day, in UTC."""
    return datetime.combine(min(day, date.max - timedelta(days=1)), time(), UTC) + timedelta(days=1)
