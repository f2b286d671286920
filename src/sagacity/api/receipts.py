"""What became of one publish: stored, findable, learned."""

from typing import Annotated

from fastapi import APIRouter, Path

from sagacity.api.dependencies import Reads
from sagacity.api.route import Route
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import RequestId
from sagacity.domain.views.receipt import Receipt
from sagacity.memories.receipts import receipt_of

router = APIRouter(tags=["receipts"], route_class=Route)


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
    return await receipt_of(caller.acting, RequestId(request_id))
