"""The ways to name a time: a grammar over classes of words."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from sagacity.domain.analysis import AnchorDate, TimeKind
from sagacity.domain.time import readings as read
from sagacity.domain.time.lexicon import Sort, Token
from sagacity.domain.time.periods import Span, Unit
from sagacity.domain.time.readings import QuestionTime


class Rule(NamedTuple):
    """A way of naming a time."""

    pattern: str
    """Names of sorts in a row, as a regular expression."""
    read: Callable[[Sequence[Token], QuestionTime], Span | None] | None
    """None for an event, whose date only memories know."""
    kind: TimeKind | None = None
    """None for that of the day or unit among the words."""
    leads: str = ""
    """Sorts of which one has to stand before; none for a name that stands by itself."""

    @property
    def lead_letters(self) -> str:
        """The same as letters."""
        return letters_of(self.leads)


class Point(NamedTuple):
    """A time named in a text."""

    rule: Rule
    kind: TimeKind
    first: int
    """Its first word."""
    end: int
    """The word after its last."""
    span: Span | None
    """None for an event."""


_REL = "(?: THIS? (?: LAST | PAST | NEXT ) | THIS )"
COUNT = "(?: A? NUMBER OF? | A )"
_NAME = "(?: MONTH | MONTH_OR_NAME | MONTH_OR_VERB )"
_CAPITAL = "(?: MONTH | MONTH_OR_NAME )"
_OWNED = "(?: MINE (?: WORD | NAME )? OWNER | OWNER | MINE (?: LAST | NEXT | ORDINAL )? | LAST | NEXT )"
_ENDS = "(?= PART | STOP | COMMA | DOT | $ )"
_NO_COUNT = "(?! COUNTED | UNIT )"
_AT = "ON AROUND SINCE UNTIL BEFORE VOR AFTER"
_SURELY = "IN AROUND SINCE UNTIL"

RULES = (
    Rule(
        f"(?: UNIT | WEEKDAY ) BEFORE LAST (?! WEEKDAY | NUMBER | SEASON | EVENT | NAME | {_CAPITAL} ) UNIT?",
        read.before_last,
    ),
    Rule(f"(?<! UNIT AND ) {COUNT} UNIT AGO", read.ago),
    Rule(f"VOR {COUNT} UNIT", read.ago),
    Rule(f"{COUNT} UNIT FROM (?: NOW | DAY )", read.hence),
    Rule(f"(?<= IN ) {COUNT} UNIT", read.in_time),
    Rule(f"{COUNT} (?: PARTS | PART ) AGO", read.nights_ago, TimeKind.DAY),
    Rule(f"{COUNT} (?: WEEKDAYS | WEEKDAY ) AGO", read.weekdays_ago, TimeKind.WEEKDAY),
    Rule("(?: (?: LAST | PAST | NEXT ) NUMBER OF? | NUMBER NEXT ) UNIT", read.running),
    Rule("(?<= IN THE ) (?: LAST | NEXT ) UNIT (?! OF )", read.running),
    Rule("THIS? PAST UNIT", read.running),
    Rule(f"{_REL} UNIT ON? WEEKDAY", read.weekday_of_week, TimeKind.WEEKDAY),
    Rule(f"WEEKDAY OF? {_REL} UNIT", read.weekday_of_week, TimeKind.WEEKDAY),
    Rule(f"{_REL} UNIT IN {_NAME}", read.name_of_year, TimeKind.MONTH_NAME),
    Rule(f"{_REL} UNIT (?! OF )", read.relative_unit),
    Rule(f"UNIT THE? NEXT (?! THE | UNIT | WEEKDAY | SEASON | TO | {_NAME} )", read.relative_unit),
    Rule(
        f"(?: WEEKDAY COMMA? | {_REL} )? {_CAPITAL} THE? (?: ORDINAL | NUMBER ) COMMA? YEAR",
        read.explicit_date,
    ),
    Rule(
        f"(?: WEEKDAY COMMA? | {_REL} )? {_CAPITAL} THE? (?: ORDINAL | NUMBER ) {_NO_COUNT}",
        read.explicit_date,
    ),
    Rule(f"{_NAME} THE? ORDINAL (?: COMMA? YEAR )?", read.explicit_date),
    Rule(f"(?: WEEKDAY COMMA? )? THE? ORDINAL OF? {_NAME} (?: COMMA? YEAR )?", read.explicit_date),
    Rule(f"(?: WEEKDAY COMMA? )? NUMBER OF? {_CAPITAL} (?: COMMA? YEAR )?", read.explicit_date),
    Rule(f"NUMBER OF? {_NAME} COMMA? YEAR", read.explicit_date),
    Rule("NUMBER DOT MONTH YEAR?", read.explicit_date),
    Rule("DATE", read.explicit_date, TimeKind.SPECIFIC_DATE),
    Rule("SHORT_DATE", read.explicit_date, TimeKind.SPECIFIC_DATE, _AT),
    Rule(f"ORDINAL OF? {_REL} UNIT", read.day_of_month, TimeKind.SPECIFIC_DATE),
    Rule("WEEKDAY COMMA? THE ORDINAL", read.day_of_month, TimeKind.SPECIFIC_DATE),
    Rule(f"ORDINAL {_ENDS}", read.day_of_month, TimeKind.SPECIFIC_DATE, _AT),
    Rule(f"{_NAME} COMMA? OF? YEAR {_NO_COUNT}", read.name_of_year, TimeKind.MONTH_NAME),
    Rule(f"SEASON OF? YEAR {_NO_COUNT}", read.name_of_year, TimeKind.SEASON),
    Rule(f"{_CAPITAL} OF? {_REL} UNIT", read.name_of_year, TimeKind.MONTH_NAME),
    Rule(f"SEASON OF? {_REL} UNIT", read.name_of_year, TimeKind.SEASON),
    Rule(f"{_REL} {_CAPITAL}", read.relative_name, TimeKind.MONTH_NAME),
    Rule("(?: LAST | NEXT ) MONTH_OR_VERB", read.relative_name, TimeKind.MONTH_NAME),
    Rule(f"{_REL} SEASON", read.relative_name, TimeKind.SEASON),
    Rule(f"{_REL} WEEKDAY", read.relative_weekday, TimeKind.WEEKDAY),
    Rule("(?<! EACH ) MONTH", read.bare_name, TimeKind.MONTH_NAME),
    Rule("MONTH_OR_NAME", read.bare_name, TimeKind.MONTH_NAME, f"{_SURELY} OF BEFORE VOR AFTER EDGE"),
    Rule("MONTH_OR_VERB", read.bare_name, TimeKind.MONTH_NAME, f"{_SURELY} EDGE"),
    Rule("SEASON", read.bare_name, TimeKind.SEASON, f"{_SURELY} OF EDGE"),
    Rule(f"{_REL} FEAST", read.feast, TimeKind.RANGE),
    Rule("FEAST", read.feast, TimeKind.RANGE, f"{_AT} IN"),
    Rule(f"YEAR {_NO_COUNT}", read.year, TimeKind.YEAR, f"{_SURELY} OF BEFORE VOR AFTER EDGE"),
    Rule(f"(?<! A ) (?<! EACH ) (?<! NAME ) WEEKDAY {_ENDS}", read.bare_weekday, TimeKind.WEEKDAY),
    Rule("WEEKDAY (?! PARTS )", read.bare_weekday, TimeKind.WEEKDAY, _AT),
    Rule("(?: THIS | LAST ) PART", read.part_of_day),
    Rule("DAY", read.day_word),
    Rule("(?<= THE ) OTHER UNIT", read.other_day, TimeKind.RECENT),
    Rule("NOW", read.now, TimeKind.PRESENT),
    Rule("RECENT", read.lately, TimeKind.RECENT),
    Rule(f"{_OWNED} EVENT EVENT?", None, TimeKind.ANCHOR, f"{_AT} IN"),
    Rule("UNIT", read.relative_unit, None, "EDGE"),
    Rule("EVENT EVENT?", None, TimeKind.ANCHOR, "SINCE UNTIL BEFORE VOR AFTER"),
)
"""At one place of a text the first that fits is taken, so the longer ones come first."""


@cache
def letters_of(names: str) -> str:
    """Turn names of sorts into their letters: `NUMBER OF? UNIT` becomes `Nf?U`."""
    return re.sub(r"[A-Z_]+", lambda name: Sort[name[0]].value, names).replace(" ", "")


_RULES = {f"r{number}": rule for number, rule in enumerate(RULES)}
_GRAMMAR = re.compile("|".join(f"(?P<{name}>{letters_of(rule.pattern)})" for name, rule in _RULES.items()))
_DATES = re.compile("|".join(letters_of(rule.pattern) for rule in RULES if rule.read is read.explicit_date))
_UNIT_KINDS = {
    Unit.WEEKEND: TimeKind.WEEKEND,
    Unit.WEEK: TimeKind.WEEK,
    Unit.MONTH: TimeKind.MONTH,
    Unit.QUARTER: TimeKind.QUARTER,
    Unit.YEAR: TimeKind.YEAR,
}
_DAY_KINDS = {0: TimeKind.PRESENT, -1: TimeKind.RECENT}


def points_in(tokens: Sequence[Token], asked: QuestionTime) -> list[Point]:
    """
    Return the times that a text names, in order.

    Raises:
        OverflowError: a time lies beyond the calendar; so does ValueError.
    """
    found: list[Point] = []
    for match in _GRAMMAR.finditer("".join(token.sort for token in tokens)):
        rule = _RULES[match.lastgroup or ""]
        words = tokens[match.start() : match.end()]
        span = rule.read(words, asked) if rule.read else None
        if span or not rule.read:
            found.append(Point(rule, rule.kind or _kind(words), match.start(), match.end(), span))
    return found


def dates_in(tokens: Sequence[Token]) -> list[tuple[int, AnchorDate]]:
    """Return the dates that a text names by day and month, in order, each with the place of its first word."""
    matches = _DATES.finditer("".join(token.sort for token in tokens))
    dates = ((match.start(), read.stated_date(tokens[match.start() : match.end()])) for match in matches)
    return [(place, stated) for place, stated in dates if stated]


def _kind(words: Sequence[Token]) -> TimeKind:
    """Return the kind that the unit or the day among *words* gives a time."""
    of_sort = {word.sort: word for word in words}
    if Sort.WEEKDAY in of_sort and Sort.BEFORE in of_sort:
        return TimeKind.WEEKDAY
    if Sort.UNIT in of_sort:
        return _UNIT_KINDS.get(Unit(of_sort[Sort.UNIT].low), TimeKind.DAY)
    if Sort.DAY in of_sort:
        return _DAY_KINDS.get(of_sort[Sort.DAY].low, TimeKind.DAY)
    if Sort.PART in of_sort:
        return TimeKind.RECENT if Sort.LAST in of_sort else TimeKind.PRESENT
    return TimeKind.SPECIFIC_DATE
