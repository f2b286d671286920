"""When skills are written by themselves: after an aggregation, also one that was before anybody wanted skills."""

import json

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import Cursor
from sagacity.domain.ids import whole_key
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.learning.aggregate.trigger import bookmark_of as aggregated_to
from sagacity.learning.skills.plan import options_of
from sagacity.learning.skills.survey import LEARNER
from sagacity.storage.transaction import Transaction


async def due_names(snapshot: Transaction, config: TenantConfig) -> list[tuple[str, str]]:
    """Return name and agent version of the playbooks that were aggregated since skills were written, in order."""
    names = {one.extractor_name for one in config.user_playbook_extractor_configs}
    automatic = {name for name in names if options_of(config, name).is_automatic}
    if not automatic:
        return []  # most want none, and what follows reads every playbook
    cursors = await snapshot.cursors.of_user(TENANT_SCOPE)
    return [
        (name, version)
        for name, version in sorted(await snapshot.clusters.newest_candidates())
        if name in automatic
        and _seq(cursors, aggregated_to(name, version)) > _seq(cursors, _learner_of(name, version))
    ]


async def bookmark(snapshot: Transaction, name: str, agent_version: str) -> Cursor:
    """Return what is to be kept of a run that starts now: as far as playbooks were aggregated, skills are written."""
    aggregated = await snapshot.cursors.get(TENANT_SCOPE, aggregated_to(name, agent_version))
    return Cursor(learner=_learner_of(name, agent_version), user_id=TENANT_SCOPE, seq=aggregated.seq)


def _learner_of(name: str, agent_version: str) -> str:
    return whole_key(f"{LEARNER}:{json.dumps([name, agent_version], ensure_ascii=False)}")


def _seq(cursors: dict[str, Cursor], learner: str) -> int:
    cursor = cursors.get(learner)
    return 0 if cursor is None else cursor.seq
