"""What became of one publish: stored, findable, learned."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Path

from sagacity.api.dependencies import Reads
from sagacity.api.route import Route
from sagacity.domain.cursor import Cursor, DeadLetter, DeadLetterStatus, Outcome
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import RequestId
from sagacity.domain.interaction import INTERACTION, Request
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.learning.windows.learners import learner_names
from sagacity.schemas.receipts import (
    IndexProgress,
    LearnerProgress,
    LearnerState,
    Receipt,
    ReceiptState,
    TaughtMemory,
    VectorProgress,
)

router = APIRouter(tags=["receipts"], route_class=Route)
_LETTERS = 10_000


@router.get("/receipts/{request_id}", response_model_exclude_none=True)
async def get_receipt(
    request_id: Annotated[
        str, Path(min_length=1, max_length=512, description="The `request_id` of the publish.")
    ],
    caller: Reads,
) -> Receipt:
    """
    Return the state of one publish.

    It is `accepted` when stored and searchable by words, `indexed` when searchable by meaning, too, `learned` when
    every learner has read it, and `failed` when a learner or the embedder gave up or waits for a retry.
    """
    if "\x00" in request_id:
        raise InvalidInput("text must not contain NUL characters")
    runtime = caller.runtime
    learners = learner_names(await runtime.configs.get(caller.tenant))
    note = await runtime.models.note(caller.tenant, await runtime.configs.get(caller.tenant))
    async with caller.read() as snapshot:
        request = await snapshot.interactions.get_request(RequestId(request_id))
        turns = (await snapshot.interactions.of_requests([request.request_id]))[request.request_id]
        done, failed, error = await snapshot.search.progress(
            INTERACTION, [turn.interaction_id for turn in turns]
        )
        cursors = await snapshot.cursors.of_user(request.user_id)
        letters = await snapshot.dead_letters.list_newest(user_id=request.user_id, limit=_LETTERS)
        taught = await snapshot.memories.taught_by(request.request_id)
    vector = VectorProgress(done=done, waiting=len(turns) - done - failed, failed=failed, error=error or None)
    progress = tuple(learner_progress(name, request, cursors, letters) for name in learners)
    return Receipt(
        request_id=request.request_id,
        user_id=request.user_id,
        session_id=request.session_id,
        accepted_at=request.created_at,
        interactions=len(turns),
        state=receipt_state(vector, progress),
        indexed=IndexProgress(vector=vector),
        learners=progress,
        memories=tuple(_taught(memory) for memory in taught),
        warnings=tuple(filter(None, (note,))),
    )


def learner_progress(
    learner: str, request: Request, cursors: Mapping[str, Cursor], letters: Sequence[DeadLetter]
) -> LearnerProgress:
    """
    Return how far *learner* has come with *request*.

    Args:
        learner: its name.
        request: the turns `first_seq..last_seq` of its user's log.
        cursors: how far each learner read that log, by its name.
        letters: the windows of that log that were given up, newest first.
    """
    cursor = cursors.get(learner)
    parked = [
        letter
        for letter in letters
        if letter.learner == learner
        and letter.first_seq <= request.last_seq
        and letter.last_seq >= request.first_seq
        and letter.status is not DeadLetterStatus.REPLAYED
    ]
    if parked:
        letter = parked[0]
        waits = letter.status is DeadLetterStatus.QUEUED
        return LearnerProgress(
            learner=learner,
            state=LearnerState.WAITING if waits else LearnerState.PARKED,
            outcome=None if cursor is None else cursor.outcome,
            error=letter.error,
            attempts=letter.attempts,
            dead_letter_id=letter.dead_letter_id,
        )
    if cursor is None:
        return LearnerProgress(learner=learner, state=LearnerState.WAITING)
    if cursor.seq >= request.last_seq:
        # What was parked and is no longer was replayed since, and learned.
        outcome = Outcome.LEARNED if cursor.outcome is Outcome.PARKED else cursor.outcome
        return LearnerProgress(learner=learner, state=LearnerState.LEARNED, outcome=outcome)
    failed = cursor.attempts > 0 and bool(cursor.error)
    return LearnerProgress(
        learner=learner,
        state=LearnerState.FAILED if failed else LearnerState.WAITING,
        outcome=cursor.outcome if failed else None,
        error=cursor.error if failed else None,
        attempts=cursor.attempts,
        next_try_at=cursor.next_try_at if failed else None,
    )


def receipt_state(vector: VectorProgress, learners: Sequence[LearnerProgress]) -> ReceiptState:
    """Return how far a publish has come as a whole: a failure anywhere counts first, then the slowest part."""
    states = {learner.state for learner in learners}
    if vector.failed or states & {LearnerState.FAILED, LearnerState.PARKED}:
        return ReceiptState.FAILED
    if vector.waiting:
        return ReceiptState.ACCEPTED
    return ReceiptState.LEARNED if states == {LearnerState.LEARNED} else ReceiptState.INDEXED


def _taught(memory: Memory) -> TaughtMemory:
    return TaughtMemory(
        memory_id=memory.memory_id,
        uid=memory.uid,
        profile_id=memory.uid if memory.kind is MemoryKind.PROFILE else None,
        user_playbook_id=memory.memory_id if memory.kind is MemoryKind.USER_PLAYBOOK else None,
        agent_playbook_id=memory.memory_id if memory.kind is MemoryKind.AGENT_PLAYBOOK else None,
        kind=memory.kind,
        content=memory.content,
    )
