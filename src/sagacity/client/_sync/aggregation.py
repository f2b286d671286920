# Generated from _async by scripts/unasync; edit it there.
"""User playbooks of all users become agent playbooks, now."""

from collections.abc import Callable

from sagacity.client._sync.connection import Connection
from sagacity.client._sync.operations import wait_for_operation
from sagacity.client.wire import checked
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.aggregation import (
    PlaybookAggregationReply,
    RunPlaybookAggregationBody,
    aggregation_reply,
)

OnProgress = Callable[[OperationView], None]


def run_playbook_aggregation(
    connection: Connection,
    playbook_name: str,
    agent_version: str | None = None,
    *,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> PlaybookAggregationReply:
    """
    Aggregate the user playbooks of one name and agent version anew, those of all users.

    Args:
        connection: to the server.
        playbook_name: their name, which is that of their extractor.
        agent_version: for which version of the agent; without it the server's default one.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.

    Raises:
        InvalidInput: there is no playbook extractor of that name.
        Conflict: an aggregation is running already.
        WaitedTooLong: it has not ended in time; it goes on.
    """
    fields = {"playbook_name": playbook_name, "agent_version": agent_version}
    body = checked(RunPlaybookAggregationBody, fields)
    started = connection.send(
        "POST",
        "/api/run_playbook_aggregation?wait_for_response=false",
        PlaybookAggregationReply,
        body=body,
    )
    if not wait_for_response:
        return started
    ended = wait_for_operation(
        connection, started.operation_id, timeout_seconds=timeout_seconds, on_progress=on_progress
    )
    return aggregation_reply(ended)
