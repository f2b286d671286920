"""
What must not be missed: diets, allergies, illnesses and prohibitions, and the questions that they matter to; pure.

Read from the words alone, in the five languages of the rules that learn. What is said of an animal, and what is denied
or over, is no caution. In doubt a memory is one, and a question touches it: one too many is read over, one too few may
do harm.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Final

from sagacity.domain import caution_words as words


class Caution(StrEnum):
    """What a memory warns of; stored with its search document."""

    FOOD = "food"
    """What somebody does not, or must not, eat or drink."""
    HEALTH = "health"
    """Illnesses, medicines, and what else somebody does not tolerate."""
    FOOD_AND_HEALTH = "food_and_health"
    """Conditions that also limit what somebody may eat: diabetes, a pregnancy."""


_READ_CHARACTERS: Final = 2_000
"""Of a memory or a question; a longer one is a document, which begins with what it is about."""

_HEALTH: Final = r"(?:health|gesundheit|santé|salud|saúde)"
_AILS: Final = rf"(?:^(?:{_HEALTH} ?: )?|\b{words.HAS}{words.SOME}|\b{words.IS} |[\s']d'){words.QUITE}"
_STATED: Final[Sequence[tuple[Caution, Sequence[str]]]] = (
    (
        Caution.HEALTH,
        (
            rf"\b(?:allerg\w+|alérg\w+)\b.{{0,40}}?\b{words.ALLERGENS_BUT_FOOD}\b",
            rf"\b{words.ALLERGENS_BUT_FOOD}[\s-]?allerg\w+\b{words.NOT_BEFORE_A_THING}",
        ),
    ),
    (
        Caution.FOOD,
        (
            r"\ballergic (?:to|reactions?)\b|\ballerg(?:y|ies) to\b|^allerg\w+:",
            rf"(?:^|\b{words.HAS}{words.SOME})(?:[\w-]+ ){{0,2}}allerg(?:y|ies)\b{words.NOT_BEFORE_A_THING}",
            r"\ballergisch (?:gegen|auf)\b|\b\w*allergie\b|\ballergique\b|\balérgic[oa]\b|\balergias?\b",
            r"\b(?:lactose|gluten|dairy|fructose|histamine|wheat)[ -]?intoleran\w+",
            r"\b(?:laktose|gluten|fruktose|histamin)\w*(?:intoleran\w+|unverträglich\w+)",
            r"\bintol[eé]r\w+ (?:of|to|au|aux|à|a|al|ao|gegen)\b",
            rf"\bsensitive to {words.FOODS}\b",
            r"\b(?:c(?:o?e|œ)lia(?:c|que)s?|celíac[oa]|zöliakie|celiaquía)\b" + words.NOT_BEFORE_A_THING,
            rf"(?:^|\b{words.IS} (?:on (?:an? )?)?{words.QUITE}){words.DIETS}\b{words.NOT_BEFORE_A_THING}",
            rf"\b{words.EATS}{words.SOME}{words.DIETS}\b{words.NOT_BEFORE_A_THING}",
            r"\b(?:follow(?:s|ing)?|is on|sticks to|keeps(?: to)?) an? (?!news|media)(?:[\w-]+ ){0,3}diet\b",
            r"^(?:diet(?:ary|a)?|ernährung|régime)\b[^:]{0,30}:",
            rf"\b{words.FOODS} (?:gives?|makes?) (?:them|him|her|me) \w+",
            r"\b(?:intermittent fasting|fasts|is fasting|ramadan|sober|recovering alcoholic|teetotal\w*)\b",
            (
                r"\b(?:avoid(?:s|ing)?|stays (?:off|away from)|abstains from|cuts? out) (?:all |any )?(?:\w+ )?"
                rf"{words.FOODS}\b"
            ),
        ),
    ),
    (
        Caution.FOOD_AND_HEALTH,
        (
            r"\b(?:anaphyla\w+|epi-?pen)\b",
            rf"(?:^|\b{words.IS} {words.QUITE})(?:pregnant|breastfeeding|schwanger|enceinte|embarazada|grávida)\b",
            rf"{_AILS}{words.ILLNESSES_THAT_LIMIT_FOOD}\b{words.NOT_BEFORE_A_THING}",
        ),
    ),
    (
        Caution.HEALTH,
        (
            rf"{_AILS}{words.ILLNESSES}\b{words.NOT_BEFORE_A_THING}",
            rf"^(?:{_HEALTH}|(?:medical )?conditions?|medications?) ?: \w",
            rf"\b{words.TAKES}{words.SOME}{words.MEDICINES}\b",
            r"\b(?:takes?|taking|nimmt|prend|toma)\b[^.]{0,40}?\b\d+ ?(?:mg|mcg|µg)\b",
            rf"\b{words.IS} {words.QUITE}(?:immunocompromised|deaf|blind|paraly[sz]ed|hard of hearing)\b",
            r"\b(?:uses|in|needs|on) (?:an? )?(?:wheelchair|crutches|oxygen)\b",
            r"\b(?:chemo(?:therapy)?|dialysis)\b",
            r"\b(?:having|scheduled for|recovering from) (?:[\w-]+ ){0,3}surgery\b",
        ),
    ),
)
"""What is said of somebody; a "not" before its end denies it. The first that fits counts."""
_STATEMENTS: Final = tuple((pattern, caution) for caution, patterns in _STATED for pattern in patterns)
_REFUSED: Final = (
    (
        r"\b(?:do(?:es)? not|do(?:es)?n't|cannot|can't|may not|must(?:n't| not)|never|no longer|won't|"
        r"should(?:n't| not)|not allowed to|stopped|quit|refuses to|unable to|(?:has|have)(?:n't| not)) (?:\w+ly )?"
        rf"(?:eat(?:s|ing|en)?|consumes?|drinks?|drinking|drunk)(?:\b(?!\s{words.NOT_A_FOOD})\s\w|$)"
    ),
    rf"\b(?:cannot|can't|must not|may not|no longer) (?:have|has|touch|handle) (?:any )?{words.FOODS}\b",
    r"\b(?:does not|doesn't|cannot|can't) tolerate (?!how\b)\w",
    (
        r"\b(?:isst|esse|trinkt|trinke|verträgt|vertrage)\b[^.]{0,30}?\b(?:keine?[nm]?|nicht|nie|niemals)"
        rf" (?!{words.NOT_A_FOOD})\w"
    ),
    r"\b(?:darf|kann) keine?n? [^.]{1,30} (?:essen|trinken)\b",
    (
        r"\bne (?:peut |peux )?(?:pas )?(?:mange|bois|boit|supporte|digère|tolère|manger|boire)\b"
        rf"(?: pas| jamais| plus)?(?! {words.NOT_A_FOOD})"
    ),
    (
        r"\b(?:no|nunca|não) (?:puede |puedo |pode |posso )?(?:come|como|comer|bebe|bebo|beber|tolera|tolero)\b"
        rf"(?! {words.NOT_A_FOOD})"
    ),
)
"""What somebody does not eat or drink; the "not" belongs to it."""

_TOUCHED: Final = (
    (words.MEALS, frozenset({Caution.FOOD, Caution.FOOD_AND_HEALTH})),
    (words.BODY, frozenset({Caution.HEALTH, Caution.FOOD_AND_HEALTH})),
    (words.EVERYTHING, frozenset(Caution)),
)


def caution_of(text: str) -> Caution | None:
    """Return what a memory with this text warns of; None if nothing."""
    clauses = (clause.strip() for clause in _compiled(words.CLAUSE_ENDS).split(_plain(text)))
    found = {caution for clause in clauses if clause and (caution := _of_clause(clause))}
    if not found:
        return None
    return found.pop() if len(found) == 1 else Caution.FOOD_AND_HEALTH


def cautions_touched(question: str) -> frozenset[Caution]:
    """Return the cautions that matter to *question*: diets to a dinner, all to a journey."""
    plain = _plain(question)
    return frozenset[Caution]().union(
        *(touched for about, touched in _TOUCHED if _compiled(about).search(plain))
    )


def forbids(text: str) -> bool:
    """Whether a rule begins with a prohibition: "never", "do not", "must not"."""
    return _compiled(words.FORBIDS).match(_plain(text).lstrip()) is not None


def _plain(text: str) -> str:
    return text[:_READ_CHARACTERS].casefold().replace("’", "'")


def _of_clause(clause: str) -> Caution | None:
    """Return what one clause says: "is vegan", of "is vegan and was diagnosed with asthma"."""
    said = _compiled(words.HOLDS_STILL).sub("", clause).replace(",", "")
    if _compiled(words.OVER).search(said):
        return None
    for pattern in _REFUSED:
        if (match := _compiled(pattern).search(said)) and not _is_of_an_animal(said, match):
            return Caution.FOOD
    for pattern, caution in _STATEMENTS:
        match = _compiled(pattern).search(said)
        if (
            match
            and not _compiled(words.DENIED).search(said, 0, match.end())
            and not _is_of_an_animal(said, match)
        ):
            return caution
    return None


def _is_of_an_animal(clause: str, match: re.Match[str]) -> bool:
    return _compiled(words.ANIMALS).search(clause, 0, match.start()) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile on first use, because most programs that import this analyse no text."""
    return re.compile(pattern)
