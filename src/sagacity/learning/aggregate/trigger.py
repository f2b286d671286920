"""When playbooks are aggregated by themselves: how many have come since the last run."""

from collections.abc import Collection

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import Cursor, Outcome
from sagacity.domain.ids import MemoryId, cut_key
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.domain.version import VersionFilter
from sagacity.storage.transaction import Transaction

SMALLEST_CLUSTER = 2
_TRIES = 5


def aggregation_of(config: TenantConfig, name: str) -> PlaybookAggregatorConfig | None:
    """Return how playbooks of that name are aggregated; None if they are not."""
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == name)
    extractor = next(named, None)
    options = extractor.aggregation_config if extractor is not None else None
    return options if options is not None and options.min_cluster_size >= SMALLEST_CLUSTER else None


def learner_of(name: str, agent_version: str = "") -> str:
    """Return the name of the aggregation of some playbooks: its bookmark's and, without a version, its calls'."""
    return cut_key(f"aggregation:{name}:{agent_version}" if agent_version else f"aggregation:{name}")


async def note_new_playbooks(
    transaction: Transaction, config: TenantConfig, names_and_versions: Collection[tuple[str, str]]
) -> None:
    """
    Let the tenant's own work be looked at, as user playbooks were written in this transaction.

    Args:
        transaction: the one that writes them.
        config: the tenant's; where it aggregates none of them, nothing is done.
        names_and_versions: name and agent version of what was written.
    """
    if any(aggregation_of(config, name) is not None for name, _ in names_and_versions):
        await transaction.cursors.ensure_due(TENANT_SCOPE)


async def note_swapped_playbooks(
    transaction: Transaction, config: TenantConfig, swapped: VersionFilter
) -> None:
    """
    Let aggregation look at everything again, as other user playbooks became the current ones in this transaction.

    After an upgrade or a downgrade it is not their numbers that say which are new. Clusters that did not change cost
    nothing.
    """
    if swapped.kind is not MemoryKind.USER_PLAYBOOK:
        return
    names = [
        (name, version)
        for name, version in await transaction.clusters.newest_candidates()
        if (not swapped.names or name in swapped.names)
        and (not swapped.agent_versions or version in swapped.agent_versions)
    ]
    for name, version in names:
        read = await transaction.cursors.get(TENANT_SCOPE, learner_of(name, version))
        if read.seq:
            await transaction.cursors.save(read.model_copy(update={"seq": 0, "attempts": 0}), read=read)
    await note_new_playbooks(transaction, config, names)


async def due_names(snapshot: Transaction, config: TenantConfig) -> list[tuple[str, str]]:
    """Return name and agent version of the playbooks of which enough are new to be aggregated, in order."""
    found: list[tuple[str, str]] = []
    cursors = await snapshot.cursors.of_user(TENANT_SCOPE)
    for (name, version), newest in sorted((await snapshot.clusters.newest_candidates()).items()):
        options = aggregation_of(config, name)
        cursor = cursors.get(learner_of(name, version))
        seen = 0 if cursor is None else cursor.seq
        if options is None or newest <= seen:
            continue
        new = await snapshot.clusters.count_candidates(name, version, after=seen)
        if new >= options.reaggregation_trigger_count:
            found.append((name, version))
    return found


def bookmark(before: Cursor, newest: MemoryId | None, *, error: str) -> Cursor:
    """
    Return how far a run got.

    Args:
        before: how far the one before got.
        newest: the newest playbook that it saw; None if there was none.
        error: why it left some clusters as they were; empty if it did not. Then it is due again by itself, a few
            times; after these they wait until something new is taught.
    """
    attempts = before.attempts + 1 if error else 0
    waits = bool(error) and attempts < _TRIES
    return before.model_copy(
        update={
            "seq": before.seq if waits else max(before.seq, newest or 0),
            "attempts": attempts if waits else 0,
            "outcome": Outcome.FAILED if error else Outcome.LEARNED,
            "error": error,
        }
    )
