"""Which of many patterns can match a text at all, by three letters that each needs: few are tried, and few compiled."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, Generic, TypeVar

TRIGRAMS_PATH: Final = Path(__file__).with_name("trigrams.json")
"""By `digest` of a pattern, trigrams of which a match has one at least, run together: written by `scripts/trigrams`."""
WIDTH: Final = 3
_FOLDED: Final = str.maketrans({"\u0130": "i", "\u0131": "i", "\u017f": "s"})
"""Beside their capitals, what `re.IGNORECASE` takes for letters of ASCII; the Kelvin sign becomes k in lower case."""

Row = TypeVar("Row")


class Prefilter(Generic[Row]):
    """
    Rows of patterns, of which it gives those that a text can match: some 25 for a sentence of a chat.

    The patterns ignore case. One that is not in the file, or that has no three letters which a match must have, is
    always among them.
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
        """Return the rows that can match somewhere in *text*, in their order."""
        places = set(self._always)
        for trigram in self._needing.keys() & trigrams_in(text):
            places.update(self._needing[trigram])
        return tuple(self._rows[place] for place in sorted(places))


def trigrams_in(text: str) -> set[str]:
    """Return every three characters that follow one another in *text*, in lower case."""
    lower = text.lower() if text.isascii() else text.translate(_FOLDED).lower()
    return {lower[at : at + WIDTH] for at in range(len(lower) - WIDTH + 1)}


def trigrams_of(pattern: str) -> tuple[str, ...]:
    """Return those of which a match of *pattern* has one at least; none if that is not known."""
    joined = _stored().get(digest(pattern), "")
    return tuple(joined[at : at + WIDTH] for at in range(0, len(joined), WIDTH))


def digest(pattern: str) -> str:
    """Return the key of *pattern* in the file."""
    return blake2b(pattern.encode(), digest_size=6).hexdigest()


@cache
def _stored() -> dict[str, str]:
    return json.loads(TRIGRAMS_PATH.read_bytes())
