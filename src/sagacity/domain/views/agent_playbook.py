"""The wire shape of an agent playbook."""

from collections.abc import Mapping

from sagacity.domain.clock import to_epoch
from sagacity.domain.memory import Approval, BlockingIssue, Memory, Status
from sagacity.domain.views.base import ProvenanceView, View, provenance_view, status_view
from sagacity.domain.views.user_playbook import PLAYBOOK_METADATA


class AgentPlaybookView(View):
    """One rule for an agent, for all users; it serves once it is approved or while it waits for a reviewer."""

    agent_playbook_id: int = 0
    playbook_name: str = ""
    agent_version: str
    created_at: int
    content: str
    trigger: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    playbook_status: Approval = Approval.PENDING
    playbook_metadata: str = ""
    status: Status | None = None
    pitfall: str | None = None
    last_modified_timestamp: int = 0
    provenance: ProvenanceView | None = None
    score: float | None = None
    score_components: dict[str, float] | None = None


def agent_playbook_view(
    memory: Memory, *, score: float | None = None, components: Mapping[str, float] | None = None
) -> AgentPlaybookView:
    """Show an agent playbook; *score* and its *components* when it was searched for."""
    return AgentPlaybookView(
        agent_playbook_id=memory.memory_id,
        playbook_name=memory.name,
        agent_version=memory.agent_version,
        created_at=to_epoch(memory.created_at),
        content=memory.content,
        trigger=memory.trigger,
        rationale=memory.rationale,
        blocking_issue=memory.blocking_issue,
        playbook_status=memory.approval,
        playbook_metadata=str(memory.metadata.get(PLAYBOOK_METADATA, "")),
        status=status_view(memory.status),
        pitfall=memory.pitfall,
        last_modified_timestamp=to_epoch(memory.updated_at),
        provenance=provenance_view(memory),
        score=score,
        score_components=None if components is None else dict(components),
    )
