"""Citations in an answer: taken out of its text while it streams, and checked against what the model was shown."""

import re
from collections.abc import Iterable

from sagacity.domain.chat import Cited, Use
from sagacity.domain.kinds import KINDS

_SOURCES = re.compile(r" ?\[([a-z]:\d{1,19}(?:[,;] ?[a-z]:\d{1,19})*)\]")
_LONGEST = 100
"""Characters of brackets that can be citations: four or five of them together."""


class CitationReader:
    """Reads an answer piece by piece; what may still become a citation is held back."""

    def __init__(self, shown: Iterable[Use]) -> None:
        """Read an answer of a model that was shown *shown*."""
        self.cited: list[Cited] = []
        self.unknown = 0
        """How many citations name what the model was not shown."""
        self._shown = {use.citation: use for use in shown}
        self._length = 0
        self._held = ""

    def read(self, piece: str) -> str:
        """Return the text that can be shown now, without citations."""
        self._held += piece
        end = _open_end(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return self._take(ready)

    def finish(self) -> str:
        """Return what was held back."""
        ready, self._held = self._held, ""
        return self._take(ready)

    def _take(self, text: str) -> str:
        plain: list[str] = []
        start = 0
        for found in _SOURCES.finditer(text):
            before = text[start : found.start()]
            plain.append(before)
            self._length += len(before)
            for name in re.split(r"[,;] ?", found[1]):
                self._note(name)
            start = found.end()
        plain.append(text[start:])
        self._length += len(plain[-1])
        return "".join(plain)

    def _note(self, name: str) -> None:
        use = self._shown.get(name)
        if use is None:
            self.unknown += 1
            return
        self.cited.append(Cited(citation=name, kind=use.kind, item_id=use.item_id, offset=self._length))


def _open_end(text: str) -> int:
    """Return where in *text* something begins that may become a citation with what follows; its end if nothing does."""
    start = text.rfind("[", max(len(text) - _LONGEST, 0))
    if start < 0 or "]" in text[start:]:
        return len(text) - 1 if text.endswith(" ") else len(text)
    return start - 1 if start and text[start - 1] == " " else start


def used_memories(cited: Iterable[Cited]) -> set[int | str]:
    """Return the memories that an answer rests on: each by its uid, or by its number where the API knows it by that."""
    kinds = {str(kind): spec for kind, spec in KINDS.items()}
    return {
        one.item_id if kinds[one.kind].is_known_by_uid else int(one.item_id)
        for one in cited
        if one.kind in kinds
    }
