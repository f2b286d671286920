"""Answers to the agent's questions, put back into full statements: "How old are you?", "41" is "I'm 41 years old"."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from sagacity.domain.base import Value
from sagacity.learning.rules.sentences import Grammar, lead

MAX_QUESTION: Final = 160
_SENTENCE: Final = re.compile(r"(?<=[.!?:])\s+|\n+")


class Answer(Value):
    """
    One question, and the statement that its answer amounts to.

    *asks* matches the whole question without its mark; *says* the start of the answer. *gives* is a template with the
    groups of both. The statement is read like any other, so that the tables of facts decide what is worth noting.
    """

    asks: str
    says: str
    gives: str


Compiled = Sequence[tuple[re.Pattern[str], re.Pattern[str], str]]


def compiled(rows: Sequence[Answer], pattern: Callable[[str], re.Pattern[str]]) -> Compiled:
    """Compile the patterns of *rows* with *pattern*, which knows the pieces of their language."""
    return tuple((pattern(row.asks), pattern(row.says), row.gives) for row in rows)


def in_full(rows: Compiled, question: str, answer: str, grammar: Grammar) -> str:
    """
    Return *answer* as a statement if it is half a sentence that answers *question*; else as it is.

    Args:
        rows: of the language of *question*; the first that fits both wins.
        question: what the agent said. It counts if it asks one thing, at its end.
        answer: what the user said then.
        grammar: of the same language, for what may stand before a question.
    """
    asked = _question(question)
    said = answer.strip()
    if not asked or not said or "?" in said.split("\n", 1)[0]:
        return answer
    for at in lead(asked, grammar):
        for asks, says, gives in rows:
            found = asks.fullmatch(asked, at)
            told = says.match(said) if found else None
            if found and told:
                stated = _stated(gives, {**found.groupdict(), **told.groupdict()})
                return stated + (
                    said[told.end() :] if stated[-1] not in ".," else f" {said[told.end() :].lstrip(', ')}"
                )
    return answer


def asks(text: str) -> bool:
    """Whether *text* ends with the only question that it asks."""
    return bool(_question(text))


def _stated(gives: str, groups: Mapping[str, str | None]) -> str:
    stated = gives.format_map({name: (said or "").strip(" ,") for name, said in groups.items()})
    return " ".join(stated.split()).replace(" :", ":")


@lru_cache(maxsize=256)
def _question(text: str) -> str:
    """Return the only question of *text*, which ends it; empty if it asks nothing, or several things."""
    sentences = [one.strip(" *_") for one in _SENTENCE.split(text[-2_000:].strip()) if one.strip(" *_")]
    asked = [one for one in sentences if one.endswith("?")]
    if len(asked) != 1 or sentences[-1] != asked[0] or len(asked[0]) > MAX_QUESTION:
        return ""
    return asked[0].rstrip("? ").lstrip("\u00bf ").replace("\u2019", "'")
