"""The context for a model: sections of text within token budgets, each line with its source."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import InteractionId
from sagacity.domain.query import Trace


class SectionName(StrEnum):
    """The sections of a context, in their order in the text."""

    PROFILE = "profile"
    FACTS = "facts"
    EPISODES = "episodes"
    PROCEDURES = "procedures"
    ENTITIES = "entities"
    HISTORY = "history"


class ContextBudgets(Value):
    """Token budgets of the sections. A section that needs less leaves the rest to others."""

    total_tokens: int = 5_000
    """Hard cap on the rendered text, including headings."""
    profile_tokens: int = 600
    facts_tokens: int = 1_500
    episodes_tokens: int = 1_500
    procedures_tokens: int = 400
    entities_tokens: int = 300
    history_tokens: int = 300

    def of(self, section: SectionName) -> int:
        """Return the budget of one section."""
        return {
            SectionName.PROFILE: self.profile_tokens,
            SectionName.FACTS: self.facts_tokens,
            SectionName.EPISODES: self.episodes_tokens,
            SectionName.PROCEDURES: self.procedures_tokens,
            SectionName.ENTITIES: self.entities_tokens,
            SectionName.HISTORY: self.history_tokens,
        }[section]


class Said(Value):
    """One turn of the current conversation."""

    role: str
    content: str
    interaction_id: InteractionId | None = None
    """None for a turn that was sent along and is not stored."""
    said_at: datetime | None = None


class KnownEntity(Value):
    """An entity that the user spoke of, and its relationships."""

    entity_id: int
    name: str
    entity_type: str = ""
    details: tuple[str, ...] = ()
    """A description, and relationships such as `sister of Ana`."""


class ContextItem(Value):
    """One line of a context, and its source."""

    citation: str
    """Its citation in the text: a letter for the kind and a number, such as `p:7` or `i:12`."""
    kind: str
    item_id: str
    """Its id in the API: a profile's uid, the number of anything else."""
    text: str
    """The rendered line."""
    tokens: int
    score: float = 0.0
    relevance: float | None = None
    """Probability that it answers the question, in [0, 1]; None if neither words nor meaning found it."""
    components: dict[str, float] = {}
    """The parts of the score, by name."""
    is_cut: bool = False
    """Whether the line was shortened."""


class DropReason(StrEnum):
    """Why a result was left out of the context."""

    OVER_BUDGET = "over_budget"
    DUPLICATE = "duplicate"
    """The same text, or the same turn, is in the context already."""
    QUESTION = "question"
    """A turn that only repeats the question."""
    EMPTY = "empty"


class Dropped(Value):
    """A result that is not in the context."""

    kind: str
    item_id: str
    reason: DropReason
    score: float = 0.0


class Section(Value):
    """One section of the text."""

    name: SectionName
    tokens: int
    """Of the rendered section, heading included."""
    budget_tokens: int
    """Its budget, including what other sections left over."""
    items: tuple[ContextItem, ...] = ()


class Context(Value):
    """A context, for a prompt."""

    text: str
    """Empty when nothing is known."""
    total_tokens: int
    """Number of tokens of `text`; never more than the hard cap."""
    truncated: bool
    """Whether any result was shortened or left out for lack of space."""
    sections: tuple[Section, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    trace: Trace = Trace()
