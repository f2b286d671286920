"""Wire shapes of the change log of learner runs."""

from sagacity.domain.change import ChangeLog
from sagacity.domain.clock import to_epoch
from sagacity.domain.cluster import AggregationMode
from sagacity.domain.extraction import EntryCounts
from sagacity.domain.memory import Memory
from sagacity.domain.views.agent_playbook import AgentPlaybookView, agent_playbook_view
from sagacity.domain.views.base import View
from sagacity.domain.views.profile import ProfileView, profile_view


class ProfileChangeLogView(View):
    """What one run changed in a user's profiles."""

    id: int
    user_id: str
    request_id: str
    created_at: int
    added_profiles: tuple[ProfileView, ...] = ()
    removed_profiles: tuple[ProfileView, ...] = ()
    mentioned_profiles: tuple[ProfileView, ...] = ()
    entries: EntryCounts | None = None
    """What the run proposed; null where that was not counted."""


class UpdatedPlaybook(View):
    """An agent playbook before and after a run."""

    before: AgentPlaybookView
    after: AgentPlaybookView


class AggregationChangeLogView(View):
    """What one aggregation changed in the agent playbooks of one name and version."""

    id: int
    created_at: int
    playbook_name: str
    agent_version: str
    run_mode: AggregationMode = AggregationMode.INCREMENTAL
    added_agent_playbooks: tuple[AgentPlaybookView, ...] = ()
    removed_agent_playbooks: tuple[AgentPlaybookView, ...] = ()
    updated_agent_playbooks: tuple[UpdatedPlaybook, ...] = ()


def profile_change_log_view(log: ChangeLog) -> ProfileChangeLogView:
    """Show what one run changed in profiles."""
    return ProfileChangeLogView(
        id=log.change_log_id,
        user_id=log.user_id or "",
        request_id=log.request_id or "",
        created_at=to_epoch(log.created_at),
        added_profiles=tuple(profile_view(memory) for memory in log.added),
        removed_profiles=tuple(profile_view(memory) for memory in log.removed),
        entries=log.entries,
    )


def aggregation_change_log_view(
    log: ChangeLog, *, playbook_name: str, agent_version: str
) -> AggregationChangeLogView | None:
    """Show what one run changed in the agent playbooks of one name and version; None if nothing."""

    def wanted(memory: Memory) -> bool:
        return memory.name == playbook_name and memory.agent_version == agent_version

    before = {memory.memory_id: memory for memory in log.removed if wanted(memory)}
    after = {memory.memory_id: memory for memory in log.added if wanted(memory)}
    if not before and not after:
        return None
    both = before.keys() & after.keys()
    return AggregationChangeLogView(
        id=log.change_log_id,
        created_at=to_epoch(log.created_at),
        playbook_name=playbook_name,
        agent_version=agent_version,
        run_mode=_mode_of(log),
        added_agent_playbooks=tuple(agent_playbook_view(after[key]) for key in after if key not in both),
        removed_agent_playbooks=tuple(agent_playbook_view(before[key]) for key in before if key not in both),
        updated_agent_playbooks=tuple(
            UpdatedPlaybook(before=agent_playbook_view(before[key]), after=agent_playbook_view(after[key]))
            for key in sorted(both)
        ),
    )


def _mode_of(log: ChangeLog) -> AggregationMode:
    is_full = log.reason == AggregationMode.FULL.reason
    return AggregationMode.FULL if is_full else AggregationMode.INCREMENTAL
