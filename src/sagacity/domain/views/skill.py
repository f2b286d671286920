"""The wire shape of a skill."""

from sagacity.domain.clock import to_epoch
from sagacity.domain.memory import FIRST_VERSION, Approval, BlockingIssue, Memory, SkillFacts, Status
from sagacity.domain.trust import Origin, Trust
from sagacity.domain.views.base import ProvenanceView, View, provenance_view, status_view


class SkillView(View):
    """Instructions for one kind of task, for all users; a learned one is used once it is approved."""

    skill_id: int = 0
    skill_name: str = ""
    description: str = ""
    """What it is for and when to use it."""
    version: str = FIRST_VERSION
    agent_version: str = ""
    playbook_name: str = ""
    instructions: str = ""
    """The whole skill in Markdown."""
    allowed_tools: tuple[str, ...] = ()
    """Names of tools that the instructions speak of."""
    blocking_issues: tuple[BlockingIssue, ...] = ()
    user_playbook_ids: tuple[int, ...] = ()
    """All user playbooks that it was ever made of; some may be gone."""
    skill_status: Approval = Approval.PENDING
    replaces: int | None = None
    """The skill whose place it takes when it is approved."""
    status: Status | None = None
    created_at: int
    updated_at: int
    origin: Origin | None = None
    trust: Trust | None = None
    provenance: ProvenanceView | None = None
    score: float | None = None
    relevance: float | None = None
    score_components: dict[str, float] | None = None

    @property
    def content(self) -> str:
        """The instructions, by the name that they have in other shapes."""
        return self.instructions


def skill_view(memory: Memory) -> SkillView:
    """Show a skill."""
    facts = memory.attributes.skill or SkillFacts()
    return SkillView(
        skill_id=memory.memory_id,
        skill_name=facts.name,
        description=memory.trigger or "",
        version=facts.version,
        agent_version=memory.agent_version,
        playbook_name=memory.name,
        instructions=memory.content,
        allowed_tools=facts.tools,
        blocking_issues=facts.blocking_issues,
        user_playbook_ids=facts.user_playbook_ids,
        skill_status=memory.approval,
        replaces=facts.replaces,
        status=status_view(memory.status),
        created_at=to_epoch(memory.created_at),
        updated_at=to_epoch(memory.updated_at),
        origin=memory.attributes.origin,
        trust=memory.trust,
        provenance=provenance_view(memory),
    )
