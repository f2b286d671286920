"""From when the cooldown counts: the last run that nobody asked for, unless something was left over."""

from datetime import datetime

from sagacity.domain.cursor import Cursor, Outcome
from sagacity.domain.ids import cut_key
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.learning.distil.skills.plan import LEARNER
from sagacity.storage.transaction import Transaction


async def last_run(snapshot: Transaction, name: str, agent_version: str) -> datetime | None:
    """Return when skills were last written by themselves; None: never, or a run since then left a cluster over."""
    kept = await snapshot.cursors.get(TENANT_SCOPE, _cursor_of(name, agent_version))
    return kept.updated_at if kept.outcome is Outcome.LEARNED else None


async def note_run(
    transaction: Transaction, name: str, agent_version: str, *, requested: bool, is_left: bool
) -> None:
    """
    Keep that skills were written now.

    Args:
        transaction: that writes them.
        name: of the playbooks.
        agent_version: for which they hold.
        requested: someone asked for it: then no cooldown begins.
        is_left: some cluster could not be written: then the next run may follow at once, whoever wanted this one.
    """
    if requested and not is_left:
        return
    outcome = Outcome.FAILED if is_left else Outcome.LEARNED
    learner = _cursor_of(name, agent_version)
    await transaction.cursors.save(Cursor(learner=learner, user_id=TENANT_SCOPE, outcome=outcome))


def _cursor_of(name: str, agent_version: str) -> str:
    return cut_key(f"{LEARNER} by themselves:{name}:{agent_version}")
