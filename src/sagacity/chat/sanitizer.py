"""Remove from a streamed answer what no database stores: NUL characters and unpaired surrogates."""

import re

_HALF = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_REPLACEMENT = "\ufffd"


class StreamSanitizer:
    """Repairs an answer piece by piece; the first half of a surrogate pair waits for the second."""

    def __init__(self) -> None:
        self._held = ""

    def read(self, piece: str) -> str:
        """Return the text that can be shown now."""
        text = (self._held + piece).replace("\x00", "")
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return _mended(text)

    def finish(self) -> str:
        """Return the rest of the text."""
        text, self._held = self._held, ""
        return _mended(text)


def _mended(text: str) -> str:
    if text.isascii() or not _HALF.search(text):
        return text
    return _HALF.sub(_REPLACEMENT, _PAIR.sub(_joined, text))


def _joined(pair: "re.Match[str]") -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")
