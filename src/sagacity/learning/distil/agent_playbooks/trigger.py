"""When aggregation starts automatically: by the number of new user playbooks since the last run."""

from collections.abc import Collection, Iterable

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.distillation import BEFORE_ALL, Distillation
from sagacity.domain.ids import ORGANISATION, MemoryId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.version import VersionFilter
from sagacity.learning.distil.agent_playbooks.plan import same_wording
from sagacity.storage.transaction import Transaction

LEARNER = "aggregation"
SMALLEST_CLUSTER = 2
"""Minimum number of users whose playbooks can become a rule for others."""
_TRIES = 5


def aggregation_of(config: TenantConfig, name: str) -> PlaybookAggregatorConfig | None:
    """Return how playbooks of a name are aggregated; None if they are not."""
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == name)
    extractor = next(named, None)
    options = extractor.aggregation_config if extractor is not None else None
    return options if options is not None and options.min_cluster_size >= SMALLEST_CLUSTER else None


def is_news(before: Memory | None, after: Memory) -> bool:
    """Whether a change to *after* is new for aggregation: an added or reworded playbook."""
    if after.kind is not MemoryKind.USER_PLAYBOOK or after.status is not Status.CURRENT:
        return False
    if before is None or before.status is not Status.CURRENT:
        return True
    return not same_wording(before, after) or _name_of(before) != _name_of(after)


def _is_lost(before: Memory, after: Memory) -> bool:
    """Whether a change to *after* removes a current playbook of a name and agent version."""
    if before.kind is not MemoryKind.USER_PLAYBOOK or before.status is not Status.CURRENT:
        return False
    return after.status is not Status.CURRENT or _name_of(before) != _name_of(after)


def _name_of(playbook: Memory) -> tuple[str, str]:
    return playbook.name, playbook.agent_version


async def note_changed_playbooks(
    transaction: Transaction, config: TenantConfig, changed: Iterable[tuple[Memory | None, Memory]]
) -> bool:
    """
    Make the tenant due if a person's changes in this transaction matter to aggregation.

    Args:
        transaction: the transaction that writes the changes.
        config: the tenant's configuration.
        changed: pairs of before (None if new) and after; other kinds are ignored.

    Returns:
        Whether the tenant was made due.
    """
    pairs = list(changed)
    news = [after for before, after in pairs if is_news(before, after)]
    lost = {_name_of(before) for before, after in pairs if before is not None and _is_lost(before, after)}
    return await note_playbooks(transaction, config, news, lost=lost)


async def note_playbooks(
    transaction: Transaction,
    config: TenantConfig,
    written: Iterable[Memory],
    *,
    lost: Collection[tuple[str, str]] = (),
) -> bool:
    """
    Make the tenant due if user playbooks were written or lost in this transaction.

    Playbooks that were written count as new. A run that ended meanwhile may have seen playbooks with higher numbers,
    but not these, so its recorded position is set back before them. If some were lost, it is set back to the beginning.

    Args:
        transaction: the transaction that writes the changes.
        config: the tenant's configuration; names that it does not aggregate are left out.
        written: the playbooks as they are now.
        lost: names and agent versions of which some were deleted, or are no longer current.

    Returns:
        Whether the tenant was made due.
    """
    first: dict[tuple[str, str], int] = {one: 0 for one in lost if aggregation_of(config, one[0]) is not None}
    for one in written:
        if aggregation_of(config, one.name) is not None:
            first[_name_of(one)] = min(first.get(_name_of(one), one.memory_id), one.memory_id)
    if not first:
        return False
    await transaction.cursors.ensure_due(ORGANISATION)
    for (name, version), number in sorted(first.items()):
        seen = await transaction.distillations.lock(LEARNER, name, version)
        if seen.last_read >= number:
            before_it = seen.model_copy(update={"last_read": number - 1, "attempts": 0})
            await transaction.distillations.save(before_it)
    return True


async def note_swapped_playbooks(
    transaction: Transaction, config: TenantConfig, swapped: VersionFilter
) -> None:
    """
    Make aggregation read everything again, because a swap of versions made other user playbooks current.

    After an upgrade or a downgrade, numbers do not tell which playbooks are new, and some names may have none left.
    Clusters that did not change cost nothing.
    """
    if swapped.kind is not MemoryKind.USER_PLAYBOOK:
        return
    names = [
        (name, version)
        for name, version in await _names(transaction)
        if (not swapped.names or name in swapped.names)
        and (not swapped.agent_versions or version in swapped.agent_versions)
    ]
    if any(aggregation_of(config, name) is not None for name, _ in names):
        await transaction.cursors.ensure_due(ORGANISATION)
    for name, version in sorted(names):
        read = await transaction.distillations.lock(LEARNER, name, version)
        again = read.model_copy(update={"last_read": BEFORE_ALL, "attempts": 0})
        await transaction.distillations.save(again)


async def due_names(snapshot: Transaction, config: TenantConfig) -> list[tuple[str, str]]:
    """
    Return name and agent version of the playbooks that are due to be aggregated, in order.

    They are due if enough are new, or if clusters may rest on deleted ones.
    """
    found: list[tuple[str, str]] = []
    names = {one.extractor_name for one in config.user_playbook_extractor_configs}
    if not any(aggregation_of(config, name) is not None for name in names):
        return found  # the rest would read every playbook
    newest = await snapshot.clusters.newest_candidates()
    clustered = await snapshot.clusters.names(LEARNER)
    known = sorted(newest.keys() | clustered)
    distilled = await snapshot.distillations.of(LEARNER, known)
    for name, version in known:
        options = aggregation_of(config, name)
        if options is None:
            continue
        seen = distilled[name, version].last_read
        is_due = seen == BEFORE_ALL and (name, version) in clustered
        if not is_due and newest.get((name, version), 0) > seen:
            new = await snapshot.clusters.count_candidates(name, version, after=seen)
            is_due = new >= options.reaggregation_trigger_count
        if is_due:
            found.append((name, version))
    return found


async def put_off(transaction: Transaction, name: str, agent_version: str) -> None:
    """After a cancelled run, wait for enough new playbooks before the next run starts automatically."""
    newest = (await transaction.clusters.newest_candidates()).get((name, agent_version))
    before = await transaction.distillations.lock(LEARNER, name, agent_version)
    reached = max(before.last_read, newest or 0)
    await transaction.distillations.save(before.model_copy(update={"last_read": reached}))


async def _names(transaction: Transaction) -> set[tuple[str, str]]:
    """Return names and agent versions that have current user playbooks, or clusters of former ones."""
    return {*await transaction.clusters.newest_candidates(), *await transaction.clusters.names(LEARNER)}


def advanced(before: Distillation, newest: MemoryId | None, *, is_stale: bool, error: str) -> Distillation:
    """
    Return how far a run got, for the next one.

    Args:
        before: how far the previous run got.
        newest: the newest playbook up to which the run saw all; None if there was none.
        is_stale: whether some playbooks that it saw were deleted when it ended.
        error: why some clusters were not processed; empty if all were. They are then tried again a few times, and after
            that wait until something new is taught.
    """
    attempts = before.attempts + 1 if error else 0
    waits = bool(error) and attempts < _TRIES
    reached = BEFORE_ALL if is_stale else max(before.last_read, newest or 0)
    return before.model_copy(
        update={
            "last_read": before.last_read if waits else reached,
            "attempts": attempts if waits else 0,
            "error": error,
        }
    )
