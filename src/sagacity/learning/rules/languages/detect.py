"""Detect the language of a text by its commonest words."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Final

from sagacity.domain.cursor import Window
from sagacity.domain.interaction import Interaction
from sagacity.learning.rules.languages.load import LANGUAGES, common_words, own_letters, own_phrases

ENGLISH: Final = "en"
READ: Final = (ENGLISH, *LANGUAGES)
"""The languages that rules read."""
MAX_WORDS: Final = 400
"""Most words of a text that are examined."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_PHRASE: Final = 2
"""How many words a phrase counts for that only one language has."""
_ENOUGH: Final = 2
"""Words needed to recognise a language that rules do not read; one could be a name."""


def language_of(text: str, beside: str = "") -> str:
    """
    Return the code of the language of *text*; `en` unless another is recognised.

    Args:
        text: one turn.
        beside: other text by the speaker, whose language is used if that of *text* is not clear.

    Returns:
        `en`, one of `LANGUAGES`, or the code of a language that is recognised but not read.
    """
    said = _best(text)
    if len(said) == 1:
        return said[0]
    other = _best(beside)
    return next((code for code in other if code in said), "") or next(iter(said or other), ENGLISH)


def own_words(turns: Iterable[Interaction]) -> str:
    """Return what the user says in *turns* as one text, to detect its language."""
    return "\n".join(turn.content[:500] for turn in turns if turn.is_user)


def unread_language(window: Window) -> str:
    """Return the code of the user's language in *window* if rules do not read it; empty if they do."""
    code = language_of(own_words(window.unread), own_words(window.interactions))
    return "" if code in READ else code


def _best(text: str) -> tuple[str, ...]:
    """Return the languages with the most common words in *text*, those that rules read first; empty if none has any."""
    script = next((code for code, letters in _scripts() if _mostly(letters, text)), "")
    if script:
        return (script,)
    plain = unicodedata.normalize("NFC", text[:8_000])
    told: dict[str, list[Fraction]] = {}
    for code in LANGUAGES:  # its words do not count for English
        if phrases := own_phrases(code):
            plain, times = phrases.subn(" ", plain)
            told[code] = [Fraction(_PHRASE)] * times
    words = _WORD.findall(plain)[:MAX_WORDS]
    said = {code: _shared(words, code, common) + told.get(code, []) for code, common in _words()}
    most = max(map(sum, said.values()))
    return tuple(
        code
        for code, shares in said.items()
        if shares and sum(shares) == most and len(shares) >= (1 if code in READ else _ENOUGH)
    )


def _shared(words: Sequence[str], code: str, common: frozenset[str]) -> list[Fraction]:
    """
    Return how much each of *words* counts for the language *code*; a word of n languages counts 1/n for each.

    A letter that only this language has counts as much as a word, except in names.
    """
    told = [
        word for word in words if word.casefold() in common or (word.islower() and _has_letters(code, word))
    ]
    return [Fraction(1, _languages_of().get(word.casefold(), 1)) for word in told]


def _has_letters(code: str, word: str) -> bool:
    return code in LANGUAGES and own_letters(code).search(word) is not None


@cache
def _languages_of() -> Mapping[str, int]:
    """Return the number of languages in which each common word is one."""
    return Counter(word for _, common in _words() for word in common)


def _mostly(letters: re.Pattern[str], text: str) -> bool:
    """Whether at least a third of the characters are *letters*; Japanese also uses many Chinese ones."""
    written = sum(map(str.isalpha, text[:8_000]))
    return len(letters.findall(text[:8_000])) * 3 > written


@cache
def _words() -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the common words of every language, English first, and last those that rules do not read."""
    other = {code: frozenset(words.split()) for code, words in _others()["words"].items()}
    return (
        (ENGLISH, other.pop(ENGLISH)),
        *((code, common_words(code)) for code in LANGUAGES),
        *other.items(),
    )


@cache
def _scripts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((code, re.compile(f"[{letters}]")) for code, letters in _others()["scripts"].items())


@cache
def _others() -> dict[str, dict[str, str]]:
    text = (files(__package__ or "") / "others.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
