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
    """Tokens that each section may take of the whole; what one does not need goes to those that do."""

    total_tokens: int = 5_000
    """Hard cap on the rendered text, headings and all."""
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
    """One turn of the conversation that goes on now."""

    role: str
    content: str
    interaction_id: InteractionId | None = None
    """None for a turn that a client sent along and nobody stored."""
    said_at: datetime | None = None


class KnownEntity(Value):
    """Somebody or something that the user spoke of, and how it belongs to others."""

    entity_id: int
    name: str
    entity_type: str = ""
    details: tuple[str, ...] = ()
    """A description, and relationships such as `sister of Ana`."""


class ContextItem(Value):
    """One line of a context, and its source."""

    citation: str
    """As it stands in brackets in the text: a letter for the kind and a number, such as `p:7` or `i:12`."""
    kind: str
    item_id: str
    """By which the API knows it: a profile's id, the number of anything else."""
    text: str
    """The line as it was rendered."""
    tokens: int
    score: float = 0.0
    relevance: float | None = None
    """How likely it answers the question, in [0, 1]; None where neither words nor meaning found it."""
    components: dict[str, float] = {}
    """What the score was made of, by name."""
    is_cut: bool = False
    """Whether the text goes on where it came from."""


class DropReason(StrEnum):
    """Why a result is not in the context."""

    OVER_BUDGET = "over_budget"
    DUPLICATE = "duplicate"
    """The same text, or the same turn, is in the context already."""
    QUESTION = "question"
    """A turn that says what is asked now, and no more."""
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
    """What it could take, with what it took of the room that others left."""
    items: tuple[ContextItem, ...] = ()


class Context(Value):
    """What goes into a prompt."""

    text: str
    """Empty when nothing is known."""
    total_tokens: int
    """Of `text`, counted by the tokenizer; never more than the hard cap."""
    truncated: bool
    """Whether anything found was shortened, or left out for lack of space."""
    sections: tuple[Section, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    trace: Trace = Trace()
