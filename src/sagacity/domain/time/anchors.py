"""Dates of birthdays, weddings and the like that memories state, and questions that count from them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from sagacity.domain.analysis import AnchorDate, QueryAnalysis, Tense, TimeReference
from sagacity.domain.time.expressions import Reach, bounds
from sagacity.domain.time.grammar import dates_in
from sagacity.domain.time.lexicon import EVENTS, Sort, Token, tokens_of
from sagacity.domain.time.periods import Span, day_of, one_day

READ_CHARACTERS = 2_000
"""How many characters of a memory are read."""

_YEARLY = frozenset({"anniversary", "birthday"})
"""Events that come every year, whatever year a memory names."""
_SENTENCE_END = re.compile(r"(?<=[.!?;\n])\s+(?!(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))")
"""Not the dot in "5. März"."""
_HAPPENED = re.compile(
    r"(?P<birthday>\bborn\b)|(?P<wedding>\b(?:got|get|getting|was|were|been) married\b|^married\b)"
    r"|(?P<graduation>\b(?:graduated|graduating)\b)|(?P<engagement>\b(?:got|get|getting) engaged\b)",
    re.IGNORECASE,
)
_SPOKEN_AS = {
    "birthday": "born",
    "wedding": "married",
    "anniversary": "wedding married",
    "graduation": "graduated",
    "engagement": "engaged",
}
_STATES = re.compile(
    r"\s*(?:[:,(–-]|$|(?:is|was|are|falls|will|takes|took|on|at|in|ist|war|am)\b|\d)", re.IGNORECASE
)
_SELF = frozenset("i we user user's the he she they they'll i'm we're".split())
_AUXILIARIES = frozenset(
    "is am are was were be been has have had will got to and happily recently just".split()
)


def words_for(anchor: str) -> str:
    """Return the words by which to search for memories that may state the date of *anchor*, itself first."""
    return f"{anchor} {_SPOKEN_AS.get(anchor.rpartition(' ')[2], '')}".rstrip()


def anchors_in(texts: Sequence[str]) -> dict[str, AnchorDate]:
    """
    Return the dates that memories state, by what a question calls them.

    Args:
        texts: contents of memories, those that count more first.

    Returns:
        `birthday`, `wedding`, `anniversary` … of the user, `sister's birthday` of others. What comes every year has no
        year, and a wedding gives an anniversary too.
    """
    found: dict[str, AnchorDate] = {}
    for text in texts:
        for sentence in _SENTENCE_END.split(text[:READ_CHARACTERS]):
            for owner, event, stated in _stated(sentence):
                yearly = stated.model_copy(update={"year": None})
                found.setdefault(owner + event, yearly if event in _YEARLY else stated)
                if event == "wedding":
                    found.setdefault(f"{owner}anniversary", yearly)
    return found


def resolve(analysis: QueryAnalysis, anchors: Mapping[str, AnchorDate]) -> QueryAnalysis:
    """
    Give a question that counts from a birthday or the like its days.

    Args:
        analysis: as `analyze` returned it.
        anchors: dates that are known, as `anchors_in` returns them.

    Returns:
        The same analysis where nothing is to be found or its date is not known. Of what comes every year, and of a date
        that lacks its year, the last time that began is taken in a question about the past, the next one in a question
        about the future, and else the nearest.
    """
    reference = analysis.time_reference
    stated = anchors.get(reference.anchor) if reference and reference.anchor else None
    if reference is None or stated is None:
        return analysis
    try:
        day = _occurrence(stated, reference, analysis.reference_at.date())
        reach = Reach(reference.first_day, reference.last_day)
        start, end = bounds(day, reach, analysis.reference_at)
    except (OverflowError, ValueError):
        return analysis  # beyond what a calendar has
    return analysis.model_copy(
        update={"time_reference": reference.model_copy(update={"start": start, "end": end})}
    )


def _occurrence(stated: AnchorDate, reference: TimeReference, today: date) -> Span:
    if stated.year is not None:
        return one_day(day_of(stated.year, stated.month, stated.day))
    near = [one_day(day_of(today.year + off, stated.month, stated.day)) for off in (-2, -1, 0, 1, 2)]
    first, last = reference.first_day, reference.last_day
    begins = [one_day(day.first, first if first is not None else last or 0).first for day in near]
    ends = [one_day(day.first, last if last is not None else first or 0).first for day in near]
    if reference.tense is Tense.PAST:
        return max(day for day, begin in zip(near, begins, strict=True) if begin <= today)
    if reference.tense is Tense.FUTURE:
        return min(day for day, end in zip(near, ends, strict=True) if end >= today)
    return min(near, key=lambda day: abs(day.first - today))


def _stated(sentence: str) -> Iterator[tuple[str, str, AnchorDate]]:
    """Give whose, which event and when, of each event that a sentence dates."""
    tokens = tokens_of(sentence)
    dates = dates_in(tokens)
    if not dates:
        return
    for place, token in enumerate(tokens):
        if token.sort is Sort.EVENT and _STATES.match(sentence, token.end):
            yield _owner_before(tokens, place, sentence), EVENTS[token.low], _date_for(place, dates)
    for match in _HAPPENED.finditer(sentence):
        place = sum(token.end <= match.start() for token in tokens)
        yield _subject(sentence[: match.start()]), match.lastgroup or "", _date_for(place, dates)


def _date_for(place: int, dates: Sequence[tuple[int, AnchorDate]]) -> AnchorDate:
    """Return the first date after a word, or the last before it."""
    return next((stated for at, stated in dates if at > place), dates[-1][1])


def _owner_before(tokens: Sequence[Token], place: int, sentence: str) -> str:
    """Return "sister's " for "my sister's wedding", and nothing for the user's own."""
    while place and tokens[place - 1].sort in {Sort.EVENT, Sort.ORDINAL}:
        place -= 1
    if not place or tokens[place - 1].sort is not Sort.OWNER:
        return ""
    owner = sentence[tokens[place - 1].start : tokens[place - 1].end].casefold().replace("’", "'")
    return "" if owner in _SELF else f"{owner} "


def _subject(before: str) -> str:
    """Return "anna's " for "Anna was" born, and nothing for the user."""
    words = [word.casefold() for word in re.findall(r"[\w'’-]+", before)]
    while words and words[-1] in _AUXILIARIES:
        words.pop()
    return "" if not words or words[-1] in _SELF else f"{words[-1]}'s "
