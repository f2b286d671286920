"""Turn a user's statement into a question about it, by rules; pure and deterministic."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from sagacity.learning.rules.sentences import Sentence, Stance, split_sentences

LEAST_WORDS, MOST_WORDS = 5, 40
"""The fewest and most words of a statement. Shorter ones say too little to ask about; longer ones are pasted."""
_LEAST_KEPT, _MOST_KEPT = 3, 4
_LEAST_LETTERS = 3
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_ENGLISH = re.compile(r"\b(?:the|and|is|are|was|were|my|i|i'm|i've|of|with|for|a)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|we|we're|our|me)\b", re.IGNORECASE)
_COMMON: Final = frozenset(
    "a about after all also am an and any are as at be because been before but by can could did do does for from get "
    "got had has have he her him his how i i'd i'll i'm i've if in into is it it's its just like me more my no not now "
    "of on one or our out over really she so some than that the their them then there these they this those to too up "
    "us very was we were what when where which while who will with would you your "
    "aber als auch auf aus bei bin das dem den der des die ein eine einen einer es für habe hat ich im in ist mein "
    "meine mich mir mit nach nicht noch und uns von war wir zu zum zur "
    "au avec aux ce ces dans de des du elle en est et il je la le les ma mais mes mon ne nous on ou par pas pour que "
    "qui sa se ses son sur un une "
    "al como con de del el en es está ha la las lo los me mi mis muy no para pero por que se ser soy su sus un una y "
    "yo ao as da das do dos e ela ele em eu foi meu meus minha na nas no nos não o os ou são sou tem um uma".split()
)
"""Words that say little by themselves, in the languages that rules read."""

_WHERE: Final = {
    "live": "do I live", "lived": "did I live", "work": "do I work", "worked": "did I work", "moved": "did I move",
    "grew up": "did I grow up", "study": "do I study", "studied": "did I study", "stayed": "did I stay",
    "went": "did I go", "travelled": "did I travel", "traveled": "did I travel", "was born": "was I born",
}  # fmt: skip
_DONE: Final = (
    "adopted|ate|booked|bought|brought|built|called|chose|cooked|drank|drove|finished|found|gave|heard|hired|joined|"
    "learned|left|lost|made|met|ordered|paid|painted|planned|planted|played|read|received|repaired|saw|sent|sold|"
    "started|taught|took|tried|used|visited|watched|won|wrote"
)


class QuestionAnswer(NamedTuple):
    """A question, and the statement that answers it."""

    text: str
    statement: str


class _Rule(NamedTuple):
    says: re.Pattern[str]
    asks: Callable[[re.Match[str]], str]


def _rule(says: str, asks: Callable[[re.Match[str]], str]) -> _Rule:
    return _Rule(re.compile(says, re.IGNORECASE), asks)


_RULES: Final = (
    _rule(
        r"my (?P<what>(?:[\w'-]+ ){0,3}[\w'-]+) (?P<is>is|are|was|were) (?!not\b)\S",
        lambda found: f"What {found['is'].lower()} my {found['what']}?",
    ),
    _rule(
        r"(?:i'm|i am) (?P<how>allergic to|afraid of|interested in|married to|engaged to|good at|bad at|looking for|"
        r"learning|studying|reading|training for|saving for|working on) \S",
        lambda found: f"What am I {found['how'].lower()}?",
    ),
    _rule(
        rf"i (?P<does>{'|'.join(_WHERE)}) (?P<with>(?:[\w'-]+ ){{0,5}}?)(?:in|at|to|near) \S",
        lambda found: f"Where {_WHERE[found['does'].lower()]} {found['with'].strip()}".rstrip() + "?",
    ),
    _rule(
        rf"(?:i|we)(?:'ve| have)?(?: just| also| finally| recently)? (?P<did>{_DONE}) (?:[\w'-]+ ){{1,6}}?"
        r"(?P<how>(?:for|with|from|at|in|on|to|by) (?:[\w'-]+ ){0,4}[\w'-]+)",
        lambda found: f"What was it that I {found['did'].lower()} {found['how']}?",
    ),
)
"""The first pattern that begins the statement makes the question, which asks for what the pattern leaves out."""


def question_of(text: str) -> QuestionAnswer | None:
    """
    Return a question about the first statement of a turn that one can be made of; None if there is none.

    A rule for its form makes it, in English; otherwise it is some of the statement's own words, as in simulated
    known-item queries: the first half of those that carry meaning, three or four.

    Source: Azzopardi, de Rijke & Balog, SIGIR 2007.
    """
    for sentence in split_sentences(text):
        statement = _statement(sentence)
        if statement and (asked := _by_rule(statement) or _by_words(statement)):
            return QuestionAnswer(asked, statement)
    return None


def _statement(sentence: Sentence) -> str:
    """Return the statement in a sentence, without a greeting before it; empty if it asks, supposes or is too short."""
    stated = [clause.start for clause in sentence.clauses]
    if not stated or any(clause.stance is not Stance.STATED for clause in sentence.clauses):
        return ""
    said = sentence.text.strip().rstrip(".!… ")
    begin = next((start for start in stated if _begins(said, start)), 0)
    said = said[begin:].strip()
    if "\n" in said:  # code, a list, or a letter
        return ""
    if not LEAST_WORDS <= len(_WORD.findall(said)) <= MOST_WORDS:
        return ""
    is_english = bool(_ENGLISH.search(said))
    return "" if is_english and not _FIRST_PERSON.search(said) else said


def _begins(said: str, start: int) -> bool:
    return any(one.says.match(said, start) for one in _RULES)


def _by_rule(statement: str) -> str:
    for rule in _RULES:
        if found := rule.says.match(statement):
            return " ".join(rule.asks(found).split())
    return ""


def _by_words(statement: str) -> str:
    words = [word for word in _WORD.findall(statement) if _carries(word)]
    kept = words[: min(max(len(words) // 2, _LEAST_KEPT), _MOST_KEPT)]
    return f"{' '.join(kept)}?" if _LEAST_KEPT <= len(kept) < len(words) else ""


def _carries(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS and word.lower().replace("’", "'") not in _COMMON
