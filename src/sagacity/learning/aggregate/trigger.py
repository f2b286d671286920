"""When playbooks are aggregated by themselves: how many have come since the last run."""

import json
from collections.abc import Iterable

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import Cursor, Outcome
from sagacity.domain.ids import MemoryId, whole_key
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.domain.version import VersionFilter
from sagacity.learning.aggregate.plan import same_wording
from sagacity.storage.transaction import Transaction

SMALLEST_CLUSTER = 2
_TRIES = 5


def aggregation_of(config: TenantConfig, name: str) -> PlaybookAggregatorConfig | None:
    """Return how playbooks of that name are aggregated; None if they are not."""
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == name)
    extractor = next(named, None)
    options = extractor.aggregation_config if extractor is not None else None
    return options if options is not None and options.min_cluster_size >= SMALLEST_CLUSTER else None


def learner_of(name: str) -> str:
    """Return the name of the aggregation of some playbooks, in the change log and the ledger."""
    return whole_key(f"aggregation:{name}")


def bookmark_of(name: str, agent_version: str) -> str:
    """Return the name of the bookmark of some playbooks' aggregation; no two share one."""
    return whole_key(f"aggregation:{json.dumps([name, agent_version], ensure_ascii=False)}")


def is_news(before: Memory | None, after: Memory) -> bool:
    """Whether a user playbook that became *after* is something new to aggregation: one more, or reworded."""
    if after.kind is not MemoryKind.USER_PLAYBOOK or after.status is not Status.CURRENT:
        return False
    if before is None or before.status is not Status.CURRENT:
        return True
    return not same_wording(before, after) or (before.name, before.agent_version) != (
        after.name,
        after.agent_version,
    )


async def note_new_playbooks(
    transaction: Transaction, config: TenantConfig, written: Iterable[Memory]
) -> bool:
    """
    Let the tenant's own work be looked at, as user playbooks were written in this transaction; they count as new.

    A run that ended meanwhile saw playbooks with higher numbers, and these not: its bookmark goes back before them.

    Args:
        transaction: the one that writes them.
        config: the tenant's; what it does not aggregate is left out.
        written: as they are now.

    Returns:
        Whether there is something to look at.
    """
    first: dict[tuple[str, str], MemoryId] = {}
    for one in written:
        if aggregation_of(config, one.name) is not None:
            key = (one.name, one.agent_version)
            first[key] = min(first.get(key, one.memory_id), one.memory_id)
    if not first:
        return False
    await transaction.cursors.ensure_due(TENANT_SCOPE)
    for (name, version), number in sorted(first.items()):
        seen = await transaction.cursors.hold(TENANT_SCOPE, bookmark_of(name, version))
        if seen.seq >= number:
            before_it = seen.model_copy(update={"seq": number - 1, "attempts": 0})
            await transaction.cursors.save(before_it, read=seen)
    return True


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
    if any(aggregation_of(config, name) is not None for name, _ in names):
        await transaction.cursors.ensure_due(TENANT_SCOPE)
    for name, version in sorted(names):
        read = await transaction.cursors.hold(TENANT_SCOPE, bookmark_of(name, version))
        await transaction.cursors.save(read.model_copy(update={"seq": 0, "attempts": 0}), read=read)


async def due_names(snapshot: Transaction, config: TenantConfig) -> list[tuple[str, str]]:
    """Return name and agent version of the playbooks of which enough are new to be aggregated, in order."""
    found: list[tuple[str, str]] = []
    cursors = await snapshot.cursors.of_user(TENANT_SCOPE)
    for (name, version), newest in sorted((await snapshot.clusters.newest_candidates()).items()):
        options = aggregation_of(config, name)
        cursor = cursors.get(bookmark_of(name, version))
        seen = 0 if cursor is None else cursor.seq
        if options is None or newest <= seen:
            continue
        new = await snapshot.clusters.count_candidates(name, version, after=seen)
        if new >= options.reaggregation_trigger_count:
            found.append((name, version))
    return found


async def put_off(transaction: Transaction, name: str, agent_version: str) -> None:
    """Let a run that was stopped by hand not begin again by itself before enough more is taught."""
    newest = (await transaction.clusters.newest_candidates()).get((name, agent_version))
    before = await transaction.cursors.hold(TENANT_SCOPE, bookmark_of(name, agent_version))
    if newest is not None:
        await transaction.cursors.save(before.model_copy(update={"seq": max(before.seq, newest)}))


def bookmark(before: Cursor, newest: MemoryId | None, *, error: str) -> Cursor:
    """
    Return how far a run got.

    Args:
        before: how far the one before got.
        newest: the newest playbook up to which it saw all; None if there was none.
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
