"""Whether two statements say the same, one says more, or one denies the other; judged by words."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from itertools import takewhile
from typing import TypeVar

from sagacity.domain.base import Value

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(
    rf"[{_IDEOGRAPHS}]"  # scripts without spaces: one character, one token
    rf"|(?:(?<!\w)-(?=\d))?[^\W_{_IDEOGRAPHS}]+(?:['.+#&/:-]+[^\W_{_IDEOGRAPHS}]+)*[+#]*"
    r"|[^\w\s]"
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SUBJECT = _set("a an the user user's")
_FILLERS = _SUBJECT | _set(
    "am is are be been being do does did has have that this it its their they his her also very "
    "really always currently now longer any to please ever anymore more"
)
_LIKINGS = _set("like likes love loves enjoy enjoys prefer prefers")
_WEAK_STEMS = _set("like liv work us go own eat want in at of for with as")
_DENIALS = _set(
    "not no never none nothing neither nor without cannot except used former formerly previously avoid "
    "avoids avoiding stop stops stopped quit quits refuse dislike dislikes hate hates against unable disable "
    "forbidden ended nicht kein keine keinen nie pas jamais nunca jamás não non niet geen не нет никогда "
    "不 没 沒 未 别 別 لا لم ليس नहीं değil 안"
)


_NAME = re.compile(r"(?<=\s)[^\W\d_a-z][\w'-]*|\d[\w.,:-]*")
"""A word with a capital inside a text, or a number."""

_COGNATE = 5
"""How many letters two forms of one word share at least: "allergic" and "allergy", "losartan" and "losartán"."""
_MORE_CHARS = 60
"""How many characters longer a text with fillers may be that says the same."""
Parts = TypeVar("Parts")
_KEPT_TEXTS, _KEPT_CHARS = 4_096, 500
"""How many parsed texts are cached, and the longest of them: some 10 MB per process, and 35 MB at most."""


class Statement(Value):
    """The meaningful words of a text, in order, and the number of words that deny."""

    words: tuple[str, ...]
    denials: int


def _kept(take_apart: Callable[[str], Parts]) -> Callable[[str], Parts]:
    """Cache the parts of short texts, because a memory is compared with all candidates for its slot."""
    kept = lru_cache(maxsize=_KEPT_TEXTS)(take_apart)

    @wraps(take_apart)
    def parts_of(text: str) -> Parts:
        return kept(text) if len(text) <= _KEPT_CHARS else take_apart(text)

    return parts_of


@_kept
def read(text: str) -> Statement:
    """Return the stems of a text's words without fillers and denials, and the number of denials."""
    tokens = _tokens(text)
    kept = (token for token in tokens if token not in _FILLERS and not _denies(token))
    return Statement(words=tuple(_stem(token) for token in kept), denials=sum(map(_denies, tokens)))


@_kept
def normalised(text: str) -> tuple[str, ...]:
    """Return a text's words without what never distinguishes texts: case, punctuation, articles and "user"."""
    return tuple(token for token in _tokens(text) if token not in _SUBJECT)


def covers(whole: str, part: str) -> bool:
    """
    Tell whether *whole* says all that *part* says.

    It does if *whole* has the words of *part* in the same order, and both deny alike. Another name, number, direction
    or opposite is another word, so only the wording can differ.
    """
    said, asked = read(whole), read(part)
    rest = iter(said.words)
    return said.denials == asked.denials and bool(asked.words) and all(word in rest for word in asked.words)


def same_words(one: str, other: str) -> bool:
    """Tell whether two texts differ only in fillers and grammar."""
    said = read(one)
    return bool(said.words) and said == read(other)


def denies(one: str, other: str) -> bool:
    """Tell whether two texts have the same words, but one of them denies them."""
    first, second = read(one), read(other)
    return first.words == second.words and bool(first.words) and (first.denials == 0) != (second.denials == 0)


def said_in_order(whole: str, part: str) -> str:
    """Return the rest of *whole* after a beginning that says exactly what *part* says; empty if there is none."""
    asked = read(part)
    begin = whole[: min(len(part), _KEPT_CHARS) + _MORE_CHARS]
    for end in re.finditer(r"(?=[\s,;:]|$)", begin):
        begun = read(whole[: end.start()])
        if begun == asked and asked.words:
            return whole[end.start() :].strip(" ") and whole[end.start() :]
        if len(begun.words) > len(asked.words):
            break
    return ""


def differs_in_value(one: str, other: str) -> bool:
    """
    Tell whether two texts say the same of two things, as "lives in Rome" and "lives in Lyon" do.

    They begin with the same words, none of which is a name or a number, and then differ. So details of the same thing
    ("works at Siemens since May", "works at Siemens in Munich") do not count, nor do other wordings.
    """
    first, second = read(one).words, read(other).words
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    names = {word for text in (one, other) for name in _NAME.findall(text) for word in read(name).words}
    is_of_one_thing = not names.intersection(first[:common])
    return 0 < common < min(len(first), len(second)) and is_of_one_thing and not names & {*first} & {*second}


def shares_word(one: str, other: str) -> bool:
    """Tell whether two texts share a word that says what they are about."""
    return bool(_topic(one) & _topic(other))


def shares_cognate(one: str, other: str) -> bool:
    """Tell whether two texts, perhaps in two languages, share a word except for its ending: "végétarienne"."""
    return any(is_cognate(mine, theirs) for mine in _unaccented(one) for theirs in _unaccented(other))


def is_cognate(one: str, other: str) -> bool:
    """Tell whether two words without accents share two thirds of the shorter one, at least five letters."""
    shorter = min(len(one), len(other))
    least = max(_COGNATE, (2 * shorter + 2) // 3)
    return shorter >= _COGNATE and one[:least] == other[:least]


def is_about(one: str, other: str) -> bool:
    """Tell whether one of two texts is about everything that the other is about."""
    first, second = _topic(one), _topic(other)
    return bool(first and second) and (first <= second or second <= first)


def _unaccented(text: str) -> frozenset[str]:
    return frozenset(
        "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))
        for word in read(text).words
    )


def _topic(text: str) -> frozenset[str]:
    return frozenset(read(text).words) - _WEAK_STEMS


def _tokens(text: str) -> Sequence[str]:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return [
        token
        for token in _TOKEN.findall(plain)
        if not unicodedata.category(token[0]).startswith("P") or len(token) > 1
    ]


def _denies(token: str) -> bool:
    return token in _DENIALS or token.endswith("n't")


def _stem(token: str) -> str:
    """Cut English endings, roughly; not "ed", because "worked there" says less than "works there"."""
    if token in _LIKINGS:
        return "like"
    if not token.isascii() or not token.isalpha():
        return token
    for ending in ("ing", "es", "s", "e"):
        if token.endswith(ending) and len(token) - len(ending) >= 2:  # noqa: PLR2004  a root
            return token[: -len(ending)]
    return token
