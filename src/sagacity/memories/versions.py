"""Versions: put PENDING memories in force, and undo that."""

from collections.abc import Sequence
from dataclasses import dataclass

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.operation import GENERATED, OperationStatus
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.learning.distil.agent_playbooks.trigger import note_swapped_playbooks
from sagacity.memories.acting import Acting
from sagacity.memories.names import check_names
from sagacity.storage.transaction import Transaction

_RERUNS = {
    MemoryKind.PROFILE: "POST /api/rerun_profile_generation, or `sagacity profiles regenerate`",
    MemoryKind.USER_PLAYBOOK: "POST /api/rerun_playbook_generation, or `sagacity user-playbooks regenerate`",
}


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """Selects the memories of a kind whose version changes; a field that is empty or None selects all."""

    kind: MemoryKind
    user_id: UserId | None = None
    uids: Sequence[str] = ()
    ids: Sequence[int] = ()
    names: tuple[str, ...] = ()
    agent_version: str | None = None
    only_affected_users: bool = False


async def upgrade(acting: Acting, choice: VersionChoice, *, archive_current: bool = True) -> Upgraded:
    """
    Put the chosen PENDING memories in force: all of them, or none.

    Args:
        acting: on whose behalf.
        choice: what of it.
        archive_current: whether what is CURRENT makes room; else both are CURRENT.

    Raises:
        InvalidInput: a name is not known.
        NotFound: a memory that is named one by one does not exist, or is another user's.
        Conflict: what is to change is being generated.
        Forbidden: the caller acts for one user.
    """
    config = await _checked(acting, choice)

    async def swap() -> Upgraded:
        async with acting.begin(shows_held=True) as transaction:
            wanted = await _wanted(transaction, choice)
            await _refuse_while_generating(transaction, wanted)
            moved = await transaction.versions.upgrade(wanted, archive_current=archive_current)
            if not moved.is_empty:
                await note_swapped_playbooks(transaction, config, wanted)
            return moved

    moved = await acting.parts.storage.retry(swap)
    acting.parts.dispatcher.poll_now()  # turns that came since are learned into what is current now
    return moved


async def downgrade(acting: Acting, choice: VersionChoice) -> Downgraded:
    """
    Restore what the last upgrade archived: all of it, or nothing.

    Raises:
        as `upgrade`.
    """
    config = await _checked(acting, choice)

    async def swap() -> Downgraded:
        async with acting.begin(shows_held=True) as transaction:
            wanted = await _wanted(transaction, choice)
            await _refuse_while_generating(transaction, wanted)
            moved = await transaction.versions.downgrade(wanted)
            if not moved.is_empty:
                await note_swapped_playbooks(transaction, config, wanted)
            return moved

    moved = await acting.parts.storage.retry(swap)
    acting.parts.dispatcher.poll_now()
    return moved


def nothing_pending(kind: MemoryKind) -> str:
    """Return the message that there is no PENDING version, and how to get one."""
    return f"no {_what(kind)} is pending here; make some first ({_RERUNS[kind]})"


def nothing_archived(kind: MemoryKind) -> str:
    """Return the message that there is nothing to downgrade to."""
    return f"no {_what(kind)} was archived by an upgrade here, so there is nothing to go back to"


async def _checked(acting: Acting, choice: VersionChoice) -> TenantConfig:
    acting.require_whole_tenant()
    await check_names(acting, choice.kind, choice.names, agent_version=choice.agent_version)
    return await acting.config()


async def _wanted(transaction: Transaction, choice: VersionChoice) -> VersionFilter:
    """
    Return the choice, with the users of the memories that it names.

    Raises:
        NotFound: one of the named does not exist, or is another user's.
    """
    named = await _named(transaction, choice)
    foreign = [one for one in named if choice.user_id not in (None, one.user_id)]
    if foreign:
        raise NotFound(f"{_id_of(foreign[0])} is not one of user {choice.user_id!r}")
    users = [choice.user_id] if choice.user_id else [one.user_id for one in named if one.user_id]
    return VersionFilter(
        kind=choice.kind,
        user_ids=tuple(dict.fromkeys(users)),
        memory_ids=tuple(one.memory_id for one in named),
        names=choice.names,
        agent_versions=() if choice.agent_version is None else (choice.agent_version,),
        only_affected_users=choice.only_affected_users,
    )


async def _named(transaction: Transaction, choice: VersionChoice) -> Sequence[Memory]:
    """Return the memories that the choice names; NotFound if one does not exist."""
    by_uid = await transaction.memories.find_uids(choice.uids)
    by_number = await transaction.memories.get_many(choice.ids, kind=choice.kind)
    numbers = {one.memory_id for one in by_number}
    missing: list[str | int] = [
        uid for uid in choice.uids if uid not in by_uid or by_uid[uid].kind is not choice.kind
    ]
    missing += sorted(set(choice.ids) - numbers)
    if missing:
        more = f" and {len(missing) - 1} more of those asked for" if len(missing) > 1 else ""
        raise NotFound(f"no {_what(choice.kind)} with id {missing[0]!r}{more}")
    return [*by_uid.values(), *by_number]


async def _refuse_while_generating(transaction: Transaction, wanted: VersionFilter) -> None:
    """
    Make sure that no operation writes the memories that are to change.

    Raises:
        Conflict: an operation does, or will.
    """
    [name] = (name for name, kind in GENERATED.items() if kind is wanted.kind)
    running = await transaction.operations.list_newest(
        name=name, statuses=[OperationStatus.IN_PROGRESS], limit=1
    )
    if not running:
        return
    [operation] = running
    for user_id in wanted.user_ids:
        waiting = await transaction.operations.waiting_for(user_id)
        if any(one.operation_id == operation.operation_id for one, _ in waiting):
            break
    else:
        if wanted.user_ids:
            return
    raise Conflict(
        f"{name} is running, as operation {operation.operation_id!r}; wait for its end, or cancel it "
        f"(POST /api/cancel_operation, or `sagacity operations cancel {operation.operation_id}`)"
    )


def _what(kind: MemoryKind) -> str:
    return str(kind).replace("_", " ")


def _id_of(memory: Memory) -> str:
    return f"{_what(memory.kind)} {KINDS[memory.kind].wire_id(memory)!r}"
