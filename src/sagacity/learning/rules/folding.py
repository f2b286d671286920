"""Fold words for the comparison of endings: without case, accents and articles; forms of a word are equal."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

from sagacity.learning.deduplication.text_equivalence import is_cognate, read
from sagacity.learning.rules.endings import Lexicon

TOKEN: Final = re.compile(r"[\w'&+#/-]+(?:\.\w+)*")
_COPULAS: Final = frozenset("is ist est es e".split())
"""Left out in every language, as a known fact may be in another one."""
_ELIDED: Final = re.compile(r"^(?:[ldjnmts]|qu)'")


class _Plain(dict[int, str]):
    """Maps a character to the one without case and accents; always one character, so that positions stay."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFKD", chr(code))[0].lower()[0]
        self[code] = plain
        return plain


_PLAIN: Final = _Plain({ord("\u2019"): "'"})


def folded(text: str) -> str:
    """Return *text* without case and accents, character by character."""
    return text.lower() if text.isascii() else text.translate(_PLAIN)


def unaccented(pattern: str) -> str:
    r"""Return a pattern for folded text. Its case is kept, as it matters in `\W`."""
    return "".join(unicodedata.normalize("NFKD", char)[0] for char in pattern)


def tokens(text: str) -> list[str]:
    """Return the words of *text*, folded."""
    return TOKEN.findall(folded(text))


@cache
def word_set(words: str) -> frozenset[str]:
    """Return the words of a table, folded."""
    return frozenset(folded(words).split())


def bare(words: Sequence[str], lexicon: Lexicon) -> tuple[str, ...]:
    """Leave out articles, "is" and "has", and elided words such as "l'"."""
    unsaid = word_set(lexicon.unsaid) | _COPULAS
    whole = (_ELIDED.sub("", word) for word in words)
    return tuple(word for word in whole if word and word not in unsaid)


def is_same(one: str, other: str) -> bool:
    """Whether two folded words are forms of the same word."""
    return one == other or (read(one).words == read(other).words != ()) or is_cognate(one, other)
