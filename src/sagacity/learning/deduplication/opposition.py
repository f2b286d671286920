"""Whether a later statement ends an earlier one, by the table of opposites; judged by words."""

import re
from functools import lru_cache

from sagacity.learning.deduplication.text_equivalence import denies, read
from sagacity.learning.rules.opposites import AXES, OPPOSITES, SCALES, Axis, Opposite

_PERMITS = re.compile(
    r"(?:you (?:can|may|are allowed to|are free to)|feel free to|it(?:'s| is) (?:fine|ok|"
    r"okay) (?:for you )?to|it is okay "
    r"to|du darfst|tu peux|puedes|podes) (?:start |now |again )?(?P<what>.+?)(?: again| now| wieder)?"
    r"|(?P<thing>[\w -]+?) (?:is|are) (?:fine|ok|okay|allowed|welcome|all right)(?: again| now)?"
    r"|(?P<do>(?:use|start using|include|add) .+?)(?: again| now)"
)
_FORBIDS = re.compile(r"(?:no|no more|stop with|enough with) (?P<thing>[\w -]+?)(?: please)?")
_LONGEST = 300
"""Maximum length of a plain statement; a longer one says more than a row of the table covers."""
_INSTRUCTS = frozenset(
    "use keep give write make answer reply respond be show speak talk always please prefer state".split()
)
_VERBS = frozenset(word for text in _INSTRUCTS for word in read(text).words) | {"in", "to"}


def ends(newer: str, older: str) -> bool:
    """Return whether *newer* ends *older*, by a row of the table or as an instruction."""
    if max(len(newer), len(older)) > _LONGEST:
        return False
    now, before = _plain(newer), _plain(older)
    return (
        any(_is_other_state(axis, now, before) for axis in range(len(AXES)))
        or any(_is_ended(row, now, before) for row in range(len(OPPOSITES)))
        or _is_other_value(now, before)
        or _permits_or_forbids(now, before)
    )


def leaves_open(newer: str, older: str) -> str:
    """
    Return the name in *older* of the thing that *newer* ends without naming it: "max" for "The dog died.".

    Empty if *newer* does not end *older* by any row, or says which thing it means.
    """
    if max(len(newer), len(older)) > _LONGEST:
        return ""
    now, before = _plain(newer), _plain(older)
    for row in range(len(OPPOSITES)):
        ending, ended = _sides(row, now)[0], _sides(row, before)[1]
        if ending is not None and ended is not None and _is_of_same(ending, ended):
            said = ended.get("name", "") if "name" not in ending else ""
            if ended.get("thing") != ending.get("thing"):
                said += ended.get("thing", "")
            return said
    return ""


def words_of_opposites(text: str) -> str:
    """Return words to find memories that *text* may end, or that may have ended it."""
    plain = _plain(text[:_LONGEST])
    rows: tuple[Axis | Opposite, ...] = (
        *(AXES[n] for n in range(len(AXES)) if _state(n, plain)),
        *(OPPOSITES[n] for n in range(len(OPPOSITES)) if _sides(n, plain) != (None, None)),
    )
    return " ".join(dict.fromkeys(word for row in rows for word in row.words.split()))


def _is_other_state(axis: int, now: str, before: str) -> bool:
    one, other = _state(axis, now), _state(axis, before)
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


@lru_cache(maxsize=4_096)
def _state(axis: int, text: str) -> tuple[str, int] | None:
    """Return who is in which of the row's states; None if the text mentions none of them."""
    row = AXES[axis]
    for number, value in enumerate(row.values):
        if match := re.match(row.says.replace("{value}", value), text):
            return (match.groupdict().get("who") or "").strip(), number
    return None


def _is_ended(row: int, now: str, before: str) -> bool:
    (ending, state), (ended_by, ended) = _sides(row, now), _sides(row, before)
    if ending is not None and ended is not None and _is_of_same(ending, ended):
        return True
    is_back = OPPOSITES[row].is_mutual and state is not None and ended_by is not None
    return is_back and _is_of_same(ended_by or {}, state or {})


@lru_cache(maxsize=8_192)
def _sides(row: int, text: str) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """Return the named groups that each side of a row matches; None for a side that does not match."""
    ends_by, ended = re.match(OPPOSITES[row].ends, text), re.match(OPPOSITES[row].ended, text)
    return (_groups(ends_by) if ends_by else None, None if ends_by or not ended else _groups(ended))


def _groups(match: re.Match[str]) -> dict[str, str]:
    return {name.rstrip("2"): said.strip() for name, said in match.groupdict().items() if said}


def _is_of_same(ending: dict[str, str], ended: dict[str, str]) -> bool:
    """Whether two statements are about the same person and thing."""
    if ending.get("who") != ended.get("who"):
        return False
    if "thing" in ending and "thing" in ended:
        one, other = read(ending["thing"]).words, read(ended["thing"]).words
        if not one or other[-len(one) :] != one:
            return False
    shared = (ending.keys() & ended.keys()) - {"who", "thing"}
    return all(read(ending[name]).words == read(ended[name]).words for name in shared)


def _is_other_value(now: str, before: str) -> bool:
    """Whether two instructions set the same thing to different values: metric and imperial units."""
    if now.split(" ", maxsplit=1)[0] not in _INSTRUCTS or before.split(" ", maxsplit=1)[0] not in _INSTRUCTS:
        return False
    one, other = read(now), read(before)
    if one.denials or other.denials:
        return False
    for scale in _SCALES:
        mine, theirs = ([scale[it] for it in said.words if it in scale] for said in (one, other))
        if len(mine) == len(theirs) == 1 and mine != theirs:
            rest = [{it for it in said.words if it not in scale} - _VERBS for said in (one, other)]
            return rest[0] == rest[1]
    return False


_SCALES = tuple(
    {stem: number for number, words in enumerate(scale) for stem in read(words).words} for scale in SCALES
)


def _permits_or_forbids(now: str, before: str) -> bool:
    """Whether one instruction allows what the other forbids."""
    one, other = _instruction(now), _instruction(before)
    return (one != now or other != before) and denies(one, other)


@lru_cache(maxsize=4_096)
def _instruction(text: str) -> str:
    """Word a permission as a plain instruction, and a prohibition as "do not use …"."""
    if match := _PERMITS.fullmatch(text):
        what, thing, do = match["what"], match["thing"], match["do"]
        return what or do or f"use {thing}"
    match = _FORBIDS.fullmatch(text)
    return f"do not use {match['thing']}" if match else text


def _plain(text: str) -> str:
    """Return the text without case, final punctuation and the word "user"."""
    folded = " ".join(text.casefold().replace("\u2019", "'").split()).rstrip(".!; ")
    return re.sub(r"^(?:the )?user (?=\w)", "", folded)
