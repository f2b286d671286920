"""The interface of an extractor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sagacity.config.extractor_config import WindowOverride
from sagacity.domain.base import Value
from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.extraction import Rejection
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.prompt_runner import PromptRunner


class Known(Value):
    """A memory of a user, as shown to an extractor."""

    content: str
    slot: str = ""
    said_at: datetime | None = None
    ended_at: datetime | None = None
    """Since when it no longer holds; None if it holds."""
    memory_id: MemoryId | None = None
    """The memory's number; None for a candidate that another extractor has just proposed."""
    is_episode: bool = False
    """Whether it is an episode. Nothing ends one, but what it quotes may be forgotten."""


class Extraction(Value):
    """What an extractor proposes, and by which method."""

    candidates: tuple[Candidate, ...]
    dropped: dict[Rejection, int] = {}
    """Number of dropped entries, by reason."""
    method: str
    """`rules` or `model`."""
    prompt_version: str = ""
    model: str = ""


class Extractor(Protocol):
    """Reads a window and proposes candidates of one kind, without writing anything."""

    @property
    def kind(self) -> MemoryKind:
        """The kind of its candidates."""
        ...

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """
        Propose candidates from the unread turns of *window*.

        Args:
            window: the turns; context turns give meaning, but no candidates of their own.
            known: the user's memories of this kind that need not be repeated, most important first; for rules, those
                that the window may end.

        Raises:
            ProviderError: the model failed.
        """
        ...


NEIGHBOUR_COUNT = 10
"""How many neighbours a candidate is compared with, unless its extractor says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredExtractor:
    """One configured extractor; whether rules or a model are used is decided later."""

    name: str
    definition: str
    """What to look for, as the tenant configured it."""
    window: WindowOverride
    sources: frozenset[str]
    """Request sources that it reads; empty for all."""
    open: Callable[[PromptRunner | None], Extractor]
    """Returns the extractor, given the model that it may call; None for rules."""
    condition: str = ""
    """When a window is worth reading, as the tenant configured it; empty: always."""
    neighbour_count: int = NEIGHBOUR_COUNT
    """How many near memories its candidates are compared with."""
    neighbour_threshold: float = 0.0
    """Their minimum similarity, in 0..1 (see `domain.query.similarity`)."""
