"""The words of a question: keywords, quoted phrases, topics, and words that it excludes."""

import re
from collections.abc import Iterable, Iterator

from sagacity.storage.search.keywords import UNSPACED, WORD

MAX_KEYWORDS = 15
MAX_PHRASES = 10
MAX_TOPICS = 10
MAX_NEGATED = 10
TOPIC_WORDS = 2
GOVERNED_WORDS = 3

STOP_WORDS = frozenset(
    """a about after again all also am among an and another any are around as at be because been before being between
    both but by can cannot could did do does doing down during each else ever few for from had has have having
    he hello her here hers herself hey hi him himself his how i if in into is it its itself just let may me
    might mine more most much must my myself no nor not now of off ok okay on once one only or other our ours
    ourselves out over own please same shall she should since so some such than thank thanks that the their
    theirs them themselves then there these they this those through to too under until up upon us very was we
    were what when where whether which while who whom whose why will with would yes yet you your yours yourself
    aber als am an auch auf aus bei bin bist bitte da das dass dem den der des dich die dir doch du ein eine
    einem einen einer er es für hab habe haben hallo hast hat hatte hatten ich ihm ihn ihnen ihr im in ist ja
    kann kannst man mein meine meinem meinen meiner mich mir mit nach nein nicht noch nur ob oder ohne sich sie
    sind so um und uns unser unsere von vor wann war waren warum was wem wen wenn wer werden wie wieder wir wird
    wo zu zum zur""".split()
)
"""Words without meaning of their own, in English and German."""

_QUOTED = re.compile(
    r'"([^"\n]{1,200})"|“([^”\n]{1,200})”|„([^“”\n]{1,200})[“”]|«([^»\n]{1,200})»|「([^」\n]{1,200})」'
    r"|(?<!\w)['‘]((?:[^'’\n]|(?<=\w)['’](?=\w)){1,200})['’](?!\w)"
)
_ABOUT = frozenset("about regarding concerning über".split())
_MARKS = ".,;:!?\"'“”‘’„«»()[]{}<>…。，！？؟،"
_CLAUSE_ENDS = frozenset(
    "and but because so then when where while which who that if is are was were und aber".split()
)
_EXCLUDING = frozenset("not without except excluding besides ohne außer".split())
_EXCLUDING_PAIRS = frozenset({("other", "than"), ("apart", "from"), ("aside", "from"), ("instead", "of")})
_AUXILIARIES = frozenset(
    """do does did have has had can could will would shall should may might must or why if whether i you we they he
    she""".split()
)
_NO_EXCLUSION_AFTER_NOT = frozenset("only just sure yet to really quite so long too".split())
_TOKEN = re.compile(rf"{WORD.pattern}|[^\w\s]")


def is_stop(word: str) -> bool:
    """Whether a lower-case word is a stop word, such as "the", "what's" or "don't"."""
    plain = word.replace("’", "'")
    return plain in STOP_WORDS or plain.partition("'")[0] in STOP_WORDS or plain.endswith("n't")


def without_possessive(word: str) -> str:
    """Return "sarah" for "sarah's"."""
    return word.removesuffix("'s").removesuffix("’s")


def keywords_of(text: str) -> tuple[str, ...]:
    """
    Return the keywords of *text* in lower case and in order, without repetition, at most 15.

    Two-letter words count. Scripts without spaces are cut into overlapping pairs of characters.
    """
    return tuple(_some(_carrying(text.replace("_", " ")), MAX_KEYWORDS))


def _carrying(text: str) -> Iterator[str]:
    """Yield the words that are not stop words, or only look like one: "US", "IT"."""
    lower = text.lower()
    has_acronyms = len(lower) == len(text) and not text.isupper()
    for match in WORD.finditer(lower):
        word = match.group()
        if UNSPACED.search(word):
            yield from _pairs(word)
        elif (len(word) > 1 or word.isdecimal()) and (
            not is_stop(word) or (has_acronyms and text[match.start() : match.end()].isupper())
        ):
            yield without_possessive(word)


def _pairs(word: str) -> Iterator[str]:
    """Yield a word of a script without spaces as overlapping pairs of characters, and any other word whole."""
    position = 0
    for run in UNSPACED.finditer(word):
        if run.start() > position:
            yield word[position : run.start()]
        yield from (word[at : at + 2] for at in range(run.start(), max(run.start() + 1, run.end() - 1)))
        position = run.end()
    if position < len(word):
        yield word[position:]


def _some(items: Iterable[str], limit: int) -> list[str]:
    """Return the first *limit* distinct items."""
    seen: dict[str, None] = {}
    for item in items:
        if len(seen) == limit:
            break
        seen[item] = None
    return list(seen)


def phrases_of(text: str) -> tuple[str, ...]:
    """Return the phrases in quotation marks, as written."""
    quoted = ((match[match.lastindex or 0]).strip() for match in _QUOTED.finditer(text))
    return tuple(_some((phrase for phrase in quoted if phrase), MAX_PHRASES))


def topics_of(text: str, phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases, and what follows "about" or "regarding", in lower case."""
    named = [phrase.lower() for phrase in phrases] + list(_after_about(text.lower().split()))
    return tuple(_some((topic for topic in named if len(topic) > 1), MAX_TOPICS))


def _after_about(words: list[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        if word not in _ABOUT:
            continue
        topic: list[str] = []
        for following in words[place + 1 : place + 6]:
            plain = following.strip(_MARKS)
            if plain and not is_stop(plain):
                topic.append(plain)
            if (topic and is_stop(plain)) or len(topic) == TOPIC_WORDS or following[-1] in _MARKS:
                break
        yield " ".join(topic)


def negated_in(text: str) -> tuple[str, ...]:
    """
    Return the words that *text* excludes: up to three words of a clause after "not", "without" or "other than".

    A "not" that belongs to a verb ("did I not go") excludes nothing.
    """
    return tuple(_some(_governed(_TOKEN.findall(text.lower())), MAX_NEGATED))


def _governed(tokens: list[str]) -> Iterator[str]:
    left = 0
    before = ""
    for place, word in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else ""
        if _excludes(before, word, following):
            left = GOVERNED_WORDS
        elif not word[0].isalnum() or word in _CLAUSE_ENDS:
            left = left if word == "-" else 0
        elif left and not is_stop(word) and len(word) > 1:
            yield without_possessive(word)
            left -= 1
        before = word


def _excludes(before: str, word: str, following: str) -> bool:
    if word == "not":
        return before not in _AUXILIARIES and following not in _NO_EXCLUSION_AFTER_NOT
    return word in _EXCLUDING or (before, word) in _EXCLUDING_PAIRS
