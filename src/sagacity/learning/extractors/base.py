"""What an extractor is."""

from collections.abc import Sequence
from typing import Protocol

from sagacity.domain.base import Value
from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.memory import MemoryKind


class Extraction(Value):
    """What an extractor proposes, and how it came to it."""

    candidates: tuple[Candidate, ...]
    method: str
    """`rules` or `model`."""
    prompt_version: str = ""
    model: str = ""


class Extractor(Protocol):
    """Reads a window and proposes candidates of one kind; writes nothing."""

    @property
    def kind(self) -> MemoryKind:
        """The kind that it proposes."""
        ...

    async def extract(self, window: Window, known: Sequence[str]) -> Extraction:
        """
        Propose what the unread turns of *window* teach.

        Args:
            window: the turns; those kept for context give meaning but no candidates of their own.
            known: contents of the user's memories of this kind, newest first, that need no repeating.

        Raises:
            ProviderError: the model failed.
        """
        ...
