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
    """What is remembered of a user, as an extractor is told."""

    content: str
    slot: str = ""
    said_at: datetime | None = None
    ended_at: datetime | None = None
    """Since when it holds no longer."""
    memory_id: MemoryId | None = None
    """None for what another extractor has just found."""


class Extraction(Value):
    """What an extractor proposes, and how it came to it."""

    candidates: tuple[Candidate, ...]
    dropped: dict[Rejection, int] = {}
    """How many other entries the answer had, by why they were dropped."""
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

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """
        Propose what the unread turns of *window* teach.

        Args:
            window: the turns; those kept for context give meaning but no candidates of their own.
            known: the user's memories of this kind that need no repeating, those that matter most first; for rules
                those that the window may end.

        Raises:
            ProviderError: the model failed.
        """
        ...


NEIGHBOUR_COUNT = 10
"""How many neighbours a candidate is compared with, unless its extractor says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredExtractor:
    """One extractor as a tenant configured it; whether rules or a model read is decided later."""

    name: str
    definition: str
    """What it looks for, in the tenant's words."""
    window: WindowOverride
    sources: frozenset[str]
    """Request sources that it reads; empty for all."""
    open: Callable[[PromptRunner | None], Extractor]
    """Gives the extractor, with whom it may ask; None: by rules, as no model may be called."""
    condition: str = ""
    """When a window is worth reading, in the tenant's words; empty: always."""
    neighbour_count: int = NEIGHBOUR_COUNT
    """With how many near memories its candidates are compared."""
    neighbour_threshold: float = 0.0
    """How near these have to be, as a similarity in 0..1 (see `domain.query.similarity`)."""
