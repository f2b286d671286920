"""Whether one statement contains all of another and more, judged by words."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from sagacity.learning.deduplication.text_equivalence import read, said_in_order

_ADDS: Final = re.compile(
    r"(?:who|whom|whose|which|named|called|and|since|because|as|in|at|on|near|from|with|to|for|of|by|mit|aus|seit|"
    r"und|namens|der|die|das|qui|avec|depuis|et|nommée?|que|con|desde|llamad[oa]|com|chamad[oa]|e|y)$"
)
"""Beginnings of a detail after a whole statement, which leaves the statement true."""
_CONTRASTS: Final = re.compile(
    r",?\s*(?:and\s)?(?:not|never|rather than|instead of|over|nicht|statt|pas|no|en lugar de|não|em vez de)\s"
)
"""Beginnings of a rejected alternative, "not npm", after the choice that was made."""
_NARROWS: Final = frozenset(
    "only if unless until except but without when whenever while rarely seldom sometimes occasionally just mostly "
    "nur wenn außer aber ohne selten seulement si sauf mais sans rarement solo sólo cuando excepto pero sin só se "
    "quando exceto mas sem".split()
)
"""Words that restrict a statement to some cases, so that it says less than one without them."""
_CHOICES: Final = frozenset(
    "likes loves enjoys prefers dislikes hates wants would favorite favourite use keep write give answer reply respond "
    "show make put add mag liebt aime préfère gusta prefiere gosta prefere".split()
)
"""Verbs of tastes and instructions, after which a phrase narrows what is said, as in "pizza with pineapple"."""
_FREE: Final = frozenset(["and", "because", "und", "et", "y", "e"])
_OR: Final = frozenset(["or", "nor", "oder", "ni", "ou", "o"])
_FAVOURITE: Final = re.compile(r"(?:the user's )?favou?rite [\w -]{2,40}? (?:is|are) (?P<what>.+)")
_LIKED: Final = re.compile(r"(?:the )?(?:user )?(?:likes|loves|enjoys) (?P<what>.+)")
_NO_ROLE: Final = re.compile(r"\b(?:former|ex|retired|aspiring|future|not|trainee|assistant)\b")
_ROLE: Final = re.compile(r"(?:is|works as) an? (?P<role>[\w&/+ -]+?)(?P<rest> (?:at|for|in) .+)?")
_FIRST_WORDS: Final = 8
"""How many first words form a key; this many tell most statements apart."""
_LONGEST_BEGINNING: Final = 560
"""How many characters contain the beginning of a statement; `said_in_order` reads no further."""


def contains(whole: str, part: str) -> bool:
    """
    Tell whether *whole* says all that *part* says, and more.

    It does if *whole* begins with *part*, word for word except for fillers, and a detail follows: a relative clause, a
    name, a place, a time, another thing. After a taste, an instruction or a denial, a phrase narrows what is said:
    someone who likes pizza with pineapple need not like pizza. There, only a reason, another thing or a rejected
    alternative counts as a detail. A favourite thing is liked, and a senior engineer is an engineer.
    """
    fuller, shorter = _plain(whole), _plain(part)
    if fuller == shorter or not shorter:
        return False
    return _is_liked(fuller, shorter) or _is_narrower_role(fuller, shorter) or _goes_on(fuller, shorter)


class Wholes:
    """Texts indexed by their beginnings, so that a part is compared with few of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._places: defaultdict[Hashable, list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            for key in set(_keys_of_whole(_plain(text))):
                self._places[key].append(place)

    def first_with(self, part: str) -> int | None:
        """Return the place of the first text that `contains` *part*."""
        places = {place for key in _keys_of_part(_plain(part)) for place in self._places.get(key, ())}
        return next((place for place in sorted(places) if contains(self._texts[place], part)), None)


def _keys_of_whole(fuller: str) -> Iterator[Hashable]:
    """Yield keys, of which a text shares at least one with each text that it contains."""
    for end in re.finditer(r"(?=[\s,;:]|$)", fuller[:_LONGEST_BEGINNING]):
        words = read(fuller[: end.start()]).words[:_FIRST_WORDS]
        yield words
        if len(words) == _FIRST_WORDS:
            break
    if favourite := _FAVOURITE.fullmatch(fuller):
        yield _said_of(favourite["what"])
    if role := _ROLE.fullmatch(fuller):
        yield role["role"].rpartition(" ")[2]


def _keys_of_part(shorter: str) -> Iterator[Hashable]:
    yield read(shorter).words[:_FIRST_WORDS]
    if liked := _LIKED.fullmatch(shorter):
        yield _said_of(liked["what"])
    if role := _ROLE.fullmatch(shorter):
        yield role["role"].rpartition(" ")[2]


def _said_of(what: str) -> Hashable:
    said = read(what)
    return said.words, said.denials


def _goes_on(fuller: str, shorter: str) -> bool:
    """Whether *fuller* begins with *shorter*, and what follows adds to it."""
    rest = said_in_order(fuller, shorter)
    if not rest:
        return False
    denials = read(shorter).denials
    if _CONTRASTS.match(rest):
        return not denials and _is_of_others(rest, shorter)
    if read(rest).denials or _NARROWS.intersection(re.findall(r"[\w'-]+", rest)):
        return False
    opener = re.match(r"\s*(?P<comma>,?)\s*(?P<word>[\w'-]+)", rest)
    return opener is not None and _opens_detail(opener, shorter, is_denial=denials > 0)


def _opens_detail(opener: re.Match[str], shorter: str, *, is_denial: bool) -> bool:
    if is_denial:
        return opener["word"] in _OR
    if opener["comma"] or opener["word"] in _FREE:
        return True
    return not _CHOICES.intersection(shorter.split()[:2]) and bool(_ADDS.match(opener["word"]))


def _is_of_others(rest: str, shorter: str) -> bool:
    """Whether the rejected alternative differs from the choice."""
    return not set(read(rest).words) & set(read(shorter).words[1:])


def _is_liked(fuller: str, shorter: str) -> bool:
    favourite, liked = _FAVOURITE.fullmatch(fuller), _LIKED.fullmatch(shorter)
    if favourite is None or liked is None:
        return False
    return read(favourite["what"]) == read(liked["what"])


def _is_narrower_role(fuller: str, shorter: str) -> bool:
    one, other = _ROLE.fullmatch(fuller), _ROLE.fullmatch(shorter)
    if one is None or other is None or _NO_ROLE.search(fuller) or _NO_ROLE.search(shorter):
        return False
    is_same_place = not other["rest"] or other["rest"] == one["rest"]
    role, broader = one["role"], other["role"]
    return is_same_place and (role == broader or role.endswith(" " + broader))


def _plain(text: str) -> str:
    folded = " ".join(text.casefold().replace("\u2019", "'").split()).rstrip(".!; ")
    return re.sub(r"^(?:the )?user (?=\w)", "", folded)
