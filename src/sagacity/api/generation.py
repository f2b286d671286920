"""Start learning by hand: over whole logs into PENDING, or over the newest windows into CURRENT."""

from sagacity.api.dependencies import Caller, Runs
from sagacity.api.parameters import Waited
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.runs import Waits, wait_seconds
from sagacity.api.sdk import sdk
from sagacity.domain.ids import UserId
from sagacity.domain.operation import Operation, OperationMode, OperationName, OperationParameters
from sagacity.domain.views.operation import OperationView, goes_on, operation_view
from sagacity.memories.operations import generate, progress_of, progress_text
from sagacity.schemas.generation import (
    ManualPlaybooksBody,
    ManualProfilesBody,
    PlaybooksGenerated,
    ProfilesGenerated,
    RerunPlaybooksBody,
    RerunProfilesBody,
)

router = resource("generation")


@router.post("/rerun_profile_generation", response_model_exclude_none=True, openapi_extra=sdk(follows=True))
@limited(Rate.GENERATE)
async def rerun_profile_generation(
    body: RerunProfilesBody, caller: Runs, *, wait_for_response: Waited = False
) -> ProfilesGenerated:
    """
    Learn profiles from all turns again, into PENDING; CURRENT ones stay as they are.

    Earlier PENDING ones of the same users are deleted. The call returns at once with the `operation_id`, unless it
    waits. While one runs, a second start is refused with 409.
    """
    parameters = OperationParameters(
        user_id=_user(body.user_id),
        start=body.start_time,
        end=body.end_time,
        source=body.source,
        extractor_names=body.extractor_names,
    )
    return await _profiles(caller, parameters, wait=wait_for_response)


@router.post(
    "/manual_profile_generation",
    response_model_exclude_none=True,
    openapi_extra=sdk(follows=True, defaults={"wait_for_response": True}),
)
@limited(Rate.GENERATE)
async def manual_profile_generation(
    body: ManualProfilesBody, caller: Runs, *, wait_for_response: Waits = None
) -> ProfilesGenerated:
    """
    Learn profiles from the newest window of each user's turns, into CURRENT, and return how many.

    Extractors with `manual_trigger` run, too. If the run takes longer than the call may, the reply says so and the run
    continues.
    """
    parameters = OperationParameters(
        mode=OperationMode.MANUAL,
        user_id=_user(body.user_id),
        source=body.source,
        extractor_names=body.extractor_names,
    )
    return await _profiles(caller, parameters, wait=wait_for_response)


@router.post("/rerun_playbook_generation", response_model_exclude_none=True, openapi_extra=sdk(follows=True))
@limited(Rate.GENERATE)
async def rerun_playbook_generation(
    body: RerunPlaybooksBody, caller: Runs, *, wait_for_response: Waited = False
) -> PlaybooksGenerated:
    """
    Learn user playbooks from all turns with one agent version again, into PENDING; CURRENT ones stay as they are.

    Earlier PENDING ones that match the same filters are deleted. The call returns at once with the `operation_id`,
    unless it waits. While one runs, a second start is refused with 409.
    """
    parameters = OperationParameters(
        user_id=_user(body.user_id),
        start=body.start_time,
        end=body.end_time,
        source=body.source,
        agent_version=body.agent_version,
        extractor_names=() if body.playbook_name is None else (body.playbook_name,),
    )
    return await _playbooks(caller, parameters, wait=wait_for_response)


@router.post(
    "/manual_playbook_generation",
    response_model_exclude_none=True,
    openapi_extra=sdk(follows=True, defaults={"wait_for_response": True}),
)
@limited(Rate.GENERATE)
async def manual_playbook_generation(
    body: ManualPlaybooksBody, caller: Runs, *, wait_for_response: Waits = None
) -> PlaybooksGenerated:
    """
    Learn user playbooks from the newest window of each user's turns with one agent version, into CURRENT.

    Returns how many. If the run takes longer than the call may, the reply says so and the run continues.
    """
    parameters = OperationParameters(
        mode=OperationMode.MANUAL,
        user_id=_user(body.user_id),
        source=body.source,
        agent_version=body.agent_version,
        extractor_names=() if body.playbook_name is None else (body.playbook_name,),
    )
    return await _playbooks(caller, parameters, wait=wait_for_response)


def _user(user_id: str | None) -> UserId | None:
    return None if user_id is None else UserId(user_id)


async def _profiles(
    caller: Caller, parameters: OperationParameters, *, wait: bool | None
) -> ProfilesGenerated:
    operation, view = await _generated(caller, OperationName.PROFILE_GENERATION, parameters, wait=wait)
    return ProfilesGenerated(
        success=operation.status.is_successful,
        msg=_message(operation),
        operation_id=operation.operation_id,
        profiles_generated=None if operation.goes_on else operation.generated_count,
        operation_status=view,
    )


async def _playbooks(
    caller: Caller, parameters: OperationParameters, *, wait: bool | None
) -> PlaybooksGenerated:
    operation, view = await _generated(caller, OperationName.PLAYBOOK_GENERATION, parameters, wait=wait)
    return PlaybooksGenerated(
        success=operation.status.is_successful,
        msg=_message(operation),
        operation_id=operation.operation_id,
        playbooks_generated=None if operation.goes_on else operation.generated_count,
        operation_status=view,
    )


async def _generated(
    caller: Caller, name: OperationName, parameters: OperationParameters, *, wait: bool | None
) -> tuple[Operation, OperationView | None]:
    """Start a run and, if the call waits, return how far it got."""
    operation = await generate(caller.acting, name, parameters, wait_seconds=wait_seconds(caller, wait=wait))
    if wait is False:
        return operation, None
    return operation, operation_view(operation, await progress_of(caller.acting, operation))


def _message(operation: Operation) -> str:
    if not operation.goes_on:
        return progress_text(operation)
    return goes_on(operation.name, operation.operation_id)
