"""Analyse denials in the first person and the present: what is denied, and how to say it of the user."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from sagacity.learning.rules.endings import LEXICONS, Lexicon
from sagacity.learning.rules.folding import bare, folded, unaccented, word_set
from sagacity.learning.rules.languages.detect import ENGLISH
from sagacity.learning.rules.languages.load import load_language
from sagacity.learning.rules.wording import conjugate, finish, third_person

_ELISION: Final = re.compile(r"\b([jnldmts]|qu)'(?=\w)", re.IGNORECASE)
_ELIDES: Final = re.compile(r"\b([nldjmts])(?:'|e\b|\b)\s(?=[aeiou\u00e9\u00ea])", re.IGNORECASE)
_KEPT: Final = frozenset("mehr plus ya mas ja mais ne n'".split())
"""Asides that are part of a denial, and stay in its memory."""
_ENDINGS: Final = re.compile(r"(?<=(?:ss|sh|ch|zz))es$|(?<=[^s])s$")
_IRREGULAR: Final = {"has": "have", "does": "do", "goes": "go"}
_HAVE: Final = frozenset("has hat a tiene tem".split())

Word = tuple[str, str]
"""A word as written, and folded."""


@dataclass(frozen=True, slots=True)
class Denied:
    """What a clause denies."""

    content: str
    """The clause said of the user: "Does not take losartan."."""
    words: tuple[str, ...]
    """What it denies, for comparison: "takes losartan"."""
    is_whole: bool
    """Whether it denies only a fact that says exactly this: "I'm not a fan" refers to something said before."""
    is_over: bool
    """Whether it says that this was true before: "not any more"."""


def denied_in(clause: str, language: str) -> Denied | None:
    """Analyse a clause; returns None if it is not a denial in the first person and the present."""
    lexicon = LEXICONS[language]
    denials, asides = word_set(lexicon.denials), word_set(lexicon.asides)
    said = _words(clause, language, lexicon)
    rest = _predicate(said, lexicon)
    positive = [word for word in rest if word[1] not in denials and word[1] not in asides]
    denying = sum(word[1] in denials for word in rest)
    if denying != 1 or len(positive) < 2:  # noqa: PLR2004  a verb and what it is said of
        return None
    head, *objects = positive
    verb = _third(head[1], language, lexicon)
    if verb is None or not word_set(lexicon.subjects).isdisjoint(word for _, word in objects):
        return None
    words = bare((folded(verb), *(word for _, word in objects)), lexicon)
    is_over = not word_set(lexicon.over).isdisjoint(word for _, word in rest)
    if language == ENGLISH:
        content = _in_english(verb, objects, is_over=is_over)
    else:
        kept = [word for word in rest if word[1] not in asides or word[1] in _KEPT | denials]
        content = _in_other([(verb, "") if word is head else word for word in kept], language)
    is_whole = len(words) == 1 and folded(verb) not in _HAVE and not (is_over and verb == "is")
    return Denied(content, words, is_whole=is_whole, is_over=is_over) if words else None


def is_limited(denied: Denied, following: re.Match[str], language: str) -> bool:
    """Whether the words that follow limit the denial to some cases, or are themselves what is denied."""
    connector, rest = folded(following[0]), folded(following.string[following.end() :])
    reasons = word_set(LEXICONS[language].reasons)
    is_reason = not reasons.isdisjoint((*connector.split(), *rest.split()[:1]))
    return (is_reason and not denied.is_over) or _limits(language).match(rest) is not None


@cache
def _limits(language: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{unaccented(LEXICONS[language].limits)})\b")


def _words(clause: str, language: str, lexicon: Lexicon) -> list[Word]:
    """Split a clause into words; an entry that a table writes with `_` is one word."""
    plain = clause.strip(" .!\u2026\u00a1")
    if language == "fr":
        plain = _ELISION.sub(r"\1' ", plain)
    for phrase in f"{lexicon.denials} {lexicon.asides}".split():
        if "_" in phrase:
            plain = re.sub(rf"\b{phrase.replace('_', ' ')}\b", phrase, plain, flags=re.IGNORECASE)
    bare_words = (word.strip('",') for word in plain.split())
    return [(word, folded(word)) for word in bare_words if word]


def _predicate(said: Sequence[Word], lexicon: Lexicon) -> Sequence[Word]:
    """Return what is said of the speaker; empty if the clause is about somebody else."""
    asides = word_set(lexicon.asides)
    begin = next((at for at, word in enumerate(said) if word[1] not in asides), 0)
    first = said[begin][1] if said else ""
    if first in word_set(lexicon.subjects):
        return said[begin:] if "'" in first and first in lexicon.verbs else said[begin + 1 :]
    return said if lexicon.subject_is_optional and first in word_set(lexicon.denials) else ()


def _third(verb: str, language: str, lexicon: Lexicon) -> str | None:
    """Return the third person of a verb in the first; None if unknown."""
    irregular = next((third for first, third in lexicon.verbs.items() if folded(first) == verb), None)
    if irregular or language == ENGLISH:
        return irregular or (conjugate(verb) if verb.isalpha() else None)
    regular = next((pair for pair in lexicon.regular if verb.endswith(pair[0])), None)
    return verb[: -len(regular[0])] + regular[1] if regular else None


def _in_english(verb: str, objects: Sequence[Word], *, is_over: bool) -> str:
    rest = third_person(" ".join(word for word, _ in objects))
    if verb == "is":
        return finish(f"Is {'no longer' if is_over else 'not'} {rest}")
    base = _IRREGULAR.get(verb) or _ENDINGS.sub("", verb)
    return finish(f"No longer {verb} {rest}" if is_over else f"Does not {base} {rest}")


def _in_other(said: Sequence[Word], language: str) -> str:
    third = load_language(language).third
    text = " ".join(third.get(word, written) for written, word in said)
    return finish(_ELIDES.sub(r"\1'", text) if language == "fr" else text)
