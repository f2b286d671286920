"""Operations of an organisation: start, wait for, read and cancel them."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from sagacity.domain.amounts import counted
from sagacity.domain.errors import Conflict, InvalidInput, NotFound
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import (
    GENERATED,
    ItemStatus,
    Operation,
    OperationMode,
    OperationName,
    OperationParameters,
    OperationProgress,
)
from sagacity.domain.version import VersionFilter
from sagacity.memories.acting import Acting
from sagacity.memories.names import check_names
from sagacity.storage.transaction import Transaction

NAMED_USERS = 1_000
"""How many users of a run are named; all are counted."""
_NAMED_AGENTS = 10
_SHORTEST_SECONDS, _LONGEST_SECONDS = 0.05, 1.0
_BEGIN_WITHIN = timedelta(seconds=2)
"""A run that takes longer may have nobody working on it, and a person begins to wonder."""


async def generate(
    acting: Acting, name: OperationName, parameters: OperationParameters, *, wait_seconds: float
) -> Operation:
    """
    Learn profiles or user playbooks from published turns; a rerun discards the former PENDING ones.

    Args:
        acting: on whose behalf.
        name: a run that `GENERATED` names.
        parameters: of whom, from what and how.
        wait_seconds: how long it is looked at; 0 for not at all.

    Returns:
        The run as it stands; it goes on if it has not ended.

    Raises:
        InvalidInput: learning is switched off, a name is not known, or no turn is of the agent version.
        NotFound: nothing was ever published of the user.
        Conflict: one of that name is running.
        Forbidden: the caller acts for one user.
    """
    acting.require_whole_tenant()
    kind = GENERATED[name]
    await _check_switch(acting, kind)
    await check_names(
        acting, kind, parameters.extractor_names, agent_version=parameters.agent_version, to_run=True
    )
    user_id = parameters.user_id

    async def start() -> Operation:
        async with acting.begin() as transaction:
            if user_id is not None and not (await transaction.cursors.log_head(user_id)).end:
                raise NotFound(f"no turns of user {user_id!r} were ever published")
            await _check_agent(transaction, parameters)
            operation = await transaction.operations.start(name, parameters)
            if parameters.mode is OperationMode.RERUN:
                await transaction.versions.discard_pending(_version(kind, parameters))
        return operation

    return await watched(acting, start, wait_seconds)


async def _check_agent(transaction: Transaction, parameters: OperationParameters) -> None:
    """
    Refuse a run that would find no turn of its agent version.

    Raises:
        InvalidInput: there is none; the message names the versions that there are.
    """
    asked = parameters.agent_version
    if asked is None or await transaction.interactions.is_of_agent(asked, user_id=parameters.user_id):
        return
    there = [one for one in await transaction.versions.agents() if one != asked]
    if not there:
        return  # nothing was published at all
    whose = "" if parameters.user_id is None else f" of user {parameters.user_id!r}"
    others = ", ".join(map(repr, there[:_NAMED_AGENTS]))
    raise InvalidInput(
        f"agent_version: no turns{whose} were published with {asked!r}; there are turns of {others}"
    )


async def distil(
    acting: Acting,
    name: OperationName,
    *,
    playbook_name: str,
    agent_version: str,
    to_run: bool = False,
    wait_seconds: float,
) -> Operation:
    """
    Make agent playbooks or skills from the user playbooks of one name and agent version.

    Args:
        acting: on whose behalf.
        name: aggregation, or generation of skills.
        playbook_name: what the playbooks go by.
        agent_version: for which agent they hold.
        to_run: whether an extractor of that name has to be configured.
        wait_seconds: how long it is looked at; 0 for not at all.

    Returns:
        The run as it stands; it goes on if it has not ended.

    Raises:
        InvalidInput: a name is not known.
        Conflict: one of that name is running.
        Forbidden: the caller acts for one user.
    """
    acting.require_whole_tenant()
    await check_names(
        acting, MemoryKind.USER_PLAYBOOK, [playbook_name], agent_version=agent_version, to_run=to_run
    )
    parameters = OperationParameters(agent_version=agent_version, extractor_names=(playbook_name,))

    async def start() -> Operation:
        async with acting.begin() as transaction:
            return await transaction.operations.start(name, parameters)

    return await watched(acting, start, wait_seconds)


async def find_operation(
    acting: Acting, *, operation_id: str | None, name: OperationName
) -> tuple[Operation, OperationProgress] | None:
    """
    Return a run with its finished users; without an id the newest run of that *name*, or None if it never ran.

    Raises:
        NotFound: there is no run of that id.
    """
    async with acting.read() as snapshot:
        if operation_id is not None:
            found = await snapshot.operations.get(operation_id)
        else:
            found = await snapshot.operations.latest(name)
        if found is None:
            return None
        progress = await _progress(snapshot, found)
    return found, await _with_obstacle(acting, found, progress)


async def progress_of(acting: Acting, operation: Operation) -> OperationProgress:
    """Return the users that a run has finished, and what holds it up."""
    async with acting.read() as snapshot:
        progress = await _progress(snapshot, operation)
    return await _with_obstacle(acting, operation, progress)


async def _progress(snapshot: Transaction, operation: Operation) -> OperationProgress:
    number, operations = operation.operation_id, snapshot.operations
    done = await operations.items(number, statuses=[ItemStatus.DONE], limit=NAMED_USERS)
    failed = await operations.items(number, statuses=[ItemStatus.FAILED], limit=NAMED_USERS)
    return OperationProgress(
        current_user_id=await operations.current_user(number) if operation.goes_on else None,
        done=tuple(done),
        failed=tuple(failed),
        trouble=await operations.trouble(number) if operation.goes_on else "",
    )


async def _with_obstacle(
    acting: Acting, operation: Operation, progress: OperationProgress
) -> OperationProgress:
    """Add the reason why nobody works on a run that started a while ago, unless the run reports a problem itself."""
    is_new = acting.parts.clock.now() - operation.created_at < _BEGIN_WITHIN
    if progress.trouble or is_new or not operation.goes_on:
        return progress
    return progress.model_copy(update={"trouble": await acting.parts.dispatcher.obstacle()})


def progress_text(operation: Operation) -> str:
    """Return the state of a run in one line."""
    state = f"{operation.name} is {operation.status.replace('_', ' ')}"
    if operation.name is OperationName.USER_ERASURE:
        return (
            f"{state}: step {operation.step_count} of {operation.step_total}"
            if operation.step_total
            else state
        )
    if not operation.name.is_of_users:
        steps = f"{operation.step_count} of {counted(operation.step_total, 'cluster')}"
        return f"{state}: {steps} looked at" if operation.step_total else state
    parts = [
        f"{operation.processed_count} of {counted(operation.total_count, 'user')}",
        f"{counted(operation.turn_count, 'turn')} read",
        f"{operation.generated_count} generated",
    ]
    if operation.failed_count:
        parts.append(f"{counted(operation.failed_count, 'user')} failed")
    note = f"; {operation.result['note']}" if "note" in operation.result else ""
    return f"{state}: {', '.join(parts)}{note}"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The runs that were cancelled."""

    operations: tuple[Operation, ...]
    ended: Operation | None
    """If nothing was cancelled: the run that the caller named, which had already ended."""


async def cancel(acting: Acting, *, operation_id: str | None, name: OperationName | None) -> Cancelled:
    """
    Cancel one run, those of a name, or all that are running; what they wrote stays.

    Raises:
        NotFound: there is no run of that id.
        Conflict: it erases a user: part of what there was is gone.
        Forbidden: the caller acts for one user.
    """
    acting.require_whole_tenant()

    async def once() -> Cancelled:
        async with acting.begin() as transaction:
            if operation_id is not None:
                await _refuse_erasure(transaction, operation_id)
            stopped = await transaction.operations.cancel(operation_id=operation_id, name=name)
            ended = None
            if not stopped and operation_id is not None:
                ended = await transaction.operations.get(operation_id)
            elif not stopped and name is not None:
                ended = await transaction.operations.latest(name)
            return Cancelled(tuple(stopped), ended)

    done = await acting.parts.storage.retry(once)
    acting.parts.dispatcher.poll_now()
    return done


async def _refuse_erasure(transaction: Transaction, operation_id: str) -> None:
    """
    Make sure that a run to be cancelled is no erasure.

    Raises:
        Conflict: it does.
    """
    operation = await transaction.operations.get(operation_id)
    if operation.goes_on and operation.name is OperationName.USER_ERASURE:
        raise Conflict("an erasure cannot be cancelled: part of the user's data is gone already")


async def watched(
    acting: Acting, start: Callable[[], Awaitable[Operation]], wait_seconds: float
) -> Operation:
    """Start a run, and wait until it ends or the time is over."""
    deadline = time.monotonic() + wait_seconds
    operation = await acting.parts.storage.retry(start)
    acting.parts.dispatcher.poll_now()
    pause_seconds = _SHORTEST_SECONDS
    while operation.goes_on and time.monotonic() + pause_seconds < deadline:
        await asyncio.sleep(pause_seconds)
        pause_seconds = min(pause_seconds * 1.5, _LONGEST_SECONDS)
        async with acting.read() as snapshot:
            operation = await snapshot.operations.get(operation.operation_id)
    return operation


async def _check_switch(acting: Acting, kind: MemoryKind) -> None:
    """Make sure that there is something to run; InvalidInput if learning is switched off."""
    config = await acting.config()
    if kind is MemoryKind.PROFILE:
        switch, is_on = "profile_extraction_enabled", bool(config.profile_extractors(asked=True))
    else:
        switch, is_on = "user_playbook_extraction_enabled", bool(config.user_playbook_extractors(asked=True))
    if not is_on:
        raise InvalidInput(
            f"{switch} is false in the configuration, so nothing would be learned; set it to true first"
        )


def _version(kind: MemoryKind, parameters: OperationParameters) -> VersionFilter:
    """Return which PENDING memories a rerun replaces."""
    return VersionFilter(
        kind=kind,
        user_ids=() if parameters.user_id is None else (parameters.user_id,),
        names=parameters.extractor_names,
        agent_versions=() if parameters.agent_version is None else (parameters.agent_version,),
    )
