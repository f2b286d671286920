"""A user's memory in the terms of the chat contract: four types, each with parts of its own."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryUid, SessionId, UserId
from sagacity.domain.memory import (
    WRITTEN_DIRECTLY,
    Attributes,
    EpisodeFacts,
    Memory,
    MemoryKind,
    NewMemory,
    ProcedureFacts,
    ProfileFacts,
    Provenance,
    SemanticFacts,
)
from sagacity.domain.trust import Origin


class MemoryType(StrEnum):
    """The chat contract's word for a kind of memory."""

    PROFILE = "profile"
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


KIND_OF: Final[Mapping[MemoryType, MemoryKind]] = {
    MemoryType.PROFILE: MemoryKind.PROFILE,
    MemoryType.SEMANTIC: MemoryKind.SEMANTIC,
    MemoryType.EPISODIC: MemoryKind.EPISODIC,
    MemoryType.PROCEDURAL: MemoryKind.USER_PLAYBOOK,
}
TYPE_OF: Final[Mapping[MemoryKind, MemoryType]] = {kind: one for one, kind in KIND_OF.items()}
TYPED_KINDS: Final = tuple(KIND_OF.values())
"""The kinds that have a type."""
PARTS: Final[Mapping[MemoryType, frozenset[str]]] = {
    MemoryType.PROFILE: frozenset({"category", "attribute", "value"}),
    MemoryType.SEMANTIC: frozenset({"topic", "subtopic", "fact"}),
    MemoryType.EPISODIC: frozenset({"conversation_id", "event_type", "summary"}),
    MemoryType.PROCEDURAL: frozenset({"procedure_name", "trigger", "steps"}),
}
"""The fields that a writer may give for each type."""


class MemoryParts(Value):
    """What only some types carry; None where it is not given."""

    category: str | None = None
    attribute: str | None = None
    value: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    fact: str | None = None
    conversation_id: str | None = None
    event_type: str | None = None
    summary: str | None = None
    procedure_name: str | None = None
    trigger: str | None = None
    steps: tuple[str, ...] | None = None

    def foreign_to(self, memory_type: MemoryType) -> tuple[str, ...]:
        """Return the names of those given that memories of the type do not have."""
        given = (name for name in type(self).model_fields if getattr(self, name) is not None)
        return tuple(name for name in given if name not in PARTS[memory_type])


class UserMemoryDraft(Value):
    """The fields of a memory."""

    memory_type: MemoryType
    content: str
    keywords: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = {}
    reliability: float = 0.5
    parts: MemoryParts = MemoryParts()
    uid: str = ""
    """Empty: one is made for it."""
    source: str = ""
    origin: Origin | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    def to_memory(self, uid: MemoryUid, user_id: UserId, now: datetime) -> NewMemory:
        """Return the memory to store under *uid*."""
        kind = KIND_OF[self.memory_type]
        return NewMemory(
            uid=uid,
            kind=kind,
            user_id=user_id,
            content=self.content,
            trigger=self.parts.trigger if kind is MemoryKind.USER_PLAYBOOK else None,
            source=self.source,
            attributes=_with_parts(Attributes(origin=self.origin), kind, self.parts, self.content),
            keywords=self.keywords,
            provenance=Provenance(method=WRITTEN_DIRECTLY),
            confidence=self.reliability,
            created_at=now,
            updated_at=now,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            metadata=self.metadata,
        )


class UserMemoryEdit(Value):
    """What changes in a memory; None stays as it is."""

    content: str | None = None
    keywords: tuple[str, ...] | None = None
    metadata: dict[str, JsonValue] | None = None
    reliability: float | None = None
    parts: MemoryParts = MemoryParts()

    def apply(self, memory: Memory, now: datetime) -> Memory:
        """Return *memory* changed at *now*; the same where nothing is to change."""
        if self == UserMemoryEdit():
            return memory
        given: dict[str, object | None] = {
            "content": self.content,
            "keywords": self.keywords,
            "metadata": self.metadata,
            "confidence": self.reliability,
            "trigger": self.parts.trigger if memory.kind is MemoryKind.USER_PLAYBOOK else None,
        }
        content = memory.content if self.content is None else self.content
        return memory.model_copy(
            update={
                **{name: value for name, value in given.items() if value is not None},
                "attributes": _with_parts(memory.attributes, memory.kind, self.parts, content),
                "updated_at": now,
            }
        )


def parts_of(memory: Memory) -> MemoryParts:
    """Return the parts of a memory: those that were given, or else its slot and content."""
    attributes = memory.attributes
    match memory.kind:
        case MemoryKind.PROFILE:
            facts = attributes.profile or ProfileFacts()
            category, _, attribute = attributes.slot.partition(".")
            return MemoryParts(
                category=facts.category or category or None,
                attribute=facts.attribute or attribute or None,
                value=facts.value or None,
            )
        case MemoryKind.SEMANTIC:
            about = attributes.semantic or SemanticFacts()
            topic, _, subtopic = attributes.slot.partition(".")
            return MemoryParts(
                topic=about.topic or topic or None,
                subtopic=about.subtopic or ("" if about.topic else subtopic) or None,
                fact=about.fact or memory.content,
            )
        case MemoryKind.EPISODIC:
            episode = attributes.episode or EpisodeFacts()
            return MemoryParts(
                conversation_id=episode.session_id,
                event_type=episode.event_type,
                summary=episode.summary or memory.content,
            )
        case _:
            procedure = attributes.procedure or ProcedureFacts()
            return MemoryParts(
                procedure_name=procedure.name or None, trigger=memory.trigger, steps=procedure.steps
            )


def _with_parts(attributes: Attributes, kind: MemoryKind, parts: MemoryParts, content: str) -> Attributes:
    """Return *attributes* with what *parts* gives of a kind's own."""
    match kind:
        case MemoryKind.PROFILE:
            given = {"category": parts.category, "attribute": parts.attribute, "value": parts.value}
            return _updated(attributes, "profile", attributes.profile or ProfileFacts(), given)
        case MemoryKind.SEMANTIC:
            fact = "" if parts.fact == content else parts.fact
            given = {"topic": parts.topic, "subtopic": parts.subtopic, "fact": fact}
            return _updated(attributes, "semantic", attributes.semantic or SemanticFacts(), given)
        case MemoryKind.EPISODIC:
            given = {
                "session_id": None if parts.conversation_id is None else SessionId(parts.conversation_id),
                "event_type": parts.event_type,
                "summary": "" if parts.summary == content else parts.summary,
            }
            return _updated(attributes, "episode", attributes.episode or EpisodeFacts(), given)
        case _:
            given = {"name": parts.procedure_name, "steps": parts.steps}
            return _updated(attributes, "procedure", attributes.procedure or ProcedureFacts(), given)


def _updated(
    attributes: Attributes, name: str, before: Value, given: Mapping[str, object | None]
) -> Attributes:
    changed = {part: value for part, value in given.items() if value is not None}
    return attributes.model_copy(update={name: before.model_copy(update=changed)}) if changed else attributes
