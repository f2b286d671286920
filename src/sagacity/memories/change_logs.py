"""The change log of the last learner runs."""

from collections.abc import Sequence

from sagacity.domain.change import ChangeLog
from sagacity.domain.memory import MemoryKind
from sagacity.learning.distil.agent_playbooks.trigger import LEARNER
from sagacity.learning.distil.spec import actor_of
from sagacity.memories.acting import Acting

_RUNS = 100
"""How many runs are returned at most."""


async def profile_changes(acting: Acting) -> Sequence[ChangeLog]:
    """Return what the last runs changed in profiles, newest first."""
    async with acting.read() as snapshot:
        runs = await snapshot.changes.list_runs(MemoryKind.PROFILE, limit=_RUNS)
        entries = await snapshot.extractions.of_runs({run.run_id for run in runs})
    return [run.model_copy(update={"entries": entries.get(run.run_id)}) for run in runs]


async def aggregation_changes(
    acting: Acting, *, playbook_name: str, agent_version: str
) -> Sequence[ChangeLog]:
    """Return what the last aggregations changed in agent playbooks of one name and agent version, newest first."""
    async with acting.read() as snapshot:
        return await snapshot.changes.list_runs(
            MemoryKind.AGENT_PLAYBOOK,
            actor=actor_of(LEARNER, playbook_name),
            name=playbook_name,
            agent_version=agent_version,
            limit=_RUNS,
        )
