"""Names in a question: candidates to look up in the user's graph, and words that look like names."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from sagacity.domain.graph import MAX_NAME_CHARACTERS, normalized
from sagacity.domain.time.lexicon import LEXICON
from sagacity.retrieval.query.words import is_stop, without_possessive
from sagacity.storage.search.keywords import UNSPACED

MAX_CANDIDATES = 200
MAX_NAMES = 10
MAX_WORDS = 4
READ_CHARACTERS = 4_000
"""Characters of a text that are searched for names."""

_MARKS = ".,;:!?\"'“”‘’„«»()[]{}<>…¿¡。，！？；：、（）「」『』،؛؟*~|`=-–—_"
_GAPS = str.maketrans("—…", "  ")
_BREAKS = frozenset(",;:!?)]}»”。，！？；：、）」』،؛؟")
_HANDLE = re.compile(r"(?:^|(?<=\s))@\w[\w.-]{0,63}(?<![.-])")
_NAME_WORD = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof|St)\.|[^\W\d_][\w&'’-]*")
_STARTERS = frozenset(
    """add build calculate change compare configure convert correct count create define delete describe explain find fix
    format generate give good help list make maybe modify morning proofread recommend remind remember remove rephrase
    rewrite set show solve suggest summarise summarize tell translate update write""".split()
)


@lru_cache(maxsize=64)
def name_candidates(text: str) -> tuple[str, ...]:
    """
    Return the word sequences of a text that may be names in the user's graph, in the graph's normalised form.

    Cached, because a search asks three times.

    Args:
        text: a question in any letter case; its first 4,000 characters are read.

    Returns:
        At most 200 sequences of one to four words, with and without a possessive. Those that start or end with a
        capital letter, or with a script that has none, come first; those with a stop word at an end come last.
    """
    best: dict[str, int] = {}
    for candidate, rank in _grams(text[:READ_CHARACTERS].translate(_GAPS).split()):
        best[candidate] = min(rank, best.get(candidate, rank))
    likely = sorted(best, key=best.__getitem__)[:MAX_CANDIDATES]
    names = (name if _is_normal(name) else normalized(name) for name in likely)
    return tuple(name for name in dict.fromkeys(names) if name)


def _is_normal(name: str) -> bool:
    """Whether a folded name is certainly normalised already; normalising it again would be slower."""
    return name.isascii() and name.isprintable() and len(name) <= MAX_NAME_CHARACTERS


def _grams(words: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each sequence of words with its rank; a lower rank is a likelier name."""
    plain = [word.strip(_MARKS) for word in words]
    stops = [is_stop(word.lower()) for word in plain]
    for first, word in enumerate(words):
        if not plain[first]:
            continue
        yield from ((part, 1) for part in _parts(word))
        for end in range(first + 1, min(first + MAX_WORDS, len(words)) + 1):
            last = end - 1
            if plain[last] and not all(stops[first:end]):
                rank = 2 * (stops[first] + stops[last]) + plain[first][0].islower() + plain[last][0].islower()
                name = " ".join(words[first:end]).strip(_MARKS).casefold()
                yield from ((variant, rank) for variant in _variants(name, words[last]))
            if not plain[last] or words[last][-1] in _BREAKS:
                break


def _variants(name: str, last: str) -> set[str]:
    """Return the spellings by which the graph may know *name*: without a possessive or @, or with the dot of "Inc."."""
    dotted = {f"{name}."} if last.rstrip("?!,;:").endswith(".") else set[str]()
    return {name, without_possessive(name), name.removeprefix("@")} | dotted


def _parts(word: str) -> Iterator[str]:
    """Yield both names of "Anna/Bob", and every two to four characters of a script without spaces."""
    if "/" in word:
        yield from word.strip(_MARKS).casefold().split("/")
    for run in UNSPACED.findall(word):
        for size in range(2, MAX_WORDS + 1):
            yield from (run[at : at + size] for at in range(len(run) - size + 1))


def names_in(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names in *text*, at most ten: the *known* ones first, then handles and capitalised words."""
    found = {name.casefold(): name for name in reversed(known)}
    names = list(reversed(found.values()))
    for name in _look_alikes(text):
        if name.casefold() not in found:
            found[name.casefold()] = name
            names.append(name)
    return tuple(names[:MAX_NAMES])


def _look_alikes(text: str) -> Iterator[str]:
    yield from islice(_HANDLE.findall(text), MAX_NAMES)
    if text.isupper():
        return
    run: list[str] = []
    end = 0
    for match in _NAME_WORD.finditer(text):
        word, gap = match.group(), text[end : match.start()]
        begins = not end or any(mark in gap for mark in ".!?:\n")
        end = match.end()
        if run and (gap != " " or len(run) == MAX_WORDS):
            yield from _name(run)
            run = []
        named = word[0].isupper() and text[match.start() - 1 : match.start()] != "@"
        if named and not (begins and _starts_sentence(word)) and not (is_stop(word.lower()) and not run):
            run.append(word)
        else:
            yield from _name(run)
            run = []
        if run and word.endswith(("'s", "’s")):
            yield from _name(run)
            run = []
    yield from _name(run)


def _starts_sentence(word: str) -> bool:
    return is_stop(word.lower()) or word.lower() in _STARTERS


def _name(run: Sequence[str]) -> Iterator[str]:
    """Yield the name made of consecutive capitalised words, unless it is only a weekday or "I"."""
    name = without_possessive(" ".join(run)).strip(_MARKS)
    if len(name) > 1 and not (len(run) == 1 and (name.lower() in LEXICON or is_stop(name.lower()))):
        yield name
