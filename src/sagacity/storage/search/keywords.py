"""The analyzer: splits text into the terms that keyword search compares."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import cast

import Stemmer

ANALYZER = "unicode-5"
"""Recorded with the index. Change it whenever a text or a turn would give other terms, signals or cautions."""

MAX_TERM_CHARACTERS = 64

# Vowel signs and the like belong to their letter, but Python's \w excludes them and would split the word.
_MARKS = "".join(
    map(chr, filter(lambda code: unicodedata.category(chr(code)) in {"Mn", "Mc"}, range(0x300, 0xFE00)))
)
_LETTERS = rf"\w[\w{_MARKS}]*"
WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})*")
# Vowel points, which Hebrew and Arabic mostly omit: a word is the same with and without them.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]"
)
_STOP = frozenset(
    """a about after all also am an and any are as at be because been before being but by can could did do does doing
    don down during each for from had has have having he her here hers him his how i if in into is it its just me more
    most my no nor not now of off on once only or other our out over own s same she should so some such t than that the
    their them then there these they this those through to too under until up very was we were what when where which
    while who whom why will with would you your""".split()
)
# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han and its extensions.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]+"
)
# Pictograms. A flag is two letters; the colour of skin is ignored.
_SYMBOL = "[\U0001f1e6-\U0001f1ff]{2}|[\u2600-\u27bf\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
_TOKEN = re.compile(rf"{WORD.pattern}|{_SYMBOL}")
_PLAIN_WORD = re.compile("[a-z0-9]+(?:'[a-z0-9]+)*")
_PLAIN = "".join(one.lower() if one.isalnum() or one == "'" else " " for one in map(chr, range(128)))
"""Translates ASCII text before it is split at spaces, which is much faster than searching for words."""
_FIRST_PERSON = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|we|we['’](?:re|ve|d|ll)|us|our|ours)\b", re.IGNORECASE
)
_KEPT_CHARACTERS = 32
"""Longest ASCII word whose terms are cached."""
_FIRST_PAGE = 4_000
_LAST_LINE = 100
_ASKS = re.compile(r"[?？؟][^\w?？؟]*\Z")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_stem = cast("Callable[[str], str]", Stemmer.Stemmer("english", 0).stemWord)  # pyright: ignore[reportUnknownMemberType]  # untyped


def _split(word: str) -> list[str]:
    """Split a run of letters into terms: scripts without spaces into pairs, other words whole and stemmed."""
    terms: list[str] = []
    position = 0
    for run in UNSPACED.finditer(word):
        if run.start() > position:
            terms.append(word[position : run.start()])
        text = run.group()
        terms += [text] if len(text) == 1 else [text[i : i + 2] for i in range(len(text) - 1)]
        position = run.end()
    if position < len(word):
        terms.append(word[position:])
    return terms


def terms_of(text: str) -> Counter[str]:
    """
    Count the terms of *text*.

    Words are normalised (NFKC) and case-folded. English words are stemmed (Snowball), and stop words left out. Scripts
    without spaces are split into overlapping pairs of characters. A pictogram is a term. No script is dropped.
    """
    if text.isascii():
        tokens = Counter(text.translate(_PLAIN).split())
    else:
        plain = unicodedata.normalize("NFKC", text).casefold().replace("_", " ")
        tokens = Counter(_TOKEN.findall(_POINTS.sub("", plain)))
    counts: Counter[str] = Counter()
    for token, count in tokens.items():
        kept = len(token) <= _KEPT_CHARACTERS and token.isascii()
        for term in _kept_terms(token) if kept else _terms(token):
            counts[term] = counts.get(term, 0) + count
    return counts


def _terms(token: str) -> list[str]:
    """Return the terms of a word or pictogram of a normalised text; none for a stop word."""
    plain = token.replace("’", "'")
    if plain.isascii():
        words = [word.removesuffix("'s") for word in _PLAIN_WORD.findall(plain)]
        return [_stem(word[:MAX_TERM_CHARACTERS]) for word in words if word not in _STOP]
    return [plain] if WORD.match(token) is None else [part[:MAX_TERM_CHARACTERS] for part in _split(plain)]


_kept_terms = lru_cache(maxsize=65_536)(_terms)


def date_terms(at: datetime) -> Counter[str]:
    """Count the terms of a date in English, from year to weekday, so that "what did I say on 20 May" finds it."""
    return Counter(_terms_of_day(at.date()))


@lru_cache(maxsize=4_096)
def _terms_of_day(day: date) -> Mapping[str, int]:
    return terms_of(f"{day.year} {_MONTHS[day.month - 1]} {day.day} {_WEEKDAYS[day.weekday()]}")


def first_person_share(text: str) -> float:
    """
    Return the share of words such as "I" and "my", in [0, 1]; only the beginning of *text* is read.

    Most questions are about what people said of themselves. Long general answers share more words with such a question
    than a short remark does.
    """
    page = text[:_FIRST_PAGE]
    words = len(page.split())
    return min(len(_FIRST_PERSON.findall(page)) / words, 1.0) if words else 0.0


def asks(text: str) -> bool:
    """Whether *text* ends with a question, which the next turn probably answers; emoji may follow it."""
    return _ASKS.search(text[-_LAST_LINE:]) is not None
