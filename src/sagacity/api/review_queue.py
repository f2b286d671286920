"""The review queue: memories to look at, the reviewer's decisions, and undoing them."""

from sagacity.api.dependencies import Reads, Writes
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.memory import MemoryKind
from sagacity.domain.review_queue import ReviewStep
from sagacity.domain.views.memory import memory_view
from sagacity.memories.review_actions import Review, Reviewed, review_memory, undo_review
from sagacity.memories.review_queue import review_log, review_queue, whose_reviews
from sagacity.schemas.review_queue import (
    GetMemoryReviewActionsBody,
    GetMemoryReviewBody,
    MemoryReviewActionsPage,
    MemoryReviewPage,
    ReviewedMemory,
    ReviewMemoryBody,
    UndoMemoryReviewBody,
    action_view,
    candidate_view,
)

router = resource("memory review")
_COMPARING = "memories are still compared with each other, so duplicates may be missing: ask again later"
_DONE = {
    ReviewStep.KEEP: "kept",
    ReviewStep.ARCHIVE: "archived",
    ReviewStep.SUPERSEDE: "superseded",
    ReviewStep.MERGE: "merged",
}


@router.post("/get_memory_review", openapi_extra=sdk(positional=(), repeatable=True))
async def get_memory_review(body: GetMemoryReviewBody, caller: Reads) -> MemoryReviewPage:
    """
    Return memories that a person should review, the highest score first. None is archived by itself.

    A memory is a candidate if it is `stale`, a `duplicate`, `supersedeable`, surfaced often and rarely cited
    (`high_cost_low_cite`), or if sessions that are shown it go better or worse than those that are drawn to go without
    (`helps`, `harms`). Archived memories are left out, and those that were kept until later.
    """
    user_id = whose_reviews(
        caller.acting, body.user_id, include_all_users=body.include_all_users, kinds=body.kinds
    )
    found = await review_queue(caller.acting, body.to_query(user_id), limit=body.limit, offset=body.offset)
    text = counted(len(found.candidates), "candidate")
    return MemoryReviewPage(
        candidates=tuple(map(candidate_view, found.candidates)),
        has_more=found.has_more,
        msg=f"{text}; {_COMPARING}" if found.is_comparing else text,
    )


@router.post(
    "/review_memory",
    response_model_exclude_none=True,
    operation_id="review_memory",
    openapi_extra=sdk(positional=("entity_id", "action")),
)
@limited(Rate.WRITE)
async def decide_on_memory(body: ReviewMemoryBody, caller: Writes) -> ReviewedMemory:
    """
    Keep, archive, supersede or merge a memory. Who did it and when is recorded, and it can be undone.

    The reply is 409 if the memory is not current, or if the other one is not in force.
    """
    review = Review(
        memory=str(body.entity_id),
        kind=body.entity_type,
        step=body.action,
        other=None if body.other_id is None else str(body.other_id),
        other_kind=body.other_type,
        content=body.content,
        keep_days=body.keep_days,
        reason=body.reason,
    )
    done = await review_memory(caller.acting, review)
    return _reply(done, f"{_called(done)} is {_DONE[body.action]}")


@router.post(
    "/undo_memory_review",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=()),
)
@limited(Rate.WRITE)
async def undo_memory_review(body: UndoMemoryReviewBody, caller: Writes) -> ReviewedMemory:
    """
    Undo one review action: the memory is current and may be in the queue again.

    The memory that it was merged into gets its former text back, unless it was changed since. The reply is 409 if the
    action was undone already, or the memory was changed since.
    """
    done = await undo_review(
        caller.acting,
        action_id=body.action_id,
        memory="" if body.entity_id is None else str(body.entity_id),
        kind=body.entity_type if body.action_id is None else None,
    )
    return _reply(done, f"undone: {_called(done)} is no longer {_DONE[done.action.step]}")


@router.post(
    "/get_memory_review_actions",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=(), repeatable=True),
)
async def get_memory_review_actions(
    body: GetMemoryReviewActionsBody, caller: Reads
) -> MemoryReviewActionsPage:
    """Return what people decided in the review, newest first: who, when, and whether it was undone."""
    user_id = whose_reviews(caller.acting, body.user_id, include_all_users=body.include_all_users)
    found = await review_log(caller.acting, user_id, before=body.before, limit=body.limit)
    return MemoryReviewActionsPage(actions=tuple(map(action_view, found)), msg=counted(len(found), "action"))


def _called(done: Reviewed) -> str:
    kind: MemoryKind = done.action.kind
    return f"{kind.replace('_', ' ')} {done.action.memory_id}"


def _reply(done: Reviewed, text: str) -> ReviewedMemory:
    return ReviewedMemory(
        message=text, msg=text, action=action_view(done.action), memory=memory_view(done.memory)
    )
