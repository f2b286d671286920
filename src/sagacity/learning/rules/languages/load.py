"""Load language files as tables of patterns, each on first use."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.answers import Answer, Compiled, compiled
from sagacity.learning.rules.given_names import GIVEN
from sagacity.learning.rules.sentences import Grammar

LANGUAGES: Final = ("de", "fr", "es", "pt")
"""Languages that rules read besides English; each has a file `<code>.toml`."""

_SPELLINGS: Final = {
    "ä": "(?:ä|ae?)", "ö": "(?:ö|oe?)", "ü": "(?:ü|ue?)", "ß": "(?:ß|ss?)", "à": "[àa]", "á": "[áa]", "â": "[âa]",
    "ã": "[ãa]", "ç": "[çc]", "è": "[èée]", "é": "[éèe]", "ê": "[êée]", "ë": "[ëe]", "í": "[íi]", "î": "[îi]",
    "ï": "[ïi]", "ñ": "[ñn]", "ó": "[óo]", "ô": "[ôo]", "õ": "[õo]", "ú": "[úu]", "û": "[ûu]", "ù": "[ùu]",
    "œ": "(?:œ|oe)", " ": r"\s",
}  # fmt: skip
"""Letters of a pattern to all their spellings in chats."""
_PIECE: Final = re.compile(r"%([A-Z_]+)%")


class _Grammar(Value):
    """The `[grammar]` of a language file; see `Grammar`."""

    pasted: str
    text_task: str
    fiction: str
    supposed: str
    reported: str
    asking: str
    connector: str
    opener: str
    unfinished: str
    after_number: str = ""


class _Row(Value):
    """One `[[fact]]` or `[[instruction]]` of a language file."""

    name: str
    says: tuple[str, ...]
    """Alternative patterns, with pieces (`%NAME%`) and groups."""
    gives: str
    """The memory in this language: a template with the groups."""
    when: str = ""
    """When an instruction applies: also a template."""
    slot: str = ""
    exclusive: bool = False
    negates: bool = False
    time_to_live: TimeToLive = TimeToLive.INFINITY
    confidence: float = 0.85
    relation: str = ""
    """The relationship of the user to what a group names."""
    refuse: str = ""
    """A pattern with which no group may start."""
    polite: bool = False
    """Whether it may be a polite question: "könntest du …?"."""


class _File(Value):
    """A language file."""

    common: str
    """Words by which the language is detected; none of them is English."""
    letters: str
    """A pattern of letters that no other language that rules read has."""
    phrases: str = ""
    """Phrases by which the language is detected although they contain English words: "he comprado"."""
    tail: str
    """Asides at the end of a phrase, which are removed."""
    pointing: str
    """Words without meaning outside the conversation; a phrase with one is not a fact."""
    no_name: str
    """Words with which no name starts."""
    forms: dict[str, str]
    """Verbs in the group `verb`, from first to third person."""
    third: dict[str, str]
    """Words for the speaker, from first to third person."""
    pieces: dict[str, str]
    grammar: _Grammar
    answer: tuple[Answer, ...] = ()
    """What short answers to the agent's questions say in full."""
    fact: tuple[_Row, ...]
    instruction: tuple[_Row, ...]


@dataclass(frozen=True)
class Row:
    """One way of saying something, and what it means. Its patterns are compiled on first use."""

    says: _Row
    pieces: dict[str, str]

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The compiled patterns."""
        return tuple(_compiled(pattern, self.pieces) for pattern in self.says.says)

    @cached_property
    def refuse(self) -> re.Pattern[str] | None:
        """The compiled pattern with which no group may start."""
        return _compiled(self.says.refuse, self.pieces) if self.says.refuse else None


@dataclass(frozen=True, kw_only=True)
class Language:
    """A language that rules read."""

    grammar: Grammar
    tail: re.Pattern[str]
    pointing: re.Pattern[str]
    no_name: re.Pattern[str]
    forms: dict[str, str]
    third: dict[str, str]
    answers: Compiled
    facts: tuple[Row, ...]
    instructions: tuple[Row, ...]


@cache
def load_language(code: str) -> Language:
    """Return the table of the language *code*, one of `LANGUAGES`."""
    file = _read(code)
    pieces = {"GIVEN": GIVEN}
    for name, pattern in file.pieces.items():
        pieces[name] = _PIECE.sub(lambda found: pieces[found[1]], pattern)
    return Language(
        grammar=_grammar(file.grammar, pieces),
        tail=_compiled(rf"(?:[ ,;:.!-]|(?<=[ ,])(?:{file.tail}))+$", pieces),
        pointing=_compiled(rf"\b(?:{file.pointing})\b", pieces),
        no_name=_compiled(rf"(?:{file.no_name})\b", pieces),
        forms=file.forms,
        third=file.third,
        answers=compiled(file.answer, lambda pattern: _compiled(pattern, pieces)),
        facts=tuple(Row(row, pieces) for row in file.fact),
        instructions=tuple(Row(row, pieces) for row in file.instruction),
    )


@cache
def common_words(code: str) -> frozenset[str]:
    """Return the words by which the language *code* is detected, with and without accents."""
    return frozenset(_read(code).common.split())


@cache
def own_letters(code: str) -> re.Pattern[str]:
    """Return the pattern of letters that only the language *code* has."""
    return re.compile(_read(code).letters)


@cache
def own_phrases(code: str) -> re.Pattern[str] | None:
    """Return the pattern of phrases that only the language *code* has, made of words of others; None if it has none."""
    phrases = _read(code).phrases
    return re.compile(rf"\b(?:{phrases})\b", re.IGNORECASE) if phrases else None


@cache
def _read(code: str) -> _File:
    text = (files(__package__ or "") / f"{code}.toml").read_text(encoding="utf-8")
    return _File.model_validate(tomllib.loads(text))


def _compiled(pattern: str, pieces: dict[str, str]) -> re.Pattern[str]:
    """Compile *pattern* with its pieces so that accents may be missing."""
    whole = _PIECE.sub(lambda found: pieces[found[1]], pattern)
    spelled = "".join(_SPELLINGS.get(char, char) for char in whole)
    return re.compile(spelled, re.IGNORECASE)


def _grammar(said: _Grammar, pieces: dict[str, str]) -> Grammar:
    def one(pattern: str) -> re.Pattern[str]:
        return _compiled(pattern, pieces)

    return Grammar(
        pasted=one(said.pasted),
        pasted_inline=one(rf"(?:{said.text_task})[^\n:]{{0,80}}: "),
        text_task=one(rf"(?:{said.text_task})"),
        fiction=one(rf"\b(?:{said.fiction})\b"),
        supposed=one(rf"\b(?:{said.supposed})\b"),
        reported=one(rf"\b(?:{said.reported})\b"),
        asking=one(rf"(?:{said.asking})\b"),
        connector=one(rf"[,;:(]\s+|\s+[-–—]{{1,3}}\s+|—|\s(?:{said.connector})\s+(?:[-–—]{{1,3}}\s+)?"),
        opener=one(rf"(?:{said.opener})\b[\s,:;!.-]{{1,4}}"),
        unfinished=one(rf"(?:\b(?:{said.unfinished})|\b(?-i:[A-Z]))\.\s+$"),
        after_number=one(rf"(?:{said.after_number})") if said.after_number else None,
    )
