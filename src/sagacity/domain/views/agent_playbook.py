"""The wire shape of an agent playbook."""

from sagacity.domain.clock import to_epoch
from sagacity.domain.cluster import CLUSTER_ID, MEMBER_COUNT, REPLACES, USER_COUNT
from sagacity.domain.memory import Approval, BlockingIssue, Memory, Status
from sagacity.domain.trust import Origin, Trust
from sagacity.domain.views.base import ProvenanceView, View, provenance_view, status_view
from sagacity.domain.views.user_playbook import PLAYBOOK_METADATA


class AgentPlaybookView(View):
    """A rule for an agent that applies to all users; see `playbook_status` for its approval."""

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
    cluster_id: str | None = None
    member_count: int | None = None
    """How many user playbooks it was written from; null for one that a person wrote."""
    user_count: int | None = None
    """How many users stand behind it."""
    replaces: int | None = None
    """The number of the playbook that is archived when this one is approved."""
    origin: Origin | None = None
    trust: Trust | None = None
    provenance: ProvenanceView | None = None
    score: float | None = None
    relevance: float | None = None
    score_components: dict[str, float] | None = None


def agent_playbook_view(memory: Memory) -> AgentPlaybookView:
    """Show an agent playbook."""
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
        cluster_id=str(memory.metadata[CLUSTER_ID]) if CLUSTER_ID in memory.metadata else None,
        member_count=_number(memory, MEMBER_COUNT),
        user_count=_number(memory, USER_COUNT),
        replaces=_number(memory, REPLACES),
        origin=memory.attributes.origin,
        trust=memory.trust,
        provenance=provenance_view(memory),
    )


def _number(memory: Memory, name: str) -> int | None:
    value = memory.metadata.get(name)
    return value if isinstance(value, int) else None
