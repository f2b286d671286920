"""The wire shape of a memory of any kind that has none of its own."""

from pydantic import JsonValue

from sagacity.domain.clock import to_epoch
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.trust import Origin, Trust
from sagacity.domain.views.base import (
    NEVER_EXPIRES,
    ProvenanceView,
    View,
    expiry_view,
    provenance_view,
    status_view,
)


class MemoryView(View):
    """One learned thing."""

    memory_id: int
    uid: str
    kind: MemoryKind
    user_id: str | None = None
    content: str = ""
    trigger: str | None = None
    pitfall: str | None = None
    rationale: str | None = None
    name: str = ""
    agent_version: str = ""
    source: str = ""
    keywords: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = {}
    status: Status | None = None
    approval: Approval = Approval.PENDING
    confidence: float = 1.0
    created_at: int
    last_modified_timestamp: int
    valid_from: int | None = None
    """Since when it holds in the world, where that is known."""
    valid_to: int | None = None
    expiration_timestamp: int = NEVER_EXPIRES
    source_interaction_ids: tuple[int, ...] = ()
    superseded_by: int | None = None
    """The number of what replaced it."""
    archived_by: str | None = None
    """Who put it away, unless a newer version did: `learner` or `person`."""
    origin: Origin | None = None
    trust: Trust | None = None
    is_held: bool | None = None
    provenance: ProvenanceView | None = None
    score: float | None = None
    relevance: float | None = None
    score_components: dict[str, float] | None = None


def memory_view(memory: Memory) -> MemoryView:
    """Show a memory."""
    return MemoryView(
        memory_id=memory.memory_id,
        uid=memory.uid,
        kind=memory.kind,
        user_id=memory.user_id,
        content=memory.content,
        trigger=memory.trigger,
        pitfall=memory.pitfall,
        rationale=memory.rationale,
        name=memory.name,
        agent_version=memory.agent_version,
        source=memory.source,
        keywords=memory.keywords,
        metadata=memory.metadata,
        status=status_view(memory.status),
        approval=memory.approval,
        confidence=memory.confidence,
        created_at=to_epoch(memory.created_at),
        last_modified_timestamp=to_epoch(memory.updated_at),
        valid_from=None if memory.valid_from is None else to_epoch(memory.valid_from),
        valid_to=None if memory.valid_to is None else to_epoch(memory.valid_to),
        expiration_timestamp=expiry_view(memory),
        source_interaction_ids=memory.source_interaction_ids,
        superseded_by=memory.superseded_by,
        archived_by=str(memory.archived_by) or None,
        origin=memory.attributes.origin,
        trust=memory.trust,
        is_held=memory.is_held or None,
        provenance=provenance_view(memory),
    )
