"""Dead letters: list them, and replay them."""

from typing import Annotated

from fastapi import Path, Query

from sagacity.api.dependencies import Runs
from sagacity.api.parameters import MaxRows
from sagacity.api.route import resource
from sagacity.domain.amounts import counted
from sagacity.domain.cursor import DeadLetterStatus
from sagacity.domain.ids import MAX_INT, UserId
from sagacity.domain.tenant import DueScope
from sagacity.schemas.base import Id
from sagacity.schemas.dead_letters import DeadLettersPage, Replayed

router = resource("dead letters")


@router.get("/dead_letters", response_model_exclude_none=True, operation_id="list_dead_letters")
async def get_dead_letters(
    caller: Runs,
    status: Annotated[
        DeadLetterStatus | None, Query(description="Only windows in this state. Default: any state.")
    ] = None,
    user_id: Annotated[Id | None, Query(description="Only windows of this user. Default: all users.")] = None,
    limit: MaxRows = 100,
) -> DeadLettersPage:
    """Return windows that a learner gave up on, with the last error, newest first."""
    async with caller.read(user_id=user_id) as snapshot:
        found = await snapshot.dead_letters.list_newest(
            user_id=None if user_id is None else UserId(user_id),
            statuses=() if status is None else (status,),
            limit=limit,
        )
    return DeadLettersPage(dead_letters=tuple(found), msg=counted(len(found), "dead letter"))


@router.post("/dead_letters/{dead_letter_id}/replay")
async def replay_dead_letter(
    dead_letter_id: Annotated[
        int, Path(gt=0, le=MAX_INT, description="The window's number, as `GET /api/dead_letters` lists it.")
    ],
    caller: Runs,
) -> Replayed:
    """Queue one window to be read again now."""
    async with caller.begin() as transaction:
        letter = await transaction.dead_letters.replay(dead_letter_id)
    caller.runtime.dispatcher.wake(DueScope(tenant=caller.tenant, user_id=letter.user_id))
    return Replayed(message=f"queued dead letter {dead_letter_id}", dead_letter=letter)
