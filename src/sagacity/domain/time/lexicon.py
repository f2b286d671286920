"""Words to the sorts that the grammar of time is written in: English, and the commonest of German."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from sagacity.domain.time.periods import Feast, Unit


class Sort(StrEnum):
    """The sort of a word in the grammar of time. Each is one letter, so that a text becomes a string to match."""

    DAY = "D"
    PART = "p"
    PARTS = "P"
    UNIT = "U"
    WEEKDAY = "W"
    WEEKDAYS = "w"
    MONTH = "M"
    MONTH_OR_NAME = "m"
    """March, May, April …: a month only in the company of words that say so."""
    MONTH_OR_VERB = "q"
    """march, may: as above, and more rarely."""
    SEASON = "S"
    FEAST = "K"
    NUMBER = "N"
    ORDINAL = "O"
    YEAR = "Y"
    DATE = "d"
    SHORT_DATE = "h"
    """7/22, which may as well be a fraction."""
    LAST = "L"
    PAST = "l"
    THIS = "T"
    NEXT = "X"
    AGO = "A"
    A = "a"
    THE = "t"
    """Passed over, as are "about" and "exactly"."""
    OF = "f"
    IN = "i"
    ON = "o"
    FOR = "4"
    SINCE = "s"
    UNTIL = "u"
    BEFORE = "b"
    VOR = "v"
    """German for both "before" and "ago"."""
    AFTER = "r"
    AROUND = "B"
    BETWEEN = "n"
    FROM = "F"
    TO = "k"
    AND = "c"
    MINE = "y"
    OWNER = "z"
    EVENT = "V"
    EDGE = "E"
    EDGE_OF = "e"
    EARLIER = "g"
    NOW = "0"
    RECENT = "1"
    OTHER = "2"
    COUNTED = "C"
    """Words counted by numbers that are no years: in 2000 words."""
    COMMA = ","
    DOT = ";"
    HYPHEN = "-"
    STOP = "!"
    EACH = "j"
    NAME = "R"
    """A word that is nothing else and has a capital letter."""
    WORD = "_"


class Token(NamedTuple):
    """One word of a text."""

    sort: Sort
    start: int
    end: int
    low: int
    """The number that it denotes; for dates, 100 times the month plus the day."""
    high: int
    """The same as `low`, but for vague numbers; of dates the year or zero."""


Meaning = tuple[Sort, int, int]

_WORDS: dict[tuple[Sort, int], str] = {
    (Sort.DAY, 0): "today tonight heute",
    (Sort.DAY, -1): "yesterday gestern",
    (Sort.DAY, -2): "vorgestern",
    (Sort.DAY, 1): "tomorrow",
    (Sort.DAY, 2): "übermorgen",
    (Sort.PART, 0): "morning afternoon evening night noon lunchtime abend nachmittag vormittag nacht",
    (Sort.PARTS, 0): "mornings afternoons evenings nights",
    (Sort.UNIT, Unit.HOUR): "hour hours minute minutes stunde stunden minuten",
    (Sort.UNIT, Unit.DAY): "day days tag tage tagen",
    (Sort.UNIT, Unit.WEEKEND): "weekend weekends wochenende wochenenden",
    (Sort.UNIT, Unit.WEEK): "week weeks woche wochen",
    (Sort.UNIT, Unit.MONTH): "month months monat monate monaten monats",
    (Sort.UNIT, Unit.QUARTER): "quarter quarters quartal quartale quartalen",
    (Sort.UNIT, Unit.YEAR): "year years jahr jahre jahren jahres",
    (
        Sort.LAST,
        0,
    ): "last previous letzte letzten letzter letztes letztem vorige vorigen voriger voriges vorigem",
    (Sort.PAST, 0): "past vergangene vergangenen vergangener vergangenes vergangenem",
    (Sort.THIS, 0): "this current diese diesen dieser dieses diesem",
    (Sort.NEXT, 0): "next coming upcoming nächste nächsten nächster nächstes nächstem kommende kommenden",
    (Sort.AGO, 0): "ago back",
    (Sort.A, 1): "a an one another ein eine einem einen einer",
    (Sort.THE, 0): "the der die das dem den zum zur about roughly exactly right just",
    (Sort.OF, 0): "of des",
    (Sort.IN, 0): "in during over within throughout im",
    (Sort.ON, 0): "on at am",
    (Sort.FOR, 0): "for für fuer",
    (Sort.SINCE, 0): "since seit",
    (Sort.UNTIL, 0): "until till through bis",
    (Sort.BEFORE, 0): "before",
    (Sort.VOR, 0): "vor",
    (Sort.AFTER, 0): "after following nach",
    (Sort.AROUND, 0): "around um",
    (Sort.BETWEEN, 0): "between zwischen",
    (Sort.FROM, 0): "from von",
    (Sort.TO, 0): "to",
    (Sort.AND, 0): "and und",
    (Sort.MINE, 0): "my our mein meine meinem meinen meiner unser unsere unserem unserer",
    (Sort.EDGE, 0): "early",
    (Sort.EDGE, 1): "mid",
    (Sort.EDGE, 2): "late",
    (Sort.EDGE_OF, 0): "start beginning anfang",
    (Sort.EDGE_OF, 1): "middle mitte",
    (Sort.EDGE_OF, 2): "end ende",
    (Sort.EARLIER, 0): "earlier",
    (Sort.NOW, 0): "now currently nowadays jetzt derzeit",
    (Sort.RECENT, 0): "recently lately neulich kürzlich",
    (Sort.OTHER, 0): "other",
    (Sort.SEASON, 1): "spring frühling frühjahr",
    (Sort.SEASON, 2): "summer sommer",
    (Sort.SEASON, 3): "fall autumn herbst",
    (Sort.SEASON, 4): "winter",
    (Sort.FEAST, Feast.CHRISTMAS): "christmas xmas weihnachten",
    (Sort.FEAST, Feast.EASTER): "easter ostern",
    (Sort.FEAST, Feast.LENT): "lent fastenzeit",
    (Sort.EACH, 0): "every each any most jeden jede jeder jedes",
    (Sort.COUNTED, 0): (
        "words characters letters tokens pages lines steps people users items points dollars euros pounds calories "
        "miles meters metres kilometers kilometres km wörter wörtern zeichen leute leuten"
    ),
}

_WEEKDAYS = (
    "monday montag",
    "tuesday tue tues dienstag",
    "wednesday mittwoch",
    "thursday thu thur thurs donnerstag",
    "friday fri freitag",
    "saturday samstag sonnabend",
    "sunday sonntag",
)
_MONTHS = (
    "january januar",
    "february februar",
    "märz",
    "",
    "mai",
    "juni",
    "july juli",
    "",
    "september",
    "october oktober",
    "november",
    "december dezember",
)
_MONTHS_OR_NAMES = (
    "jan",
    "feb",
    "mar",
    "april apr",
    "",
    "june jun",
    "jul",
    "august aug",
    "sep sept",
    "oct okt",
    "nov",
    "dec dez",
)
_MONTH_VERBS = {"march": 3, "may": 5}
_VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 7), "paar": (2, 5), "some": (2, 8)}
_NUMBERS = (
    "two zwei",
    "three drei",
    "four vier",
    "five fünf",
    "six sechs",
    "seven sieben",
    "eight acht",
    "nine neun",
    "ten zehn",
    "eleven elf",
    "twelve zwölf",
)
_EVENTS = {
    "birthday": "birthday bday geburtstag",
    "anniversary": "anniversary hochzeitstag jahrestag",
    "wedding": "wedding hochzeit",
    "graduation": "graduation abschlussfeier",
    "engagement": "engagement verlobung",
}
EVENTS = tuple(_EVENTS)
"""What an event's token points at with its number."""


def _lexicon() -> dict[str, Meaning]:
    known: dict[str, Meaning] = {}
    for (sort, value), words in _WORDS.items():
        known |= dict.fromkeys(words.split(), (sort, int(value), int(value)))
    known |= {word: (Sort.NUMBER, low, high) for word, (low, high) in _VAGUE.items()}
    known |= {word: (Sort.MONTH_OR_VERB, number, number) for word, number in _MONTH_VERBS.items()}
    known |= _numbered(Sort.MONTH, _MONTHS, 1) | _numbered(Sort.MONTH_OR_NAME, _MONTHS_OR_NAMES, 1)
    known |= _numbered(Sort.NUMBER, _NUMBERS, 2)
    known |= _numbered(Sort.WEEKDAY, _WEEKDAYS, 0) | _numbered(Sort.EVENT, tuple(_EVENTS.values()), 0)
    full_names = [words.split()[0] for words in _WEEKDAYS]
    return known | {f"{name}s": (Sort.WEEKDAYS, number, number) for number, name in enumerate(full_names)}


def _numbered(sort: Sort, lines: Sequence[str], first: int) -> dict[str, Meaning]:
    return {word: (sort, number, number) for number, line in enumerate(lines, first) for word in line.split()}


LEXICON: Mapping[str, Meaning] = _lexicon()

_DATE = "|".join(
    rf"\d{{4}}{mark}\d{{1,2}}{mark}\d{{1,2}}|\d{{1,2}}{mark}\d{{1,2}}{mark}\d{{4}}"
    for mark in ("-", "/", r"\.")
)
_TOKEN = re.compile(
    rf"(?P<date>(?<![\w/.,$€£#-])(?:{_DATE}|\d{{1,2}}/\d{{1,2}}(?:/\d\d)?)(?![\w/]|[.,-]\d))"
    r"|(?P<decimal>\d+(?:[.,:]\d+)+)"
    r"|(?P<word>\w+(?:['’]\w+)*)|(?P<mark>[^\w\s])"
)
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_MARKS = {",": Sort.COMMA, ".": Sort.DOT, "-": Sort.HYPHEN, "–": Sort.HYPHEN}
_NO_OWNERS = frozenset("what it that who where when there here how let she he everyone".split())
_CURRENCIES = frozenset("$€£#")
_WORD: Meaning = (Sort.WORD, 0, 0)
_NAME: Meaning = (Sort.NAME, 0, 0)
_OWNER: Meaning = (Sort.OWNER, 0, 0)


def tokens_of(text: str, lexicon: Mapping[str, Meaning] = LEXICON) -> list[Token]:
    """Return the words and marks of *text* with what each is to the grammar of time, by *lexicon*."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        form, word = match.lastgroup, match.group()
        if form == "word":
            sort, low, high = _meaning(word, text[match.start() - 1] if match.start() else "", lexicon)
        elif form == "mark":
            sort, low, high = _MARKS.get(word, Sort.STOP), 0, 0
        else:
            sort, low, high = _date(word) if form == "date" else _WORD
        tokens.append(Token(sort, match.start(), match.end(), low, high))
    return tokens


def _meaning(word: str, before: str, lexicon: Mapping[str, Meaning]) -> Meaning:
    if word[0].isdigit():
        return _number(word) if before not in _CURRENCIES else _WORD
    lower = word.lower().replace("’", "'")
    owner = lower.removesuffix("'s")
    meaning = lexicon.get(owner)
    if meaning is None:
        if lower == "morgen" and lexicon is LEXICON:
            return (Sort.DAY, 1, 1) if word == "morgen" else (Sort.PART, 0, 0)
        if owner != lower and owner not in _NO_OWNERS:
            return _OWNER
        return _NAME if word[0].isupper() else _WORD
    if meaning[0] is Sort.MONTH_OR_VERB and word[0].isupper():
        return Sort.MONTH_OR_NAME, *meaning[1:]
    return meaning


def _date(word: str) -> Meaning:
    """Read 2023-03-05, 3/5/2023 (month first, unless it cannot be), 5.3.2023 and 7/22."""
    first, second, *rest = (int(part) for part in re.split(r"[-/.]", word))
    if rest and len(word) - len(word.lstrip("0123456789")) == 4:  # noqa: PLR2004
        return Sort.DATE, 100 * second + rest[0], first
    if not rest:
        number, day = (second, first) if first > 12 else (first, second)  # noqa: PLR2004
        return Sort.SHORT_DATE, 100 * number + day, 0
    year = rest[0] if rest[0] > 99 else 2000 + rest[0]  # noqa: PLR2004
    day, number = (first, second) if "." in word or first > 12 else (second, first)  # noqa: PLR2004
    return Sort.DATE, 100 * number + day, year


def _number(word: str) -> Meaning:
    ordinal = _ORDINAL.fullmatch(word.lower())
    if ordinal:
        return Sort.ORDINAL, int(ordinal[1]), int(ordinal[1])
    if not word.isascii() or not word.isdecimal() or len(word) > 4:  # noqa: PLR2004
        return _WORD
    value = int(word)
    if len(word) == 4:  # noqa: PLR2004
        return (Sort.YEAR, value, value) if 1900 <= value < 2100 else _WORD  # noqa: PLR2004
    return Sort.NUMBER, value, value
