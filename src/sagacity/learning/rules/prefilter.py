"""Select the patterns that can match a text, by three letters that each needs, so that few are tried or compiled."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, Generic, TypeVar

TRIGRAMS_PATH: Final = Path(__file__).with_name("trigrams.json")
"""By `digest` of a pattern: trigrams, joined, of which every match contains one. Written by `scripts/trigrams`."""
WIDTH: Final = 3
_FOLDED: Final = str.maketrans({"\u0130": "i", "\u0131": "i", "\u017f": "s"})
"""Characters that `re.IGNORECASE` matches with ASCII letters; the Kelvin sign is one too, but lower() makes it k."""

Row = TypeVar("Row")


class Prefilter(Generic[Row]):
    """
    Rows of patterns, from which it selects those that a text can match: about 25 for a sentence of a chat.

    The patterns ignore case. A pattern that is not in the file, or has no trigram that a match must contain, is always
    selected.
    """

    def __init__(self, rows: Sequence[Row], pattern_of: Callable[[Row], str]) -> None:
        self._rows = tuple(rows)
        self._always: list[int] = []
        self._needing: dict[str, list[int]] = {}
        for place, row in enumerate(self._rows):
            needed = trigrams_of(pattern_of(row))
            if not needed:
                self._always.append(place)
            for trigram in needed:
                self._needing.setdefault(trigram, []).append(place)

    def rows_for(self, text: str) -> tuple[Row, ...]:
        """Return the rows that can match somewhere in *text*, in table order."""
        places = set(self._always)
        for trigram in self._needing.keys() & trigrams_in(text):
            places.update(self._needing[trigram])
        return tuple(self._rows[place] for place in sorted(places))


def trigrams_in(text: str) -> set[str]:
    """Return all trigrams of *text* in lower case."""
    lower = text.lower() if text.isascii() else text.translate(_FOLDED).lower()
    return {lower[at : at + WIDTH] for at in range(len(lower) - WIDTH + 1)}


def trigrams_of(pattern: str) -> tuple[str, ...]:
    """Return trigrams of which every match of *pattern* contains one; empty if unknown."""
    joined = _stored().get(digest(pattern), "")
    return tuple(joined[at : at + WIDTH] for at in range(0, len(joined), WIDTH))


def digest(pattern: str) -> str:
    """Return the key of *pattern* in the file."""
    return blake2b(pattern.encode(), digest_size=6).hexdigest()


@cache
def _stored() -> dict[str, str]:
    return json.loads(TRIGRAMS_PATH.read_bytes())
