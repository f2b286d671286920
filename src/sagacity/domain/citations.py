"""
Citations in an answer: taken out of its text while it streams, and checked against what the model was shown.

An answer may hold code, such as `xs[i:5]`. So nothing between backticks is a citation; and elsewhere what names nothing
that was shown, be it with a letter that models make up, is taken for one only after a space, a mark of punctuation, or
another citation. A citation without its colon, which models also write, counts only there, and only if it was shown:
of three signs (shown, apart, with its colon), two are enough.
"""

import re
from collections.abc import Iterable

from sagacity.domain.chat import AnswerSource, Cited
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import KINDS

ENTITY = "entity"
SAID = "turn"
"""The kind of turns that a client sent along; others are interactions."""
LETTER_OF = {INTERACTION: "i", ENTITY: "n", SAID: "h"}
"""What a citation of anything but a memory begins with; its number is the item's own."""
_NAME = re.compile(r"([A-Za-z])(?:: ?)?(\d{1,19})")
_SOURCES = re.compile(rf" ?\[({_NAME.pattern}(?:[,;] ?{_NAME.pattern})*)\]")
_AFTER_A_STATEMENT = re.compile(r"[\s.,;:!?。，、！？]")
_ENOUGH_SIGNS = 2
_LONGEST = 100
"""Characters of brackets that can be citations: four or five of them together."""


class CitationReader:
    """Reads an answer piece by piece, and holds back what may still become a citation."""

    def __init__(self, shown: Iterable[AnswerSource]) -> None:
        """Prepare to read an answer of a model that was shown *shown*."""
        self.cited: list[Cited] = []
        self._shown = {source.citation: source for source in shown}
        self._length = 0
        self._held = ""
        self._last = ""
        """The character before; empty after a citation, and at the beginning."""
        self._is_code = False
        """Whether a backtick is open; of a fence, which has three, it is the third."""

    def read(self, piece: str) -> str:
        """Return the text that can be shown now, without its citations."""
        self._held += piece
        end = _open_end(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return self._take(ready)

    def finish(self) -> str:
        """Return the rest of the text."""
        ready, self._held = self._held, ""
        return self._take(ready)

    def _take(self, text: str) -> str:
        plain: list[str] = []
        start = 0
        for found in _SOURCES.finditer(text):
            before = text[start : found.start()]
            names = (f"{letter.lower()}:{number}" for letter, number in _NAME.findall(found[1]))
            sources = [self._shown.get(name) for name in names]
            last = found[0][0] if found[0][0] == " " else before[-1:] or self._last
            is_code = self._is_code ^ (text.count("`", 0, found.start()) % 2 == 1)
            is_apart = not last or _AFTER_A_STATEMENT.match(last) is not None
            is_whole = all(":" in one for one in re.split("[,;]", found[1]))
            if is_code or sum((any(sources), is_apart, is_whole)) < _ENOUGH_SIGNS:
                continue
            plain.append(before)
            self._length += len(before)
            self.cited.extend(
                Cited(citation=source.citation, kind=source.kind, item_id=source.item_id, offset=self._length)
                for source in sources
                if source is not None
            )
            self._last = ""
            start = found.end()
        plain.append(text[start:])
        self._is_code ^= text.count("`") % 2 == 1
        self._length += len(plain[-1])
        self._last = plain[-1][-1:] or self._last
        return "".join(plain)


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
