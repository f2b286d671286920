"""Memories of a user, as the chat shows them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Self, cast

from pydantic import (
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from sagacity.domain.memory import Memory
from sagacity.domain.trust import Origin, Trust
from sagacity.domain.user_memory import (
    TYPE_OF,
    MemoryParts,
    MemoryType,
    UserMemoryDraft,
    UserMemoryEdit,
    parts_of,
)
from sagacity.schemas.base import (
    Body,
    Label,
    MaybeId,
    Moment,
    Schema,
    Share,
    Warned,
    WriteBody,
    refuse_many,
    refuse_unstorable,
)
from sagacity.schemas.fault_words import in_words
from sagacity.schemas.metadata import Metadata, Object

if TYPE_CHECKING:
    from sagacity.domain.query import Scored

MOST_KEYWORDS, MOST_STEPS = 20, 100
Content = Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=r"\S")]
Line = Annotated[str, StringConstraints(max_length=1_000)]
Keywords = Annotated[
    tuple[Annotated[str, StringConstraints(max_length=100)], ...], Field(max_length=MOST_KEYWORDS)
]
Steps = Annotated[tuple[Line, ...], Field(max_length=MOST_STEPS)]
Text = Annotated[str, StringConstraints(max_length=10_000)]


class CreateMemoryBody(WriteBody):
    """A memory to store."""

    memory_type: MemoryType
    """What it is: `profile` says who the user is, `semantic` what is so, `episodic` what happened, `procedural` how to
    do something."""
    content: Content
    """What it says."""
    keywords: Keywords = ()
    """Other words to find it by."""
    metadata: Metadata = {}
    """Stored with it; up to 65,536 characters."""
    reliability: Share = 0.5
    """Its confidence."""
    source: Label = ""
    """The program or channel that it comes from."""
    origin: Origin | None = None
    """What it comes from, where that is trusted less than its writer, such as `imported`. Without it, it is the
    writer's own: an operator's, a user's or an agent's."""
    valid_from: Moment | None = None
    """Since when it holds, or when it happened; null if not known."""
    valid_to: Moment | None = None
    """Until when it holds; null if no end is known."""
    category: Line | None = None
    """For a profile: its category, such as `preferences`."""
    attribute: Line | None = None
    """For a profile: its attribute, such as `favourite colour`."""
    value: Text | None = None
    """For a profile: the value, such as `green`."""
    topic: Line | None = None
    """For a semantic memory: its subject."""
    subtopic: Line | None = None
    """For a semantic memory: a part of its subject."""
    fact: Text | None = None
    """For a semantic memory: the fact, if it differs from the content."""
    conversation_id: Line | None = None
    """For an episodic memory: the conversation in which it happened."""
    event_type: Line | None = None
    """For an episodic memory: the type of event, such as `decision`."""
    summary: Text | None = None
    """For an episodic memory: a summary, if it differs from the content."""
    procedure_name: Line | None = None
    """For a procedural memory: its name."""
    trigger: Text | None = None
    """For a procedural memory: when to do it."""
    steps: Steps | None = None
    """For a procedural memory: the steps, in order."""

    @model_validator(mode="after")
    def _holds_for_a_while(self) -> Self:
        if self.valid_from is not None and self.valid_to is not None and self.valid_to < self.valid_from:
            raise ValueError("valid_to must not be before valid_from")
        return self

    @property
    def warnings(self) -> tuple[str, ...]:
        """Fields that are unknown, or that memories of this type do not have."""
        return (*super().warnings, *foreign(_parts(self), self.memory_type))

    def to_draft(self) -> UserMemoryDraft:
        """Return what is stored."""
        return UserMemoryDraft(
            memory_type=self.memory_type,
            content=self.content,
            keywords=self.keywords,
            metadata=self.metadata,
            reliability=self.reliability,
            parts=_parts(self),
            source=self.source,
            origin=self.origin,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
        )


class NamedMemoryBody(CreateMemoryBody):
    """A memory to store, optionally under the sender's id."""

    id: MaybeId = ""
    """Its id, for senders that may send it again: if the user has a memory of that id, in force or not, it stays as it
    is. Empty: the server makes one."""

    def to_draft(self) -> UserMemoryDraft:
        """Return what is stored."""
        return super().to_draft().model_copy(update={"uid": self.id})


class UpdateMemoryBody(WriteBody):
    """Changes of a memory; null leaves a field unchanged."""

    content: Content | None = None
    """What it says."""
    keywords: Keywords | None = None
    """Other words to find it by; they replace the existing ones."""
    metadata: Metadata | None = None
    """Replaces what is stored."""
    reliability: Share | None = None
    """Its confidence."""
    category: Line | None = None
    """For a profile: its category."""
    attribute: Line | None = None
    """For a profile: its attribute."""
    value: Text | None = None
    """For a profile: the value."""
    topic: Line | None = None
    """For a semantic memory: its subject."""
    subtopic: Line | None = None
    """For a semantic memory: a part of its subject."""
    fact: Text | None = None
    """For a semantic memory: the fact, if it differs from the content."""
    summary: Text | None = None
    """For an episodic memory: a summary, if it differs from the content."""
    procedure_name: Line | None = None
    """For a procedural memory: its name."""
    trigger: Text | None = None
    """For a procedural memory: when to do it."""
    steps: Steps | None = None
    """For a procedural memory: the steps, in order."""

    def to_edit(self) -> UserMemoryEdit:
        """Return what changes."""
        return UserMemoryEdit(
            content=self.content,
            keywords=self.keywords,
            metadata=self.metadata,
            reliability=self.reliability,
            parts=_parts(self),
        )


class Refused(Schema):
    """One of several memories that is invalid."""

    error: str
    """What is wrong, and where."""


def _or_refused(given: object, handler: ValidatorFunctionWrapHandler) -> object:
    try:
        return handler(given)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'memory'}: {in_words(cast('Mapping[str, object]', fault))}"
            for fault in error.errors(include_input=False, include_url=False)[:_FAULTS_TOLD]
        ]
        return Refused(error="; ".join(faults))


_FAULTS_TOLD = 5
OneOfSeveral = Annotated[NamedMemoryBody, WrapValidator(_or_refused)]


class CreateMemoriesBody(WriteBody):
    """Several memories to store; an invalid one does not prevent the others."""

    memories: Annotated[tuple[OneOfSeveral, ...], Field(min_length=1, max_length=100)]
    """What to store: up to 100, each as it would be sent alone."""

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, given: object) -> object:
        """Check the other fields; each memory is checked by itself."""
        if not isinstance(given, Mapping):
            return given
        fields = cast("Mapping[str, object]", given)
        refuse_many(fields)
        refuse_unstorable({name: value for name, value in fields.items() if name != "memories"})
        return fields

    def sorted_out(self) -> tuple[list[tuple[int, UserMemoryDraft]], list[tuple[int, str]]]:
        """Return the memories to store, and the faults of invalid ones, each with its index."""
        given = list(enumerate(cast("Sequence[NamedMemoryBody | Refused]", self.memories)))
        return (
            [(place, one.to_draft()) for place, one in given if isinstance(one, NamedMemoryBody)],
            [(place, one.error) for place, one in given if isinstance(one, Refused)],
        )


class FindMemoriesBody(Body):
    """A search of a user's memories."""

    query: Annotated[str, StringConstraints(min_length=1, max_length=1_000, pattern=r"\S")]
    """The question, or words."""
    memory_types: Annotated[tuple[MemoryType, ...], Field(max_length=16)] = ()
    """Only memories of these types; empty: of all."""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """The largest number of results."""
    min_score: Share = 0.0
    """Minimum score of results."""
    include_vector_search: bool = True
    """Whether to search by meaning."""
    include_keyword_search: bool = True
    """Whether to search by words."""
    date_from: Moment | None = None
    """Only what was said or happened at this time or later."""
    date_to: Moment | None = None
    """Only what was said or happened at this time or earlier."""

    @model_validator(mode="after")
    def _looks_somewhere(self) -> Self:
        if not (self.include_vector_search or self.include_keyword_search):
            raise ValueError("include_vector_search and include_keyword_search must not both be false")
        if self.date_from is not None and self.date_to is not None and self.date_to < self.date_from:
            raise ValueError("date_to must not be before date_from")
        return self


class ChatMemoryView(Warned):
    """A memory of a user."""

    id: str
    """Its id."""
    user_id: str
    """Its user."""
    memory_type: MemoryType
    """What it is."""
    content: str
    """What it says."""
    keywords: tuple[str, ...]
    """Other words to find it by."""
    metadata: Object
    """As sent."""
    reliability: float
    """Its confidence, from 0 to 1."""
    access_count: int
    """How often it was used: found, cited by an answer, or viewed."""
    last_accessed: datetime | None = None
    """When it was last used."""
    origin: Origin | None = None
    """Who or what it comes from; of several, the least trusted."""
    trust: Trust | None = None
    """How far that is trusted."""
    valid_from: datetime | None = None
    """Since when it holds, or when it happened, if known."""
    valid_to: datetime | None = None
    """Until when it holds, if known."""
    created_at: datetime
    """When it was stored."""
    updated_at: datetime
    """When it was last changed."""
    category: str | None = None
    """For a profile: its category."""
    attribute: str | None = None
    """For a profile: its attribute."""
    value: str | None = None
    """For a profile: the value."""
    topic: str | None = None
    """For a semantic memory: its subject."""
    subtopic: str | None = None
    """For a semantic memory: its narrower subject."""
    fact: str | None = None
    """For a semantic memory: the fact."""
    conversation_id: str | None = None
    """For an episodic memory: the conversation in which it happened."""
    event_type: str | None = None
    """For an episodic memory: the type of event, such as `decision`."""
    summary: str | None = None
    """For an episodic memory: a summary."""
    procedure_name: str | None = None
    """For a procedural memory: its name."""
    trigger: str | None = None
    """For a procedural memory: when to do it."""
    steps: tuple[str, ...] | None = None
    """For a procedural memory: the steps, in order."""


class FailedMemory(Schema):
    """One of several memories that was not stored."""

    index: int
    """Its index among those sent, from 0."""
    error: str
    """The reason."""


class CreatedMemories(Warned):
    """The result of storing several memories."""

    created: int
    """Number stored; those whose id the user had already count neither here nor as failed."""
    failed: int
    """Number not stored."""
    errors: tuple[FailedMemory, ...]
    """Those not stored, and why."""
    memory_ids: tuple[str, ...]
    """The ids of those stored, in the order in which they were sent."""


class MemoriesPage(Schema):
    """A page of memories."""

    memories: tuple[ChatMemoryView, ...]
    """Newest first."""
    total: int
    """Number on all pages."""
    page: int
    """Number of this page."""
    page_size: int
    """How many memories a page holds."""
    has_more: bool
    """Whether there is another page."""
    next_cursor: str | None = None
    """Send it as `cursor` to get the next page, even if memories are added meanwhile."""


class FoundMemory(Schema):
    """A search result, with its scores."""

    memory: ChatMemoryView
    """What was found."""
    score: float
    """0.35 `keyword_score` + 0.25 `vector_score` + 0.2 `reliability_score` + 0.15 `recency_score` +
    0.05 `frequency_score`."""
    keyword_score: float
    """How well the words match, from 0 to 1."""
    vector_score: float
    """How similar the meaning is, from 0 to 1."""
    reliability_score: float
    """Its confidence, from 0 to 1."""
    recency_score: float
    """How recent it is, from 0 to 1; 0.5 after 30 days."""
    frequency_score: float
    """How often it was used, from 0 to 1."""
    match_type: str
    """The strategies that found it: `keyword`, `vector`, or both as `keyword,vector`."""


class FoundMemories(Schema):
    """What was found."""

    results: tuple[FoundMemory, ...]
    """Best first."""
    total: int
    """Number of matches, including those over the limit."""
    query: str
    """The question as it was sent."""
    search_time_ms: float
    """How long it took, in milliseconds."""


class MemoryStats(Schema):
    """Statistics of a user's memories."""

    user_id: str
    """The user whose memories are counted."""
    total_memories: int
    """Memories of all types."""
    profile_memories: int
    """Profiles."""
    semantic_memories: int
    """How many of them are semantic."""
    episodic_memories: int
    """How many of them are episodic."""
    procedural_memories: int
    """How many of them are procedural."""
    total_entities: int
    """People, places and things that the user mentions."""
    total_relations: int
    """Relationships between them."""
    average_reliability: float
    """Mean confidence, from 0 to 1; 0 if there are no memories."""
    oldest_memory: datetime | None = None
    """When the first memory was stored."""
    newest_memory: datetime | None = None
    """When the last memory was stored."""


def memory_view_of(memory: Memory, *, warnings: Sequence[str] = ()) -> ChatMemoryView:
    """Return a memory as the chat shows it."""
    return ChatMemoryView(
        id=memory.uid,
        user_id=memory.user_id or "",
        memory_type=TYPE_OF[memory.kind],
        content=memory.content,
        keywords=memory.keywords,
        metadata=memory.metadata,
        reliability=memory.confidence,
        origin=memory.attributes.origin,
        trust=memory.trust,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        access_count=memory.access_count,
        last_accessed=memory.last_accessed_at,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        warnings=tuple(warnings) or None,
        **dict(parts_of(memory)),
    )


def found_view(found: "Scored", memory: Memory, strategies: Sequence[str]) -> FoundMemory:
    """Return a memory that was found, with what its score is made of."""
    signals = {name: value for name, value in found.components.items() if name.endswith("_score")}
    return FoundMemory(
        memory=memory_view_of(memory), score=found.score, match_type=",".join(strategies), **signals
    )


def foreign(parts: MemoryParts, memory_type: MemoryType) -> list[str]:
    """Report which of *parts* were ignored because memories of the type do not have them."""
    return [f"{name}: {memory_type} memories have none; ignored" for name in parts.foreign_to(memory_type)]


def _parts(body: CreateMemoryBody | UpdateMemoryBody) -> MemoryParts:
    known = type(body).model_fields.keys() & MemoryParts.model_fields.keys()
    return MemoryParts(**{name: getattr(body, name) for name in known})
