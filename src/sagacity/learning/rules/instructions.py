"""How the agent should act: corrections and standing instructions, with the situation they are for."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.change import Candidate
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import MemoryKind
from sagacity.learning.rules.languages.detect import ENGLISH, language_of, own_words
from sagacity.learning.rules.languages.load import LANGUAGES
from sagacity.learning.rules.languages.read import ReadInstruction, instructions_in
from sagacity.learning.rules.pattern import STANDING, Pattern
from sagacity.learning.rules.phrasings import LISTED, PATTERNS
from sagacity.learning.rules.prefilter import Prefilter
from sagacity.learning.rules.requests import gist, topic_trigger
from sagacity.learning.rules.sentences import Sentence, Stance, split_sentences
from sagacity.learning.rules.spelling import with_apostrophes
from sagacity.learning.rules.wording import conjugate, finish, keywords, shorten, slug, third_person, trim

_PREFILTER: Final = Prefilter(PATTERNS, lambda row: row.says)
MAX_RULE = 220
MAX_RATIONALE = 200

_STANDING_ANYWHERE = re.compile(rf"\b{STANDING}\b", re.IGNORECASE)
_ORDINAL = re.compile(
    r"(?:first|second|third|fourth|finally|lastly|also|and|plus|then|so|no|\d\.|[-*\u2022])[,:\s]+",
    re.IGNORECASE,
)


_BASE = {
    "used": "use", "shown": "show", "asked": "ask", "checked": "check", "explained": "explain",
    "told": "tell", "included": "include", "given": "give", "verified": "verify", "called": "call",
    "mentioned": "mention", "read": "read", "looked": "look", "warned": "warn", "confirmed": "confirm",
    "sent": "send", "offered": "offer",
    "gave": "give", "showed": "show", "kept": "keep", "wrote": "write", "answered": "answer", "skipped": "skip",
    "avoided": "avoid",
}  # fmt: skip
_REFERRING = re.compile(
    r"(?:always\s)?(?:do|be|make|keep|use|get)?\s?(?:that|this|it|so|them)\b", re.IGNORECASE
)
_ASIDE = re.compile(
    r"(?:\?.*|\s[-\u2013\u2014]{1,3}\s(?!don't|not).*|\u2014(?!don't|not).*|(?<!\bmy)[,\s]+(?:please|thanks?|"
    r"ok(?:ay)?)[.!]*$|\s(?:because|since|so that|so i)\s.*|,\s(?:as |like )?i(?:'ve)?(?: already)? "
    r"(?:said|told you|asked)\b.*)$",
    re.IGNORECASE,
)
_OF_THE_USER = re.compile(r"\bthe user\b")
_USER = re.compile(r"(?<![\w'])(?:me|my)(?![\w'])", re.IGNORECASE)
_ASKS = re.compile(
    r"\bi (ask|report|say|send|share|paste|post|upload|mention|talk|write|plan|discuss|work on|cook|travel)\b",
    re.IGNORECASE,
)
_OWN_DOING = re.compile(
    r"\b(?:i'll|we'll|i'm (?:going|trying) to|(?:i|we) (?:will|should|could|can|need to|have to|want to|"
    r"plan to)|i'd like to)\b[^.;!?]*\band\s+$",
    re.IGNORECASE,
)
"""What the user means to do themself, up to an "and" that an imperative would follow."""
_POLITELY = re.compile(r"(?:please|can|could|would|will)\b", re.IGNORECASE)
_IN_SUCH_A_CASE = re.compile(
    r"(?:if|when(?:ever)?|every time|each time|any ?time) i (?:ask|say|mention|send|paste|share|request|write|"
    r"post|tell|"
    r"give|show|upload|report|describe|talk|want|need|type|quote|forward|plan|discuss)\b|"
    r"if (?:you\b|in doubt\b|(?:something|anything|my question|a question|a request)(?:'s| is)\b)",
    re.IGNORECASE,
)
_SAID_BY_OTHERS = re.compile(
    r",\s(?:he|she|they|everyone|people|my \w+|[A-Z]\w+)\s(?:always |once )?"
    r"(?:said|says|told me|tells me|wrote)\s*[.!]*$"
)
"""What someone else says, in their words without quotation marks."""
_TO_SEE = re.compile(r"^(?:to\s)?see\b", re.IGNORECASE)
_THAT = re.compile(r"(?:please\s)?(?:always\s)?do that\s*[-\u2013\u2014:]{1,3}\s*(?P<rule>.+)", re.IGNORECASE)


_DENIED = re.compile(
    r"(?P<denial>\b(?:no|wrong|incorrect|not (?:true|right|correct)))[.!]\s+(?=(?:the|our|we)\b)",
    re.IGNORECASE,
)
"""A denial that is a sentence of its own; with a comma, what is true instead belongs to it."""


class Instruction(Value):
    """A rule for the agent as one sentence gave it."""

    pattern: str
    content: str
    when: str = ""
    quote: str
    confidence: float
    corrects: bool = False
    """Whether it is about the answer before it, and so about what was asked there."""


def instruction_candidates(turns: Sequence[Interaction], unread: frozenset[int]) -> Iterator[Candidate]:
    """Yield a candidate for every instruction in the *unread* of *turns* (by `seq`), in order."""
    answered = False
    request = ""
    beside = own_words(turns)
    for turn in turns:
        if not turn.is_user:
            answered = True
            continue
        if turn.seq in unread:
            language = language_of(turn.content, beside)
            for found in instructions(turn.content, answered=answered, language=language):
                yield _candidate(found, turn, request)
        request = gist(turn.content) or request


def instructions(text: str, *, answered: bool, language: str = ENGLISH) -> Iterator[Instruction]:
    """
    Yield the rules for the agent in one turn of the user.

    Args:
        text: the turn.
        answered: whether the agent answered before; only then can a turn correct it.
        language: the language of the turn; see `language_of`.
    """
    if language in LANGUAGES:
        yield from map(_told, instructions_in(language, text))
    if language != ENGLISH:
        return
    listing = False
    when = ""
    for sentence in split_sentences(_DENIED.sub(r"\g<denial>, ", with_apostrophes(text))):
        item = _listed(sentence) if listing else None
        told = (item,) if item else _matches(sentence, answered=answered)
        listing = (listing and bool(told)) or bool(_opens_list(sentence))
        when = (told[0].when or when) if told and listing else ""
        for found in told:
            yield found.model_copy(update={"when": when or found.when})


def _told(told: ReadInstruction) -> Instruction:
    return Instruction(
        pattern=told.draft.rule,
        content=told.draft.content,
        when=told.when,
        quote=shorten(told.quote, MAX_RATIONALE),
        confidence=told.draft.confidence,
    )


def _opens_list(sentence: Sentence) -> bool:
    stated = any(clause.stance in {Stance.STATED, Stance.ASKED} for clause in sentence.clauses)
    return stated and bool(_STANDING_ANYWHERE.search(sentence.text))


def _matches(sentence: Sentence, *, answered: bool) -> tuple[Instruction, ...]:
    """
    Try each pattern at each clause that speaks for the user; polite questions are instructions too.

    What an earlier pattern has read is read by no other, so "no emojis, and shorter answers please" says two things.
    """
    starts = [
        clause.start
        for clause in sentence.clauses
        if clause.stance is Stance.STATED
        or (clause.stance is Stance.ASKED and _POLITELY.match(sentence.text, clause.start))
        or _IN_SUCH_A_CASE.match(sentence.text, clause.start)
    ]
    if _SAID_BY_OTHERS.search(sentence.text):
        return ()
    starts = [start for start in starts if not _OWN_DOING.search(sentence.text, 0, start)]
    found: list[tuple[int, int, Instruction]] = []
    for row in _PREFILTER.rows_for(sentence.text) if starts else ():
        if row.corrects and not answered:
            continue
        for start in starts:
            match = _compiled(row.says).match(sentence.text, start)
            if not match or any(start < end and begin < match.end() for begin, end, _ in found):
                continue
            made = _instruction(row, match, sentence.text)
            if made:
                found.append((start, match.end(), made))
    return tuple(made for _, _, made in sorted(found, key=itemgetter(0)))


def _listed(sentence: Sentence) -> Instruction | None:
    """An imperative that follows "for next time:" in the same turn."""
    if not sentence.clauses or sentence.clauses[0].stance is not Stance.STATED:
        return None
    start = 0
    while opener := _ORDINAL.match(sentence.text, start):
        start = opener.end()
    match = _compiled(LISTED.says).match(sentence.text, start)
    return _instruction(LISTED, match, sentence.text) if match else None


def _instruction(row: Pattern, match: re.Match[str], sentence: str) -> Instruction | None:
    """Fill the template of *row*, and leave out what was said around the rule; None if no rule is left."""
    groups = {name: said or "" for name, said in match.groupdict().items()}
    if groups.get("negation"):
        groups["negation"] = "do not "
    if "done" in groups:
        groups["done"] = _BASE[groups["done"].lower()]
    for name, said in groups.items():
        if match.start(name) == match.start() and not row.gives.startswith(f"{{{name}}}"):
            groups[name] = said[:1].lower() + said[1:]
    for name in ("what", "much"):
        if name in groups:
            groups[name] = groups[name].lower()
    if "language" in groups:
        groups["language"] = groups["language"].capitalize()
    said = row.gives.format_map(groups).strip()
    spelled_out = _THAT.match(said)
    said = spelled_out["rule"] if spelled_out else said
    said = trim(_ASIDE.sub("", _TO_SEE.sub("show", said)))
    said = said if "(" in said else said.rstrip(")")
    if len(said.split()) < 2 or _REFERRING.fullmatch(said):  # noqa: PLR2004 - one word is no rule
        return None
    return Instruction(
        pattern=row.name,
        content=finish(shorten(to_agent(said), MAX_RULE)),
        when=trim(groups.get("when", "").replace('"', "")),
        quote=shorten(sentence, MAX_RATIONALE),
        confidence=row.confidence,
        corrects=row.corrects,
    )


def to_agent(text: str) -> str:
    """Word *text* for an agent: the user is "the user", the agent is "you"."""
    named = _USER.sub(lambda match: "the user" if match[0].lower() == "me" else "the user's", text, count=1)
    return third_person(_ASKS.sub(lambda match: f"the user {conjugate(match[1])}", named), also_we=False)


def _candidate(found: Instruction, turn: Interaction, request: str) -> Candidate:
    situation = topic_trigger(found.content, found.when)
    # What is said of the user, such as how to be called, was never about that one request.
    asked = request if found.corrects and not _OF_THE_USER.search(found.content) else ""
    trigger = finish(to_agent(situation)).rstrip(".") if situation else asked or "When answering this user"
    return Candidate(
        kind=MemoryKind.USER_PLAYBOOK,
        content=found.content,
        trigger=trigger,
        rationale=f'The user said: "{found.quote}"',
        slot=f"rule.{slug(found.content)}",
        keywords=keywords(found.content),
        confidence=found.confidence,
        evidence=(turn.interaction_id,),
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
