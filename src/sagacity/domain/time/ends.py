"""Until when something is said to hold: "until January", "this week", "for two weeks"."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import Enum, auto
from typing import Final, NamedTuple

from sagacity.domain.analysis import Tense, TimeKind
from sagacity.domain.time import readings as read
from sagacity.domain.time.expressions import time_reference, times_in
from sagacity.domain.time.grammar import COUNT, letters_of
from sagacity.domain.time.lexicon import Sort, Token, tokens_of
from sagacity.domain.time.periods import Span
from sagacity.domain.time.readings import QuestionTime
from sagacity.domain.time.romance import lexicon_of


class Limit(Enum):
    """How an end is said."""

    UNTIL = auto()
    """Until January."""
    NEXT = auto()
    """Durations that begin now: "for the next two weeks", "for Lent"."""
    THIS = auto()
    """This week, today: then it is so, and it may stay so."""
    LASTING = auto()
    """Durations that may have begun earlier: "for two weeks"."""
    UNKNOWN = auto()
    """Until something happens."""


class SaidEnd(NamedTuple):
    """Where a text states an end, and how."""

    start: int
    end: int
    limit: Limit


class _Way(NamedTuple):
    """A way of saying an end without "until", over the sorts of words."""

    limit: Limit
    pattern: str
    read: Callable[[Sequence[Token], QuestionTime], Span | None]


def _today(words: Sequence[Token], asked: QuestionTime) -> Span | None:
    """Read "today", and no other day."""
    return None if words[-1].low else read.day_word(words, asked)


def _feast(words: Sequence[Token], asked: QuestionTime) -> Span:
    """Read "for Lent"."""
    return read.feast(words[-1:], asked)


_WAYS: Final = (
    _Way(Limit.NEXT, "FOR? IN? THE? (?: NEXT NUMBER OF? | NUMBER NEXT ) UNIT", read.running),
    _Way(Limit.NEXT, "FOR THE? NEXT UNIT", read.running),
    _Way(Limit.NEXT, "FOR THE? FEAST", _feast),
    _Way(Limit.NEXT, "FOR THE SEASON", read.bare_name),
    _Way(Limit.THIS, "FOR? IN? THIS UNIT", read.relative_unit),
    _Way(Limit.THIS, "FOR? IN? THIS SEASON", read.relative_name),
    _Way(Limit.THIS, "FOR? THIS WEEKDAY", read.relative_weekday),
    _Way(Limit.THIS, "FOR THE UNIT", read.relative_unit),
    _Way(Limit.THIS, "DAY", _today),
    _Way(Limit.LASTING, f"FOR {COUNT} UNIT", read.lasting),
)
_LETTERS: Final = [(way, re.compile(letters_of(way.pattern))) for way in _WAYS]
_LONGEST: Final = 60
"""Characters behind "until" that are read."""
_SOMETHING: Final = {Sort.WORD, Sort.NAME, Sort.MINE, Sort.OWNER, Sort.THE}
"""With which what has to happen may begin."""
SOME_DAY: Final = datetime(2000, 1, 1, 12, tzinfo=UTC)
"""Where a time stands in a text, it stands on any day."""
_BEGINS: Final = re.compile(
    r"\b(?:from|since|starting|starts?|begin(?:s|ning)?|as of|ab|seit|von|vom|beginnt|startet|depuis|"
    r"à partir|dès|commence|desde|a partir|empieza|comienza|começa)\W*(?:\w+\W+){0,2}\Z",
    re.IGNORECASE,
)
"""Before a day with which something begins."""


def end_in(text: str, language: str = "en") -> SaidEnd | None:
    """
    Return where *text*, in *language*, says until when something holds; None where it does not.

    "Until" goes before all others. Where no time follows it, but something that has to happen, the end is unknown.
    Hours, as in "until six", are no ends.
    """
    tokens = tokens_of(text, lexicon_of(language))
    letters = "".join(token.sort for token in tokens)
    place = letters.find(Sort.UNTIL)
    if place < 0:
        found = next(_ways_in(tokens, letters, QuestionTime(SOME_DAY.date(), Tense.FUTURE)), None)
        return found[0] if found else None
    start = tokens[place].start
    rest = text[start : start + _LONGEST]
    reference = time_reference(rest, SOME_DAY, language=language, tense=Tense.FUTURE)
    if reference is not None and reference.start is None and rest.startswith(reference.text):
        limit = Limit.UNTIL if reference.end else Limit.UNKNOWN
        return SaidEnd(start, start + len(reference.text), limit)
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is None or following.sort not in _SOMETHING or text[following.start].isdigit():
        return None
    return SaidEnd(start, len(text), Limit.UNKNOWN)


def last_day(text: str, said_at: datetime, language: str = "en") -> date | None:
    """
    Return the last day of what *text*, said at *said_at* in *language*, says to end, or of the last time that it names.

    A day of the week is not the one on which it was said. None where the day is over already, or nothing is named.
    """
    said = end_in(text, language)
    day = _last_of_times(text, said_at, language) if said is None else _last_of(text, said, said_at, language)
    return day if day is not None and day >= said_at.date() else None


def _last_of(text: str, said: SaidEnd, said_at: datetime, language: str) -> date | None:
    phrase = text[said.start : said.end]
    tokens = tokens_of(phrase, lexicon_of(language))
    letters = "".join(token.sort for token in tokens)
    if said.limit in {Limit.UNTIL, Limit.UNKNOWN}:
        reference = time_reference(phrase, said_at, language=language, tense=Tense.FUTURE)
        day = reference.end.astimezone(said_at.tzinfo).date() if reference and reference.end else None
        is_weekday = Sort.WEEKDAY in letters
        return day + timedelta(days=7) if day == said_at.date() and is_weekday and day else day
    try:
        spans = _ways_in(tokens, letters, QuestionTime(said_at.date(), Tense.FUTURE))
        return next((span.last for _, span in spans), None)
    except (OverflowError, ValueError):
        return None  # beyond what a calendar has


def _last_of_times(text: str, said_at: datetime, language: str) -> date | None:
    """Return the last day of the times that *text* names; None where one is a beginning."""
    named = times_in(text, said_at, language=language, tense=Tense.FUTURE)
    times = [one for one in named if one.kind not in {TimeKind.PRESENT, TimeKind.RECENT}]
    if not times or any(_BEGINS.search(text[: text.find(one.text)]) or one.end is None for one in times):
        return None
    return max(one.end.astimezone(said_at.tzinfo).date() for one in times if one.end)


def _ways_in(tokens: Sequence[Token], letters: str, asked: QuestionTime) -> Iterator[tuple[SaidEnd, Span]]:
    for way, pattern in _LETTERS:
        for match in pattern.finditer(letters):
            words = tokens[match.start() : match.end()]
            span = way.read(words, asked)
            if span is not None:
                yield SaidEnd(words[0].start, words[-1].end, way.limit), span
