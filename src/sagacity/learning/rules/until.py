"""Until when a clause says that its fact holds: "until January", "this week", "for the next two weeks"."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from sagacity.domain.memory import TimeToLive
from sagacity.domain.time.ends import Limit, end_in
from sagacity.domain.time.lexicon import Sort
from sagacity.domain.time.romance import lexicon_of
from sagacity.learning.rules.draft import Draft
from sagacity.learning.rules.sentences import Grammar

_MARKING: Final = {Sort.UNTIL, Sort.FOR, Sort.THIS, Sort.NEXT}
"""Kinds of words of which every end has one, except "today"."""
_CERTAIN: Final = {Limit.UNTIL, Limit.NEXT, Limit.THIS}
_BEHIND_A_COMMA: Final = re.compile(r"[,(] ?(?:until|till|bis|jusqu|hasta|até|ate)", re.IGNORECASE)
_PASSING: Final = re.compile(r"diet\b|health\.medic|work\.place|life\.on\b|plan\b")
"""Slots of what people take, eat or do for some time."""
_BEING: Final = re.compile(
    r"(?:i'm|i am|we're|we are|i(?: currently| now| only| just)? (?:take|eat|work))\b", re.IGNORECASE
)
"""Present states. What somebody began this week, in contrast, goes on."""
_PAST: Final[Mapping[str, re.Pattern[str]]] = {
    code: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for code, words in {
        "en": r"was|were|had|did|used to|lived|worked|moved|went|stayed|\w+'ve|have been|has been",
        "de": r"war|waren|hatten?|wohnte|lebte|arbeitete|gewohnt|gelebt|gearbeitet|gewesen|gehabt",
        "fr": r"étais|était|avais|avait|ai (?:été|habité|vécu|travaillé|eu|pris)|habitais|vivais|travaillais",
        "es": r"era|estaba|estuve|tenía|tuve|vivía|viví|trabajaba|trabajé|fui|he estado|he vivido|tomaba|tomé",
        "pt": r"era|estava|estive|tinha|tive|morava|morei|vivia|vivi|trabalhava|trabalhei|fui|tomava|tomei",
    }.items()
}
"""Words that put a fact into the past, so that its end says nothing about the present."""
_WAS: Final = re.compile(
    r"(?:Used to|Was|Had|Has (?:\w+(?:ed|en)|been|had|lost|got|bought)|\w+ed|Bought|Got|Made|Saw|Went|Took|Found|Left|"
    r"Broke|Began|Won|Ran|Ate|Met|Came|Gave|Quit|Sold|Wrote|Spent|Read|Built|Had|Did|Lost|Became|Caught|Cut|Put|Sent)\b"
)
"""How English memories about the past start."""


class Reading(NamedTuple):
    """A text with a clause to read, where the clause starts, and the words for its end that were moved or removed."""

    text: str
    start: int
    until: str = ""
    is_moved: bool = False


def readings(text: str, start: int, grammar: Grammar, language: str) -> Iterator[Reading]:
    """
    Yield the ways to read the clause that starts at *start*.

    The first is as written. If it says until when it holds, it is also read with these words moved to the end, and
    without them: "until May I'm in Rome" as "I'm in Rome until May", "Ich wohne bis Mai in Rom" as "Ich wohne in Rom".
    """
    yield Reading(text, start)
    if not _marks(language).search(text, start):
        return
    stop = _clause_end(text, start, start, grammar)
    said = end_in(text[start:stop], language)
    if said is None or said.limit not in _CERTAIN:
        return
    until = text[start:stop][said.start : said.end]
    until = until[0].lower() + until[1:]
    rest = _joined(text[start : start + said.start], text[start + said.end : stop])
    if not rest:  # "this week, I'm in Rome": the clause after the comma
        first = next((it.end() for it in grammar.connector.finditer(text, stop)), len(text))
        stop = _clause_end(text, first, first, grammar)
        rest = _joined(text[first:stop])
    if rest:
        yield Reading(f"{text[:start]}{rest} {until}{text[stop:]}", start, until, is_moved=True)
        yield Reading(f"{text[:start]}{rest}{text[stop:]}", start, until)


def _joined(*parts: str) -> str:
    return " ".join(" ".join(parts).split()).strip(" ,.!")


def with_end(draft: Draft, way: Reading, end: int, grammar: Grammar, language: str) -> Draft | None:
    """
    Return *draft*, read up to *end*, with the words for its end; None if words were moved and say no end.

    They count only for the present. "This week" and "for two weeks" only end what people do for a time. What holds
    until an event on an unknown day is assumed to hold for a quarter. A plan without an end ends with its day.
    """
    ending = _with_end(draft, way, end, grammar, language)
    return None if way.is_moved and not ending.until else ending


def _with_end(draft: Draft, way: Reading, end: int, grammar: Grammar, language: str) -> Draft:
    clause = way.text[way.start : _clause_end(way.text, way.start, end, grammar)]
    if draft.negates or not (way.until or _is_planned(draft) or _marks(language).search(clause)):
        return draft
    said = end_in(way.until or clause, language)
    if said is None:
        return draft.model_copy(update={"until": clause}) if _is_planned(draft) else draft
    if _PAST[language].search(clause) or _WAS.match(draft.content):
        return draft
    until = (way.until or clause)[said.start : said.end]
    is_passing = _PASSING.match(draft.slot) is not None
    if said.limit is Limit.UNKNOWN:
        is_short = is_passing and draft.time_to_live is TimeToLive.INFINITY
        return draft.model_copy(update={"time_to_live": TimeToLive.ONE_QUARTER}) if is_short else draft
    is_now = language != "en" or _BEING.match(clause) is not None
    is_of_now = until.casefold() in draft.content.casefold() or (is_passing and is_now)
    if said.limit in {Limit.THIS, Limit.LASTING} and not (_is_planned(draft) or is_of_now):
        return draft
    return draft.model_copy(update={"until": until})


def _is_planned(draft: Draft) -> bool:
    return draft.slot.startswith("plan.") and draft.time_to_live is not TimeToLive.INFINITY


def _clause_end(text: str, start: int, end: int, grammar: Grammar) -> int:
    """Return the end of the clause at *start*, read up to *end*; an "until" after a comma belongs to it."""
    for connector in grammar.connector.finditer(text, start):
        if connector.start() >= end and not _BEHIND_A_COMMA.match(text, connector.start()):
            return connector.start()
    return len(text.rstrip(" .!"))


@cache
def _marks(language: str) -> re.Pattern[str]:
    """Compile the words of which every end has one."""
    words = [
        word
        for word, (sort, low, _) in lexicon_of(language).items()
        if sort in _MARKING or (sort is Sort.DAY and not low)
    ]
    return re.compile(
        rf"\b(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})\b", re.IGNORECASE
    )
