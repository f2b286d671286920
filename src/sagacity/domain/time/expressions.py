"""The time that a question refers to, as a range of days."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from sagacity.domain.analysis import Tense, TimeKind, TimeReference
from sagacity.domain.time.grammar import COUNT, Point, letters_of, points_in
from sagacity.domain.time.lexicon import EVENTS, Sort, Token, tokens_of
from sagacity.domain.time.periods import SPREAD_DAYS, UNIT_DAYS, Span, Unit, calendar_unit, shift, third
from sagacity.domain.time.readings import QuestionTime
from sagacity.domain.time.romance import lexicon_of


class Reach(NamedTuple):
    """Days from a time, None for an open end: those below zero are counted from its first day, others from its last."""

    first: int | None
    last: int | None


class Question(NamedTuple):
    """A text as words, as their sorts' letters, and when it is asked."""

    text: str
    tokens: Sequence[Token]
    letters: str
    asked: QuestionTime


class Named(NamedTuple):
    """A time in its context."""

    first: int
    """The first word that belongs to it."""
    end: int
    kind: TimeKind
    span: Span | None
    reach: Reach | None = None
    """None for the time itself."""


_REACHES = {
    Sort.SINCE: Reach(0, None),
    Sort.UNTIL: Reach(None, 0),
    Sort.BEFORE: Reach(None, -1),
    Sort.VOR: Reach(None, -1),
    Sort.AFTER: Reach(1, None),
    Sort.AROUND: Reach(-3, 3),
}
_COUNTED_FROM = {Sort.BEFORE, Sort.VOR, Sort.AFTER}
_PAIR_LEADS = {Sort.BETWEEN, Sort.FROM}
_PAIRS = {Sort.AND, Sort.TO, Sort.UNTIL, Sort.HYPHEN}
_DISTANCE = re.compile(letters_of(f"(?: THE | {COUNT} ) UNIT $ | THE PART $"))
_LONGEST_DISTANCE = 5
_SOME_TIME = re.compile(
    letters_of(
        "DAY|PART|PARTS|UNIT|WEEKDAY|WEEKDAYS|MONTH|MONTH_OR_NAME|MONTH_OR_VERB|SEASON|FEAST|YEAR|DATE|SHORT_DATE|ORDINAL|NOW|RECENT"
        "|EVENT"
    )
)
"""Words of which every rule has one; most questions have none."""
_WEAK = {Sort.NOW, Sort.RECENT}
_EDGES = (
    (Sort.HYPHEN, Sort.EDGE),
    ("", Sort.EDGE),
    (Sort.OF, Sort.EDGE),
    (Sort.OF, Sort.EDGE_OF),
    ("", Sort.EDGE_OF),
)
"""Words before a time of which a third is meant: "mid-March", "late March", "the end of March", "Ende März"."""
_PAST = re.compile(
    r"\b(?:did|was|were|had|went|ago|last|past|previous|yesterday|war|waren|hatte|hatten|habe|haben)\b"
)
_FUTURE = re.compile(
    r"\b(?:will|shall|upcoming|coming|next|going to|gonna|plan|planning|tomorrow|werde|wird|nächste\w?)\b|'ll\b"
)


def tense_of(text: str) -> Tense | None:
    """Return which way *text* looks; None when it does not say."""
    lower = text.lower()
    if _PAST.search(lower):
        return Tense.PAST
    return Tense.FUTURE if _FUTURE.search(lower) else None


def time_reference(
    text: str, now: datetime, *, language: str = "en", tense: Tense | None = None
) -> TimeReference | None:
    """
    Return the first time that *text* names, or None.

    Args:
        text: a question; a few words or many.
        now: its reference date, with a time zone. Days begin and end in that zone.
        language: that of the text: `fr`, `es`, `pt`; any other is read as English and German.
        tense: which way the text looks, where that is known; else it is read from the words.

    Returns:
        Days from their first to their last microsecond, in UTC. Weeks begin on Monday; "two weeks ago" is half a week
        wide to either side; a month or day without a year is the latest that has begun, or the next in a question
        about the future. Words such as "now" and "lately" are taken only where nothing else is said.
    """
    question = _question(text, now, language, tense)
    try:
        found = _named_in(question)
        strong = [one for one in found if question.letters[one.first] not in _WEAK]
        return _reference((strong or found)[0], question, now) if found else None
    except (OverflowError, ValueError):
        return None  # beyond what a calendar has


def times_in(
    text: str, now: datetime, *, language: str = "en", tense: Tense | None = None
) -> tuple[TimeReference, ...]:
    """Return all times that *text* names, in order; none where one is beyond the calendar. See `time_reference`."""
    question = _question(text, now, language, tense)
    try:
        return tuple(_reference(one, question, now) for one in _named_in(question))
    except (OverflowError, ValueError):
        return ()


def _question(text: str, now: datetime, language: str, tense: Tense | None) -> Question:
    tokens = tokens_of(text, lexicon_of(language))
    letters = "".join(token.sort for token in tokens)
    return Question(text, tokens, letters, QuestionTime(now.date(), tense or tense_of(text)))


def _named_in(question: Question) -> list[Named]:
    if not _SOME_TIME.search(question.letters):
        return []
    points = points_in(question.tokens, question.asked)
    return [one for at in range(len(points)) if (one := _in_context(points, at, question))]


def _in_context(points: Sequence[Point], at: int, question: Question) -> Named | None:
    """Read a point with the words before it: early, since, two days before, between."""
    point, letters = points[at], question.letters
    first, span = _narrowed(point, question)
    narrowed = first < point.first
    before = _skip(letters, first)
    lead = letters[before - 1] if before else ""
    if lead in _PAIR_LEADS and at + 1 < len(points) and (pair := _pair(point, points[at + 1], letters)):
        return Named(before - 1, points[at + 1].end, TimeKind.RANGE, pair)
    wanted = point.rule.lead_letters
    if wanted and not (lead and lead in wanted) and not (narrowed and Sort.EDGE in wanted):
        return None
    reach = _REACHES.get(Sort(lead)) if lead else None
    if reach is None:
        return Named(first, point.end, point.kind, span)
    kind = TimeKind.RANGE if span else point.kind
    distance = _DISTANCE.search(letters, max(0, before - 1 - _LONGEST_DISTANCE), before - 1)
    if distance is None or lead not in _COUNTED_FROM:
        return Named(before - 1, point.end, kind, span, reach)
    words = question.tokens[distance.start() : distance.end()]
    if span and (words[-1].sort is Sort.PART or words[-1].low == Unit.DAY):
        kind = TimeKind.DAY
    return Named(distance.start(), point.end, kind, span, _distant(words, later=lead == Sort.AFTER))


def _skip(letters: str, place: int) -> int:
    """Return where the articles before *place* begin."""
    return len(letters[:place].rstrip(Sort.THE))


def _narrowed(point: Point, question: Question) -> tuple[int, Span | None]:
    """Return where a time with "early", "the end of" or "the week of" before it begins, and the days meant."""
    letters, span, today = question.letters, point.span, question.asked.today
    if span is None:
        return point.first, None
    before = _skip(letters, point.first)
    if letters.endswith(Sort.EARLIER, 0, before):
        return before - 1, Span(span.first, min(span.last, today)) if span.first <= today else span
    if letters.endswith(Sort.UNIT + Sort.OF, 0, before) and span.first == span.last:
        return before - 2, calendar_unit(Unit(question.tokens[before - 2].low), span.first, 0)
    for mark, edge in _EDGES:
        if letters.endswith(edge + mark, 0, before):
            place = before - 1 - len(mark)
            return place, third(span, question.tokens[place].low)
    return point.first, span


def _pair(point: Point, other: Point, letters: str) -> Span | None:
    """Read "between X and Y" and "from X to Y"."""
    between = letters[point.end : other.first].replace(Sort.THE, "")
    if between not in _PAIRS or not point.span or not other.span:
        return None
    first, last = point.span.first, other.span.last
    if first > last:
        first = shift(first, Unit.WEEK if point.kind is TimeKind.WEEKDAY else Unit.YEAR, -1)
    return Span(min(first, last), max(first, last))


def _distant(words: Sequence[Token], *, later: bool) -> Reach:
    """Read the distance in "two weeks before": half a unit wide to either side, or the whole of "the week before"."""
    unit = Unit.DAY if words[-1].sort is Sort.PART else Unit(words[-1].low)
    days = UNIT_DAYS[unit]
    if words[0].sort is Sort.THE:
        near, far = 1, max(days, 1)
    else:
        count = next(word for word in reversed(words[:-1]) if word.sort in {Sort.NUMBER, Sort.A})
        near, far = count.low * days - SPREAD_DAYS[unit], count.high * days + SPREAD_DAYS[unit]
    return Reach(near, far) if later else Reach(-far, -near)


def _reference(named: Named, question: Question, now: datetime) -> TimeReference:
    tokens = question.tokens
    text = question.text[tokens[named.first].start : tokens[named.end - 1].end]
    if named.span is None:
        first, last = named.reach or Reach(0, 0)
        return TimeReference(
            text=text,
            kind=named.kind,
            anchor=_event(named, question),
            first_day=first,
            last_day=last,
            tense=question.asked.tense,
        )
    reach = Reach(None, 0) if tokens[named.first].sort is Sort.NOW else named.reach
    start, end = bounds(named.span, reach or Reach(0, 0), now)
    return TimeReference(text=text, kind=named.kind, start=start, end=end)


def bounds(span: Span, reach: Reach, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last moment of the days that *reach* spans around *span*, in UTC."""
    first = last = None
    if reach.first is not None:
        base = span.last if reach.first > 0 else span.first
        first = datetime.combine(base + timedelta(days=reach.first), time.min, now.tzinfo).astimezone(UTC)
    if reach.last is not None:
        base = span.first if reach.last < 0 else span.last
        last = datetime.combine(base + timedelta(days=reach.last), time.max, now.tzinfo).astimezone(UTC)
    return first, last


def _event(named: Named, question: Question) -> str:
    """Return what the user calls an event: birthday, sister's wedding."""
    words = question.tokens[named.first : named.end]
    event = EVENTS[[word for word in words if word.sort is Sort.EVENT][-1].low]
    owner = next((word for word in reversed(words) if word.sort is Sort.OWNER), None)
    if owner is None:
        return event
    owner_name = question.text[owner.start : owner.end].casefold().replace("’", "'")
    return f"{owner_name} {event}"
