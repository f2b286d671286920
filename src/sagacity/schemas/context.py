"""Bodies and replies of contexts."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sagacity.domain.context import ContextBudgets, Dropped, Section
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.memory import Approval, MemoryKind
from sagacity.schemas.base import Count, Id, Label, Reply, Share, Statuses, StrictPart
from sagacity.schemas.found import Explanation
from sagacity.schemas.search import (
    Approvals,
    Kinds,
    Labels,
    Neighbours,
    RequiredQuery,
    SearchOptions,
    required,
)

MAX_TOKENS = 128_000
KINDS = (*MemoryKind, INTERACTION)
"""Everything that is known."""
Total = Annotated[int, Field(ge=100, le=MAX_TOKENS)]
Tokens = Annotated[int, Field(ge=0, le=MAX_TOKENS)]


class Budgets(StrictPart):
    """Tokens for the whole text and for each section; what a section does not need is left to the others."""

    total_tokens: Total = ContextBudgets.model_fields["total_tokens"].default
    """Limit for the whole text, headings included; never exceeded."""
    profile_tokens: Tokens = ContextBudgets.model_fields["profile_tokens"].default
    facts_tokens: Tokens = ContextBudgets.model_fields["facts_tokens"].default
    episodes_tokens: Tokens = ContextBudgets.model_fields["episodes_tokens"].default
    procedures_tokens: Tokens = ContextBudgets.model_fields["procedures_tokens"].default
    entities_tokens: Tokens = ContextBudgets.model_fields["entities_tokens"].default
    history_tokens: Tokens = ContextBudgets.model_fields["history_tokens"].default

    def to_domain(self) -> ContextBudgets:
        """Return the budgets as the context is built by them."""
        return ContextBudgets.model_validate(self.model_dump())


class ContextBody(SearchOptions):
    """
    A user's question, to build a context for.

    All memories and turns are searched with all strategies by default. The options of a search work here, too.
    """

    query: RequiredQuery | None = Field(default=..., json_schema_extra=required)
    """The question, in plain words."""
    user_id: Id | None = Field(default=..., json_schema_extra=required)
    top_k: Count = 20
    """How many results of each kind to consider; the budgets decide how many fit in. By default 20, and all of a user's
    memories of a kind if there are no more than 40."""
    threshold: Share = 0.0
    explain: bool = True
    """Whether the reply includes the trace."""
    status_filter: Statuses | None = None
    """By default, current ones."""
    include_expired: bool = False
    agent_version: Label | None = None
    agent_versions: Labels | None = None
    playbook_name: Label | None = None
    playbook_names: Labels | None = None
    playbook_status_filter: Approval | Approvals | None = None
    """Approval, for the kinds that are reviewed."""
    kinds: Kinds | None = KINDS
    neighbours: Neighbours = 1
    session_id: Id | None = None
    """The conversation in progress."""
    include_history: bool | None = None
    """Whether to include the session's newest turns; by default, if a session is given."""
    budgets: Budgets = Budgets()

    @model_validator(mode="after")
    def _has_history(self) -> Self:
        if self.include_history and self.session_id is None and not self.brings_history:
            raise ValueError("include_history needs session_id or conversation_history")
        return self

    @property
    def brings_history(self) -> bool:
        """Whether the caller sent the conversation along; then it is not read here."""
        return "conversation_history" in self.model_fields_set

    @property
    def wants_history(self) -> bool:
        """Whether the conversation is put in."""
        return self.include_history is not False and (self.session_id is not None or self.brings_history)

    @property
    def reads_history(self) -> bool:
        """Whether the conversation is read as it was published."""
        return self.wants_history and not self.brings_history


class ContextPage(Reply):
    """The text for a prompt, with the source of each line and how it was found."""

    context: str = ""
    """The text; empty when nothing is known."""
    total_tokens: int = 0
    """Length of the text, counted with the tokenizer cl100k_base; never more than the requested total."""
    truncated: bool = False
    """Whether any result was shortened or left out for lack of space."""
    sections: tuple[Section, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    reformulated_query: str | None = None
    trace: Explanation | None = None
    """The analysis of the question, and what each strategy found and how long it took. Steps without a count are no
    strategies."""
