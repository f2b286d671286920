"""
Leave out what a model thinks before it answers.

Most servers send thoughts in a field of their own, which nothing reads. Some send them at the beginning of the answer,
between `<think>` and `</think>`. LiteLLM takes them out of complete answers, but not of streams.
"""

from typing import Final

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


class ThoughtFilter:
    """Leaves out the thoughts at the beginning of an answer that comes in pieces."""

    def __init__(self) -> None:
        self._held = ""
        """The beginning of the answer, or the end of its thoughts."""
        self._seeks: str | None = _OPEN
        """The mark that is waited for; None once the answer has begun."""

    def read(self, piece: str) -> str:
        """Return the text that can be shown now."""
        if self._seeks is None:
            return piece
        self._held += piece
        if self._seeks == _OPEN:
            start = self._held.lstrip()
            if len(start) < len(_OPEN) and _OPEN.startswith(start):
                return ""
            if not start.startswith(_OPEN):
                return self._begun(self._held)
            self._seeks = _CLOSE
        _, found, answer = self._held.partition(_CLOSE)
        if not found:
            self._held = self._held[-len(_CLOSE) :]
            return ""
        self._held = found
        return self._begun(answer.lstrip()) if answer.strip() else ""

    def finish(self) -> str:
        """Return the rest of the text: an answer that only began like a thought."""
        return self._held if self._seeks == _OPEN else ""

    def _begun(self, text: str) -> str:
        self._seeks = None
        return text
