"""Until when a fact is assumed to hold."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from sagacity.domain.change import Candidate

_LASTING: Final = frozenset(
    {"identity", "location.home", "work", "education", "family", "relationship", "project"}
)
"""Areas, or an area with an aspect, in which what is said holds until something else is: no time ends it by itself."""

_LANGUAGES: Final = (
    "january february march april may june july august september october november december",
    "januar februar marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "jan feb mar apr may jun jul aug sep oct nov dec",
)
"""The months in English, German, French, Spanish, Portuguese and short, without accents."""
_MONTHS: Final = {name: n for names in _LANGUAGES for n, name in enumerate(names.split(), start=1)}
_SEASONS: Final = {
    **dict.fromkeys(("spring", "fruhling", "fruhjahr", "printemps", "primavera"), (0, 6)),
    **dict.fromkeys(("summer", "sommer", "ete", "verano", "verao"), (0, 9)),
    **dict.fromkeys(("autumn", "fall", "herbst", "automne", "otono", "outono"), (0, 12)),
    **dict.fromkeys(("winter", "hiver", "invierno", "inverno"), (1, 3)),
}
"""Each with the month by whose end it is over on the northern half, and in which year from that which is named."""
_ISO = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?(?!\d)"
)
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_NEAR_WORDS = 3
"""How far before a year the month or season may stand that belongs to it: "the 3rd of June, Tuesday, 2026"."""


def ends_at(candidate: Candidate, said_at: datetime) -> datetime | None:
    """
    Return when *candidate*, said at *said_at*, stops being assumed to hold; None for never.

    That is the day that it names as its last; else when its time to live is over, but not before the last of the dates
    in its text. Homes, employers, roles, projects and the like only end when something else is said.
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
    Return the last day that *text* may speak of; None where it names none.

    Read are ISO dates and months, and years with a month or a season beside them or alone, in five languages.
    """
    return max(_days_in(text), default=None)


def _days_in(text: str) -> Iterator[date]:
    for found in _ISO.finditer(text):
        year, month = int(found["year"]), int(found["month"])
        last = monthrange(year, month)[1]
        yield date(year, month, min(int(found["day"] or last), last))
    words = [_plain(word) for word in _WORD.findall(_ISO.sub(" ", text))]
    for place, word in enumerate(words):
        if _YEAR.fullmatch(word):
            yield _last_day(int(word), words[max(0, place - _NEAR_WORDS) : place])


def _last_day(year: int, before: list[str]) -> date:
    """Return the last day of what is named right before a year: the season, the month, or the year itself."""
    later, month = next((_SEASONS[word] for word in before if word in _SEASONS), (0, 0))
    month = month or next((_MONTHS[word] for word in reversed(before) if word in _MONTHS), 12)
    return date(year + later, month, monthrange(year + later, month)[1])


def _plain(word: str) -> str:
    """Return a word in lower case and without accents."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _end_of(day: date) -> datetime:
    """Return the moment at which a day is over, in UTC."""
    return datetime.combine(min(day, date.max - timedelta(days=1)), time(), UTC) + timedelta(days=1)
