# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Learning on demand: from all turns again, or from the newest."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client._sync.waiting import follow
from sagacity.client.wire import checked
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.generation import (
    ManualPlaybooksBody,
    ManualProfilesBody,
    PlaybooksGenerated,
    ProfilesGenerated,
    RerunPlaybooksBody,
    RerunProfilesBody,
)


def rerun_profile_generation(
    connection: Connection,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    source: str | None = None,
    extractor_names: Sequence[str] | None = None,
    wait_for_response: bool = False,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> ProfilesGenerated:
    """
    Learn profiles from all turns again, into PENDING; CURRENT ones stay as they are.

    Earlier PENDING ones of the same users are deleted. The call returns at once with the `operation_id`, unless
    it waits. While one runs, a second start is refused with 409.

    Args:
        connection: to the server.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_id: the user: the person who talks to the agent.
        source: a tag of requests that says where they come from; memories take it over.
        extractor_names: only these extractors; if missing or empty, all.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.
    """
    body = checked(
        RerunProfilesBody,
        {
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "source": source,
            "extractor_names": extractor_names,
        },
    )
    started = connection.send(
        "POST",
        "/api/rerun_profile_generation",
        ProfilesGenerated,
        params={"wait_for_response": False},
        body=body,
    )
    if not wait_for_response:
        return started
    return follow(connection, started, timeout_seconds=timeout_seconds, on_progress=on_progress)


def manual_profile_generation(
    connection: Connection,
    *,
    user_id: str | None = None,
    source: str | None = None,
    extractor_names: Sequence[str] | None = None,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> ProfilesGenerated:
    """
    Learn profiles from the newest window of each user's turns, into CURRENT, and return how many.

    Extractors with `manual_trigger` run, too. If the run takes longer than the call may, the reply says so and
    the run continues.

    Args:
        connection: to the server.
        user_id: the user: the person who talks to the agent.
        source: a tag of requests that says where they come from; memories take it over.
        extractor_names: only these extractors; if missing or empty, all.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.
    """
    body = checked(
        ManualProfilesBody, {"user_id": user_id, "source": source, "extractor_names": extractor_names}
    )
    started = connection.send(
        "POST",
        "/api/manual_profile_generation",
        ProfilesGenerated,
        params={"wait_for_response": False},
        body=body,
    )
    if not wait_for_response:
        return started
    return follow(connection, started, timeout_seconds=timeout_seconds, on_progress=on_progress)


def rerun_playbook_generation(
    connection: Connection,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    agent_version: str | None = None,
    user_id: str | None = None,
    source: str | None = None,
    playbook_name: str | None = None,
    wait_for_response: bool = False,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> PlaybooksGenerated:
    """
    Learn user playbooks from all turns with one agent version again, into PENDING; CURRENT ones stay as they are.

    Earlier PENDING ones that match the same filters are deleted. The call returns at once with the
    `operation_id`, unless it waits. While one runs, a second start is refused with 409.

    Args:
        connection: to the server.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        agent_version: which version of the agent it belongs to; by default agent-v0.
        user_id: the user: the person who talks to the agent.
        source: a tag of requests that says where they come from; memories take it over.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.
    """
    body = checked(
        RerunPlaybooksBody,
        {
            "start_time": start_time,
            "end_time": end_time,
            "agent_version": agent_version,
            "user_id": user_id,
            "source": source,
            "playbook_name": playbook_name,
        },
    )
    started = connection.send(
        "POST",
        "/api/rerun_playbook_generation",
        PlaybooksGenerated,
        params={"wait_for_response": False},
        body=body,
    )
    if not wait_for_response:
        return started
    return follow(connection, started, timeout_seconds=timeout_seconds, on_progress=on_progress)


def manual_playbook_generation(
    connection: Connection,
    *,
    agent_version: str | None = None,
    user_id: str | None = None,
    source: str | None = None,
    playbook_name: str | None = None,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> PlaybooksGenerated:
    """
    Learn user playbooks from the newest window of each user's turns with one agent version, into CURRENT.

    Returns how many. If the run takes longer than the call may, the reply says so and the run continues.

    Args:
        connection: to the server.
        agent_version: which version of the agent it belongs to; by default agent-v0.
        user_id: the user: the person who talks to the agent.
        source: a tag of requests that says where they come from; memories take it over.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.
    """
    body = checked(
        ManualPlaybooksBody,
        {
            "agent_version": agent_version,
            "user_id": user_id,
            "source": source,
            "playbook_name": playbook_name,
        },
    )
    started = connection.send(
        "POST",
        "/api/manual_playbook_generation",
        PlaybooksGenerated,
        params={"wait_for_response": False},
        body=body,
    )
    if not wait_for_response:
        return started
    return follow(connection, started, timeout_seconds=timeout_seconds, on_progress=on_progress)
