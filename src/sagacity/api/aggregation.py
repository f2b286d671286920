"""Aggregate user playbooks into agent playbooks now."""

from sagacity.api.dependencies import Runs
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.runs import Waits, wait_seconds
from sagacity.api.sdk import sdk
from sagacity.domain.operation import OperationName
from sagacity.domain.views.operation import operation_view
from sagacity.memories.operations import distil
from sagacity.schemas.aggregation import (
    PlaybookAggregationReply,
    RunPlaybookAggregationBody,
)

router = resource("agent playbooks")


@router.post(
    "/run_playbook_aggregation",
    response_model_exclude_none=True,
    openapi_extra=sdk(
        positional=("playbook_name", "agent_version"), follows=True, defaults={"wait_for_response": True}
    ),
)
@limited(Rate.RUN)
async def run_playbook_aggregation(
    body: RunPlaybookAggregationBody, caller: Runs, *, wait_for_response: Waits = None
) -> PlaybookAggregationReply:
    """
    Aggregate all users' user playbooks of one name and agent version again, and return the result.

    Approved and rejected agent playbooks stay as they are; new ones wait for approval. If the run takes longer than the
    call may, the reply says so and the run continues. While one runs, a second start is refused with 409.
    """
    operation = await distil(
        caller.acting,
        OperationName.PLAYBOOK_AGGREGATION,
        playbook_name=body.playbook_name,
        agent_version=body.agent_version,
        to_run=True,
        wait_seconds=wait_seconds(caller, wait=wait_for_response),
    )
    return PlaybookAggregationReply.of(operation_view(operation))
