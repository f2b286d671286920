"""Text cut into sentences, and each clause with who vouches for it: the speaker, or nobody."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sagacity.domain.base import Value

MAX_TEXT = 20_000
"""Characters read of one turn; people who state facts about themselves need fewer."""
MAX_SENTENCE = 600
"""Longer sentences are skipped: they are pasted or hostile, and patterns stay cheap."""
MAX_CLAUSES = 40

Span = tuple[int, int]


class Stance(StrEnum):
    """How the speaker stands to a clause."""

    STATED = "stated"
    ASKED = "asked"
    SUPPOSED = "supposed"
    REPORTED = "reported"


class Clause(Value):
    """Where a clause starts in its sentence, and how the speaker stands to it."""

    start: int
    stance: Stance


class Sentence(Value):
    """One sentence of a turn; clauses that the speaker only quotes are left out."""

    text: str
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """How a language marks what its speaker does not vouch for, and where its clauses start."""

    pasted: re.Pattern[str]
    """A line that announces pasted text."""
    pasted_inline: re.Pattern[str]
    """The same within a line, up to the pasted text."""
    text_task: re.Pattern[str]
    """A request to write or change a text: what follows is material."""
    fiction: re.Pattern[str]
    supposed: re.Pattern[str]
    reported: re.Pattern[str]
    asking: re.Pattern[str]
    """The first words of a question."""
    connector: re.Pattern[str]
    """What stands between two clauses."""
    opener: re.Pattern[str]
    """What may stand before a clause: a greeting, "by the way"."""
    unfinished: re.Pattern[str]
    """An abbreviation at the end, whose full stop ends no sentence."""
    vouched: re.Pattern[str] | None = None
    """What leads back to the speaker's own words within a question, or behind another's: "but I", "since my". What has
    a group `aside` does so within a question only."""
    new_text: re.Pattern[str] | None = None
    """A request to write a new text: its sentence is about the text, what follows is what the user says for it."""
    anothers_voice: re.Pattern[str] | None = None
    """What in such a request makes all that follows a part of the text."""
    after_number: re.Pattern[str] | None = None
    """Words before which a number with a full stop ends no sentence: "3. Mai"."""


_BLANKS = re.compile(r"[^\S\n]{2,}")
"""Becomes one space, because patterns take cubic time for long ones."""
_PLAIN = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00a0": " ",
        "\u202f": " ",
        "\u201e": '"',
        "\u00ab": '"',
        "\u00bb": '"',
    }
)

_PASTE_LINE = re.compile(
    r"(?:^\s*(?:subject|from|to|cc|sent)\s*:|^\s*dear\s+\S+.{0,40},\s*$|-{3,}\s*(?:original|forwarded)|"
    r"\b(?:e-?mail|letter|article|text|transcript|logs?|essay|paragraph|passage|document|post|abstract|"
    r"review|output|error|story|script|poem|lyrics|resume|bio|prompt|excerpt|message|following|below|says|"
    r"wrote|said)\b.{0,60}:\s*$)",
    re.IGNORECASE,
)
_TEXT_WORK = (
    r"(?:summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|edit|correct|improve|classify|"
    r"analy[sz]e)"
)
_PASTE_INLINE = re.compile(
    rf"(?:\b{_TEXT_WORK}\b[^\n:]{{0,80}}|\bhere(?:'s| is| are)\s(?:the|my|a|an|her|his|their|our|"
    rf"what)\s[^\n:]{{0,40}}\b(?:ads?|e-?mail|letter|"
    rf"post|posting|description|message|article|review|story|transcript|draft|text|essay|bio|profile|resume|"
    rf"cv|listing|lyrics|prompt|notes|"
    rf"paragraph|script|dialogue|email thread|logs?|output|error|stack ?trace|traceback|wrote|"
    rf"said|sent)\b[^\n:]{{0,40}}):\s",
    re.IGNORECASE,
)
_MADE_BY_PROGRAMS = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d(?:[T ]|, )\d\d?:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b|"
    r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception): )"
)
"""Lines of a log, an exported chat or a stack trace: a day with a time, a level, or an error."""
_TAG = re.compile(r"<(/?)([A-Za-z_][\w-]{0,30})[^<>]{0,100}>")

_BOUNDARY = re.compile(
    r"(?<![.!?\u2026])[.!?\u2026]+[\"')\]]{0,2}\s+|[\u3002\uff01\uff1f]+|\n\s*\n|\n(?=\s*[^a-z\s])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|mr|mrs|ms|dr|prof|st|vs|approx|inc|jr|sr)|\b[A-Z])\.\s+$", re.IGNORECASE
)

_ASKED_OF_YOU = r"\s*(?:please\s+|can you\s+|could you\s+|help me\s+|i want you to\s+|i need you to\s+)?"
_TEXT_TASK = re.compile(
    rf"{_ASKED_OF_YOU}(?!correct\s(?:me|my\s\w+)\s(?:when|if|every)[^\n:]{{0,60}}$)(?:"
    rf"{_TEXT_WORK}|act as|you are|you're going to be)\b",
    re.IGNORECASE,
)
_NEW_TEXT = re.compile(
    rf"{_ASKED_OF_YOU}(?!write\s(?:in|with|without|like|to me|all|any|every|your|short|shorter|longer|simpler|numbers|"
    r"dates|times|prices|code|tests|comments|commit messages|docstrings|names)\b[^\n:]{0,60}$)"
    r"(?:write|draft|compose|generate)\b|"
    r".{0,200}\b(?:write|tell|create|generate|draft|compose)\s(?:me\s)?(?:\w+\s){0,5}"
    r"(?:letter|e-?mail|speech|bio|post|caption|review)\b",
    re.IGNORECASE,
)
_ANOTHERS_VOICE = re.compile(
    r":\s*$|\b(?:as (?:an?|if|though)|from the (?:perspective|point of view|viewpoint)|in (?:the|a) (?:voice|style|"
    r"role)|"
    r"in (?:first|1st) person|about an?|by an?|for an?|where|in which|who|saying|says?|telling)\b",
    re.IGNORECASE,
)
"""What makes the rest of a request for a new text its matter, and not what the user says of themself."""
_FICTION = re.compile(
    r"\b(?:role-?\s?play|pretend|imagine|act as|suppose|hypothetically|fictional|let's say|in (?:this|my|"
    r"the) (?:scenario|movie|story|game|book|novel|film|play|dream)|(?:write|tell|create|generate|draft|"
    r"compose)\s(?:me\s)?(?:\w+\s){0,5}(?:story|poem|script|song|scene|novel|dialogue|monologue|"
    r"essay))\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if(?!\s(?:it|that)\s(?:helps|matters))(?!\s(?:at all )?(?:possible|needed|necessary|relevant|so|not|"
    r"you (?:can|could|like|want|don't mind|do not mind|need to know)|that's (?:ok|okay|fine|possible))"
    r"(?=\s*(?:[,.;!?)]|$)|\s(?:and|but|since|because|as)\b))|unless|supposing|assuming|whether|wish|as though|"
    r"what if|"
    r"would have|could have|dreamed|dreamt)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<![\w'])(?:(?!(?:i|we|i've|we've|you|never|always|only|to|please|not|don\'t|just|and|or|can|"
    r"also|already|no|any|less|fewer|more|your)\b)[\w'-]+)\s(?:(?:always|already|"
    r"just|also|often|once)\s)?(?:says?|said|saying|told|tells|thinks?|thought|claims?|claimed|believes?|"
    r"asks|wrote|writes|suggests?|suggested|recommends?|recommended|mentions?|insists?|insisted|jokes?|"
    r"joked|replied|swears?|argues?)\b|\baccording to\b|\b(?:error|message|page|manual|docs?|instructions?|"
    r"prompt|label|sign|output|log|note)\s(?:was|is|reads?)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:(?:do|does|did|should|shall|can|could|would|will|am|is|are|was|were|have|has)(?:n't)?\s(?:i|we|"
    r"you|it|he|she|they|there|the|my|this|that|these|those|any|anyone|someone)\b|(?:what|which|who|whose|"
    r"where|why|how|any)\b|when\s(?:do|does|did|should|is|are|can|will)\b)",
    re.IGNORECASE,
)
_CONNECTOR = re.compile(
    r"[,;:(]\s+|\s+[-\u2013\u2014]{1,3}\s+|\u2014|\s(?:and|but|so|because|since|as|while|although|though|"
    r"plus)\s+(?:[-\u2013\u2014]{1,3}\s+)?",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"(?:by the way|btw|also|oh|well|yeah|yes|yep|no|nope|actually|honestly|anyways?|so|and|but|plus|hi|"
    r"hello|hey|there|thanks|ok|okay|sure|great|perfect|speaking of which|to be honest|in fact|"
    r"just so you know|fyi|now|whoa|wait|sorry|i(?:'d like to| should| want to| forgot to)? (?:add|mention|"
    r"note|say|clarify|point out) that|i (?:just |also )?(?:realized|remembered|noticed)(?: that)?|"
    r"for instance|for example|speaking of \w+|for (?:context|reference|the record|your information)|"
    r"(?:as|like) i(?:'ve)?(?: already)? (?:said|mentioned|told you)(?: before| earlier| already)?|"
    r"i(?:'ve| have)?(?: already| just| only)? told you(?: before| earlier| already| once)?(?: that)?|"
    r"i(?: already| just)? said(?=[:,]|\s(?:no \w+[.!]*$|never\b|don't\b|always\b|please\b))|"
    r"(?:(?:please|pls|plz|and|also|always) ){0,2}(?:remember|memori[sz]e|keep in mind|bear in mind|"
    r"(?:don't|do not|never) forget|make a note)(?: for (?:later|me|next time))?(?:,? that|(?=:))|"
    r"(?:one|1) (?:more )?(?:thing|request)|first|second|"
    r"third|finally|lastly|unfortunately|luckily|personally|currently|big life update|update|right now|"
    r"these days|recently|lately|just to clarify|i'd say(?: that)?|turns out(?: that)?|it turns out(?: "
    r"that)?|"
    r"i(?: must| have to)? admit(?: that)?|(?:the )?thing is|as you know|note that|for what it's worth|fwiw|"
    r"fun fact|side note|p\.?s|"
    r"in case (?:it|that) (?:matters|helps)|not sure if (?:it|this|that) (?:matters|helps)|quick "
    r"(?:background|context)|background|context|because|since|although|though|while|as)\b[\s,:;!.-]{1,4}",
    re.IGNORECASE,
)

_VOUCHED = re.compile(
    r"\s(?:but|since|given(?: that)?|considering(?: that)?)\s(?=(?:i|im|i'm|i've|we|we're|my|our)\b)|"
    r"(?P<aside>,\s)(?:(?:btw|by the way|fyi|and|cause|cos|bc|as|because)\s)?(?=(?:i'?m|i am|i've|i (?:have|live|"
    r"work|use|got|"
    r"don'?t|can'?t|"
    r"cannot|never|always|usually)|we'?re|we are|we've|we (?:have|use|live|run|don'?t|never|always)|(?:my|"
    r"our) (?:\w+\s){1,2}?"
    r"(?:is|are|has|have|loves|hates|can'?t|cannot|doesn'?t))\b)(?![^.!?]*\bor\b)",
    re.IGNORECASE,
)

ENGLISH: Final = Grammar(
    pasted=_PASTE_LINE,
    pasted_inline=_PASTE_INLINE,
    text_task=_TEXT_TASK,
    fiction=_FICTION,
    supposed=_SUPPOSED,
    reported=_REPORTED,
    asking=_ASKING,
    connector=_CONNECTOR,
    opener=_OPENER,
    unfinished=_ABBREVIATION,
    vouched=_VOUCHED,
    new_text=_NEW_TEXT,
    anothers_voice=_ANOTHERS_VOICE,
)


def split_sentences(text: str, grammar: Grammar = ENGLISH) -> tuple[Sentence, ...]:
    """Return the sentences that the speaker of *text*, in a language of *grammar*, says in their own name, in order."""
    own = _own_words(_BLANKS.sub(" ", text[:MAX_TEXT].translate(_PLAIN)), grammar)
    quoted = sorted((*_quotes(own), *_tagged(own)))
    first = True
    invented = False
    sentences: list[Sentence] = []
    for begin, end in _cuts(own, quoted, grammar):
        body = own[begin:end].strip()
        if not body:
            continue
        start = own.index(body, begin)
        is_text = grammar.new_text is not None and bool(grammar.new_text.match(body))
        invented = (
            invented
            or bool(grammar.fiction.search(body))
            or (first and bool(grammar.text_task.match(body)))
            or (is_text and grammar.anothers_voice is not None and bool(grammar.anothers_voice.search(body)))
        )
        first = False
        if len(body) <= MAX_SENTENCE:
            inside = [(a - start, b - start) for a, b in quoted if a < end and b > start]
            sentences.append(
                Sentence(text=body, clauses=_clauses(body, inside, grammar, invented=invented or is_text))
            )
    return tuple(sentences)


def _own_words(text: str, grammar: Grammar) -> str:
    """
    Leave out fenced code, block quotes, lines of markup and logs, and all after a line that announces a paste.

    Of several blank lines one is kept, because patterns take quadratic time for many.
    """
    kept: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif fenced or line.lstrip().startswith((">", "|", "{", "}")) or _MADE_BY_PROGRAMS.match(line):
            continue
        elif len(line) <= MAX_SENTENCE and grammar.pasted.search(line):
            break
        elif line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    own = "\n".join(kept)
    announced = grammar.pasted_inline.search(own)
    return own[: announced.end()] if announced else own


def _quotes(text: str) -> Iterator[Span]:
    """Spans in quotation marks; one left open reaches to the end of its line."""
    for mark in ('"', "'"):
        opened = -1
        for at, char in enumerate(text):
            if char == "\n" and opened >= 0:
                if mark == '"':
                    yield opened, at
                opened = -1
            elif char != mark:
                continue
            elif opened < 0:
                before = text[at - 1] if at else " "
                after = text[at + 1 : at + 2]
                if before in " \t\n([:-\u2014" and after.strip():
                    opened = at
            elif mark == '"' or not text[at + 1 : at + 2].isalnum():
                yield opened, at + 1
                opened = -1
        if opened >= 0 and mark == '"':
            yield opened, len(text)


def _tagged(text: str) -> Iterator[Span]:
    """Spans between an opening and its closing tag: material, not speech."""
    opened: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        closing, name = tag.group(1), tag.group(2).lower()
        if not closing:
            opened.setdefault(name, tag.start())
        elif name in opened:
            yield opened.pop(name), tag.end()


def _cuts(text: str, quoted: list[Span], grammar: Grammar) -> Iterator[Span]:
    """Spans of sentences: cut at closing punctuation and new lines, though never inside a quotation."""
    start = 0
    upcoming = iter(quoted)
    span = next(upcoming, None)
    for boundary in _BOUNDARY.finditer(text):
        while span and span[1] < boundary.end():
            span = next(upcoming, None)
        if span and span[0] < boundary.start() and boundary.start() < span[1] - 1:
            continue
        if boundary[0].rstrip()[-1:] in _CLOSING and text[boundary.end() : boundary.end() + 1].islower():
            continue
        if grammar.unfinished.search(text, max(start, boundary.start() - 12), boundary.end()):
            continue
        if grammar.after_number and _numbered(text, boundary, grammar.after_number):
            continue
        yield start, boundary.end()
        start = boundary.end()
    yield start, len(text)


_CLOSING: Final = frozenset("\"')]")
"""What closes a quotation or an aside; in the middle of a sentence a small letter follows."""


def _numbered(text: str, boundary: re.Match[str], after: re.Pattern[str]) -> bool:
    """Whether the full stop at *boundary* only makes the number before it an ordinal."""
    return text[max(boundary.start() - 1, 0)].isdigit() and bool(after.match(text, boundary.end()))


def _clauses(text: str, quoted: list[Span], grammar: Grammar, *, invented: bool) -> tuple[Clause, ...]:
    """Clauses of one sentence outside quotations, in order."""
    asked = _asked_from(text, grammar)
    supposed = _first(grammar.supposed, text)
    reported = _first(grammar.reported, text)
    vouched = (
        {found.end(): found["aside"] is not None for found in grammar.vouched.finditer(text)}
        if grammar.vouched
        else {}
    )
    clauses: list[Clause] = []
    for start in _starts(text, grammar)[:MAX_CLAUSES]:
        if any(a <= start < b for a, b in quoted):
            continue
        if start in vouched and start < (min(supposed, reported) if vouched[start] else supposed):
            stance = Stance.STATED
        elif start >= asked:
            stance = Stance.ASKED
        elif start >= supposed:
            stance = Stance.SUPPOSED
        elif start >= reported:
            stance = Stance.REPORTED
        else:
            stance = Stance.STATED
        clauses.append(Clause(start=start, stance=Stance.SUPPOSED if invented else stance))
    return tuple(clauses)


def _first(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return found.start() if found else len(text) + 1


def _asked_from(text: str, grammar: Grammar) -> int:
    """Where the question of *text* starts; past its end when it asks nothing."""
    starts = _starts(text, grammar)
    asking = next((start for start in starts if grammar.asking.match(text, start)), None)
    if text.rstrip("\"') ").endswith("?"):
        return _unmarked(text, starts) if asking is None else asking
    return asking if asking is not None and asking in lead(text, grammar) else len(text) + 1


def _unmarked(text: str, starts: list[int]) -> int:
    """Where a question starts of which no word tells: its last clause behind a comma, unless that is a mere tag."""
    last = next((start for start in reversed(starts) if text[:start].rstrip().endswith((",", ";"))), 0)
    return last if len(text[last:].split()) >= _QUESTION_WORDS else 0


_QUESTION_WORDS: Final = 3
"""Fewer words behind a comma are a tag that asks about what stands before them: "I'm late, right?"."""


def lead(text: str, grammar: Grammar) -> tuple[int, ...]:
    """Starts of the first clause: as written, and after each opener such as "By the way"."""
    starts = [0]
    while len(starts) < 5 and (opener := grammar.opener.match(text, starts[-1])):  # noqa: PLR2004 - a greeting and an aside or two
        starts.append(opener.end())
    return tuple(starts)


def _starts(text: str, grammar: Grammar) -> list[int]:
    starts = set(lead(text, grammar))
    for connector in grammar.connector.finditer(text):
        at = connector.end()
        starts.add(at)
        while len(starts) <= MAX_CLAUSES and (opener := grammar.opener.match(text, at)):
            at = opener.end()
            starts.add(at)
    return sorted(starts)
