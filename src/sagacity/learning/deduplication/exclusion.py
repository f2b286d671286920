"""Whether a statement ends an earlier one, by the table of exclusions; judged by words."""

from dataclasses import dataclass

from sagacity.learning.deduplication.text_equivalence import read
from sagacity.learning.rules.exclusions import EXCLUSIONS


@dataclass(frozen=True, slots=True)
class _Stems:
    """A row of the table in comparable form: stems instead of words."""

    beside: frozenset[str]
    verbs: frozenset[str]
    objects: frozenset[str]


def _stems(text: str) -> frozenset[str]:
    return frozenset(word for one in text.split() for word in read(one).words)


_BY_VALUE = {
    stem: _Stems(beside=_stems(row.beside), verbs=_stems(row.verbs), objects=_stems(row.objects))
    for row in EXCLUSIONS
    for stem in _stems(row.value)
}


def rules_out(newer: str, older: str) -> bool:
    """
    Tell whether *newer* says that the user has a value of the table, and *older* what it excludes.

    Both must be about the user: *newer* names only the value, and *older* begins with one of the row's verbs and ends
    with one of its objects.
    """
    now, before = read(newer), read(older)
    if now.denials or before.denials or len(before.words) < 2:  # noqa: PLR2004  a verb and an object
        return False
    row = next((_BY_VALUE[word] for word in now.words if word in _BY_VALUE), None)
    if row is None or sum(word not in row.beside for word in now.words) != 1:
        return False
    return before.words[0] in row.verbs and before.words[-1] in row.objects
