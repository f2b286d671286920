"""The wire shape of a user playbook."""

from sagacity.domain.clock import to_epoch
from sagacity.domain.memory import BlockingIssue, Memory, Status
from sagacity.domain.trust import Origin, Trust
from sagacity.domain.views.base import ProvenanceView, View, provenance_view, status_view

PLAYBOOK_METADATA = "playbook_metadata"
"""The key under which a memory's metadata keeps the free text of the same name."""


class UserPlaybookView(View):
    """A rule for an agent, learned from one user."""

    user_playbook_id: int = 0
    user_id: str | None = None
    agent_version: str
    request_id: str
    playbook_name: str = ""
    created_at: int
    content: str = ""
    trigger: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    status: Status | None = None
    source: str | None = None
    source_interaction_ids: tuple[int, ...] = ()
    pitfall: str | None = None
    playbook_metadata: str = ""
    last_modified_timestamp: int = 0
    unconfirmed: bool | None = None
    origin: Origin | None = None
    trust: Trust | None = None
    provenance: ProvenanceView | None = None
    score: float | None = None
    relevance: float | None = None
    score_components: dict[str, float] | None = None


def user_playbook_view(memory: Memory) -> UserPlaybookView:
    """Show a user playbook."""
    return UserPlaybookView(
        user_playbook_id=memory.memory_id,
        user_id=memory.user_id,
        agent_version=memory.agent_version,
        request_id=memory.source_request_ids[0] if memory.source_request_ids else "",
        playbook_name=memory.name,
        created_at=to_epoch(memory.created_at),
        content=memory.content,
        trigger=memory.trigger,
        rationale=memory.rationale,
        blocking_issue=memory.blocking_issue,
        status=status_view(memory.status),
        source=memory.source or None,
        source_interaction_ids=memory.source_interaction_ids,
        pitfall=memory.pitfall,
        playbook_metadata=str(memory.metadata.get(PLAYBOOK_METADATA, "")),
        last_modified_timestamp=to_epoch(memory.updated_at),
        unconfirmed=memory.attributes.is_unconfirmed or None,
        origin=memory.attributes.origin,
        trust=memory.trust,
        provenance=provenance_view(memory),
    )
