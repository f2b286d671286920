"""User playbooks of all users become agent playbooks, now."""

from fastapi import APIRouter

from sagacity.api.dependencies import Runs
from sagacity.api.rates import Rate, limited
from sagacity.api.route import Route
from sagacity.api.runs import Waits, run_for_tenant
from sagacity.api.sdk import sdk
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.views.operation import operation_view
from sagacity.memories.names import check_names
from sagacity.schemas.aggregation import (
    PlaybookAggregationReply,
    RunPlaybookAggregationBody,
)

router = APIRouter(tags=["agent playbooks"], route_class=Route)


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
    await check_names(
        caller.acting,
        MemoryKind.USER_PLAYBOOK,
        [body.playbook_name],
        agent_version=body.agent_version,
        to_run=True,
    )
    parameters = OperationParameters(agent_version=body.agent_version, extractor_names=(body.playbook_name,))
    operation = await run_for_tenant(
        caller,
        OperationName.PLAYBOOK_AGGREGATION,
        parameters,
        patient=bool(wait_for_response),
        wait=wait_for_response is not False,
    )
    return PlaybookAggregationReply.of(operation_view(operation))
