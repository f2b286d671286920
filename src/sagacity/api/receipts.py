"""The receipt of one publish: stored, searchable, learned from."""

from typing import Annotated

from fastapi import Path, Query

from sagacity.api.dependencies import Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.ids import RequestId
from sagacity.domain.views.receipt import LearningStatusView, Receipt
from sagacity.memories.receipts import learning_of, receipt_of
from sagacity.schemas.base import ExactId, Id

router = resource("receipts")


@router.get("/receipts/{request_id}", response_model_exclude_none=True)
async def get_receipt(
    request_id: Annotated[ExactId, Path(description="The `request_id` of the publish.")],
    caller: Reads,
) -> Receipt:
    """
    Return the state of one publish.

    It is `accepted` when stored and searchable by words, `indexed` when searchable by meaning, too, `learned` when
    every learner has read it, and `failed` when a learner or the embedder gave up or waits for a retry.
    """
    return await receipt_of(caller.acting, RequestId(request_id))


@router.get("/learning_status", openapi_extra=sdk(generated=False), operation_id="get_learning_status")
@limited(Rate.SEARCH)
async def get_learning_status(
    request_id: Annotated[Id, Query(description="The `request_id` of the publish.")],
    caller: Reads,
) -> LearningStatusView:
    """
    Return whether the learners have read one publish; its receipt says more.

    It is `pending` while none has, `processing` while some have or one tries again, `done` when all have, and `failed`
    when one gave up.
    """
    return LearningStatusView(status=await learning_of(caller.acting, RequestId(request_id)))
