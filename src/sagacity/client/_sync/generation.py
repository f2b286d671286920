# Generated from _async by scripts/unasync; edit it there.
"""Learning that is started by hand: over whole logs into PENDING, or over their newest windows into CURRENT."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel

from sagacity.client._sync.connection import Connection
from sagacity.client._sync.operations import wait_for_operation
from sagacity.client.wire import checked
from sagacity.domain.operation import OperationStatus
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.generation import (
    ManualPlaybooksBody,
    ManualProfilesBody,
    PlaybooksGenerated,
    ProfilesGenerated,
    RerunPlaybooksBody,
    RerunProfilesBody,
    Started,
)

OnProgress = Callable[[OperationView], None]
R = TypeVar("R", bound=Started)


def rerun_profile_generation(
    connection: Connection,
    *,
    user_id: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    source: str | None = None,
    extractor_names: Sequence[str] | None = None,
    wait_for_response: bool = False,
    timeout_seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> ProfilesGenerated:
    """
    Learn profiles anew from all turns, into PENDING; those in use stay as they are.

    Args:
        connection: to the server.
        user_id: only this user's turns.
        start_time: only turns from then on.
        end_time: only turns until then.
        source: only turns that came from there.
        extractor_names: only these extractors.
        wait_for_response: return when it has ended, with `profiles_generated` and `operation_status`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.

    Raises:
        Conflict: one is running already.
        WaitedTooLong: it has not ended in time; it goes on.
    """
    fields = {
        "user_id": user_id,
        "start_time": start_time,
        "end_time": end_time,
        "source": source,
        "extractor_names": extractor_names,
    }
    body = checked(RerunProfilesBody, fields)
    started = _start(connection, "rerun_profile_generation", ProfilesGenerated, body)
    if not wait_for_response:
        return started
    return _end(connection, started, "profiles_generated", timeout_seconds, on_progress)


def manual_profile_generation(
    connection: Connection,
    *,
    user_id: str | None = None,
    source: str | None = None,
    extractor_names: Sequence[str] | None = None,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> ProfilesGenerated:
    """
    Learn profiles from the newest window of each user's turns, into CURRENT.

    Arguments and errors are those of `rerun_profile_generation`; it waits unless told otherwise.
    """
    fields = {"user_id": user_id, "source": source, "extractor_names": extractor_names}
    body = checked(ManualProfilesBody, fields)
    started = _start(connection, "manual_profile_generation", ProfilesGenerated, body)
    if not wait_for_response:
        return started
    return _end(connection, started, "profiles_generated", timeout_seconds, on_progress)


def rerun_playbook_generation(
    connection: Connection,
    *,
    agent_version: str | None = None,
    user_id: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    source: str | None = None,
    playbook_name: str | None = None,
    wait_for_response: bool = False,
    timeout_seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> PlaybooksGenerated:
    """
    Learn user playbooks anew from all turns with one agent version, into PENDING; those in use stay as they are.

    Args:
        connection: to the server.
        agent_version: with which the turns were; `agent-v0` by default.
        user_id: only this user's turns.
        start_time: only turns from then on.
        end_time: only turns until then.
        source: only turns that came from there.
        playbook_name: only this extractor.
        wait_for_response: return when it has ended, with `playbooks_generated` and `operation_status`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.

    Raises:
        Conflict: one is running already.
        WaitedTooLong: it has not ended in time; it goes on.
    """
    fields = {
        "agent_version": agent_version,
        "user_id": user_id,
        "start_time": start_time,
        "end_time": end_time,
        "source": source,
        "playbook_name": playbook_name,
    }
    body = checked(RerunPlaybooksBody, fields)
    started = _start(connection, "rerun_playbook_generation", PlaybooksGenerated, body)
    if not wait_for_response:
        return started
    return _end(connection, started, "playbooks_generated", timeout_seconds, on_progress)


def manual_playbook_generation(
    connection: Connection,
    *,
    agent_version: str | None = None,
    user_id: str | None = None,
    source: str | None = None,
    playbook_name: str | None = None,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> PlaybooksGenerated:
    """
    Learn user playbooks from the newest window of each user's turns, into CURRENT.

    Arguments and errors are those of `rerun_playbook_generation`; it waits unless told otherwise.
    """
    fields = {
        "agent_version": agent_version,
        "user_id": user_id,
        "source": source,
        "playbook_name": playbook_name,
    }
    body = checked(ManualPlaybooksBody, fields)
    started = _start(connection, "manual_playbook_generation", PlaybooksGenerated, body)
    if not wait_for_response:
        return started
    return _end(connection, started, "playbooks_generated", timeout_seconds, on_progress)


def _start(connection: Connection, name: str, reply: type[R], body: BaseModel) -> R:
    return connection.send("POST", f"/api/{name}?wait_for_response=false", reply, body=body)


def _end(
    connection: Connection,
    started: R,
    counted: str,
    timeout_seconds: float | None,
    on_progress: OnProgress | None,
) -> R:
    """Wait, and return the reply with the count under its field's name and how the run ended."""
    ended = wait_for_operation(
        connection, started.operation_id, timeout_seconds=timeout_seconds, on_progress=on_progress
    )
    done = ended.status is OperationStatus.COMPLETED
    told = f"{ended.stats.total_generated} generated" if done else ended.error_message or str(ended.status)
    update = {
        "success": done,
        "msg": told,
        counted: ended.stats.total_generated,
        "operation_status": ended,
    }
    return started.model_copy(update=update)
