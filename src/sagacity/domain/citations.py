"""
Citations in an answer: taken out of its text while it streams, and checked against what the model was shown.

An answer may hold code, such as `xs[i:5]`. So nothing between backticks is a citation; and elsewhere what names nothing
that was shown, be it with a letter that models make up, is taken for one only after a space, a mark of punctuation, or
another citation. A citation without its colon, which models also write, counts only there, and only if it was shown:
of three signs (shown, apart, with its colon), two are enough. Round brackets need all three.

Models cite in many ways: `[p:1, p:2]`, `[p:1] and [p:2]`, `[p:1-p:4]`, `[Source: p:1]`, `(see [p:1])`, or in a line
`Sources: [p:1]`. What only joins, encloses or announces citations is taken out with them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from sagacity.domain.chat import AnswerSource, Cited
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import KINDS

ENTITY = "entity"
SAID = "turn"
"""The kind of turns that a client sent along; others are interactions."""
LETTER_OF = {INTERACTION: "i", ENTITY: "n", SAID: "h"}
"""What a citation of anything but a memory begins with; its number is the item's own."""
_AND: Final = "and|or|und|et|ou|y|e|o"
_NAME: Final = r"[A-Za-z](?:: ?)?\d{1,19}"
_RANGE: Final = rf"{_NAME}(?: ?[-–] ?(?:[A-Za-z](?:: ?)?)?\d{{1,19}})?"
_LIST: Final = rf" ?(?:(?:[Ss]ources?|[Ss]ee):? )?{_RANGE}(?:(?: ?[,;&/])?(?: (?:{_AND}) | ?){_RANGE})* ?"
_SQUARE: Final = rf"\[{_LIST}\]"
_WRAPPED: Final = rf"\[{_SQUARE}\]|\((?:[Ss]ee )?{_SQUARE}(?:[,;]? ?{_SQUARE})*\)|\*\*{_SQUARE}\*\*"
_SOURCES = re.compile(rf" ?(?:{_WRAPPED}|{_SQUARE}|(?P<round>\({_LIST}\)))")
_ONE = re.compile(
    r"(?<![A-Za-z])(?P<letter>[A-Za-z])(?P<colon>:?) ?(?P<first>\d{1,19})"
    r"(?: ?[-–] ?(?:[A-Za-z](?:: ?)?)?(?P<last>\d{1,19}))?"
)
_WRAPPER: Final = r"(?:\[|\((?:[Ss]ee )?|\*\*)"
_WORD: Final = r"(?:[Ss](?:o|ou|our|ourc|ources?|e|ee)?:? ?)?"
_TAIL: Final = r"[\w:,;&/ –-]*"
_OPEN = re.compile(
    rf" ?(?:{_WRAPPER}?\[ ?{_WORD}(?:[A-Za-z](?:[:\d]{_TAIL})?)?"
    rf"|{_WRAPPER}\[{_TAIL}\](?:[,;]? ?\[{_TAIL}\]?)*(?:[,;]? ?|\*)"
    rf"|\( ?{_WORD}(?:[A-Za-z](?::{_TAIL})?)?|(?<!\])(?<!\]\*)\*\*?)$"
)
"""What may become a citation with what follows."""
_JOINT = re.compile(rf" ?[,;&/]?(?: ?(?:{_AND}))?")
"""What may stand between two citations, but for the space before the second."""
_JOINING = re.compile(rf" ?[,;&/]?(?: ?(?:{_AND}|an?|un?))?")
_LABELS: Final = (
    "source:",
    "sources:",
    "reference:",
    "references:",
    "quelle:",
    "quellen:",
    "fuentes:",
    "fontes:",
)
"""What may announce citations at the beginning of a line."""
_LONGEST_LABEL = 20
_AFTER_A_STATEMENT = re.compile(r"[\s.,;:!?。，、！？]")
_ENOUGH_SIGNS, _ALL_SIGNS = 2, 3
_LONGEST = 400
"""Characters of brackets that can be citations: some fifty of them together."""


class CitationReader:
    """Reads an answer piece by piece, and holds back what may still become a citation."""

    def __init__(self, shown: Iterable[AnswerSource]) -> None:
        """Prepare to read an answer of a model that was shown *shown*."""
        self.cited: list[Cited] = []
        self._shown = {source.citation: source for source in shown}
        self._length = 0
        self._held = ""
        self._last = "\n"
        """The character before; empty after a citation."""
        self._is_code = False
        """Whether a backtick is open; of a fence, which has three, it is the third."""

    def read(self, piece: str) -> str:
        """Return the text that can be shown now, without its citations."""
        self._held += piece
        end = self._open_end(self._held)
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
            last = found[0][0] if found[0][0] == " " else before[-1:] or self._last
            is_code = self._is_code ^ (text.count("`", 0, found.start()) % 2 == 1)
            is_apart = not last or _AFTER_A_STATEMENT.match(last) is not None
            ones = list(_ONE.finditer(found[0]))
            sources = list(self._sources(ones))
            signs = sum((bool(sources), is_apart, all(one["colon"] for one in ones)))
            if is_code or signs < (_ALL_SIGNS if found["round"] else _ENOUGH_SIGNS):
                continue
            before = self._left_of(before)
            plain.append(before)
            self._length += len(before)
            self.cited.extend(
                Cited(citation=source.citation, kind=source.kind, item_id=source.item_id, offset=self._length)
                for source in sources
            )
            self._last = ""
            start = found.end()
        plain.append(text[start:])
        self._is_code ^= text.count("`") % 2 == 1
        self._length += len(plain[-1])
        self._last = plain[-1][-1:] or self._last
        return "".join(plain)

    def _sources(self, ones: Iterable["re.Match[str]"]) -> Iterator[AnswerSource]:
        """Yield what was shown of the sources that a citation names; of a range, all that was shown within it."""
        for one in ones:
            letter, first = one["letter"].lower(), int(one["first"])
            if one["last"] is None:
                source = self._shown.get(f"{letter}:{first}")
                found = [] if source is None else [source]
            else:
                found = [
                    source
                    for name, source in self._shown.items()
                    if name.startswith(f"{letter}:") and first <= int(name[2:]) <= int(one["last"])
                ]
            yield from found

    def _left_of(self, before: str) -> str:
        """Return the text before a citation without what joins it to another one or announces it."""
        if not self._last and _JOINT.fullmatch(before):
            return ""
        line = self._line(before)
        return before[: len(before) - len(line)] if line and _plain(line) in _LABELS else before

    def _line(self, text: str) -> str:
        """Return the line that *text* ends with, if it began within *text*, which follows what was read."""
        _, newline, line = text.rpartition("\n")
        return line if newline or self._last == "\n" else ""

    def _open_end(self, text: str) -> int:
        """Return where something begins that may become a citation with what follows; the end if nothing does."""
        opened = _OPEN.search(text, max(len(text) - _LONGEST, 0))
        end = len(text) - text.endswith(" ") if opened is None else opened.start()
        line = self._line(text[:end])
        if 0 < len(line) <= _LONGEST_LABEL and any(label.startswith(_plain(line)) for label in _LABELS):
            return end - len(line)
        behind = max(text.rfind("]", 0, end), text.rfind(")", 0, end)) + 1
        follows = (behind or not self._last) and _JOINING.fullmatch(text, behind, end)
        return behind if follows else end


def _plain(line: str) -> str:
    return line.casefold().replace("*", "").replace("_", "").strip()


def used_memories(cited: Iterable[Cited]) -> set[int | str]:
    """Return the memories that an answer rests on: each by its uid, or by its number where the API knows it by that."""
    kinds = {str(kind): spec for kind, spec in KINDS.items()}
    return {
        one.item_id if kinds[one.kind].is_known_by_uid else int(one.item_id)
        for one in cited
        if one.kind in kinds
    }
