# Generated from the API's description by scripts/sdk; change it there.
"""The state of one publish."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import segment
from sagacity.domain.views.receipt import Receipt


async def get_receipt(connection: AsyncConnection, request_id: str) -> Receipt:
    """
    Return the state of one publish.

    It is `accepted` when stored and searchable by words, `indexed` when searchable by meaning, too, `learned`
    when every learner has read it, and `failed` when a learner or the embedder gave up or waits for a retry.

    Args:
        connection: to the server.
        request_id: the `request_id` of the publish.
    """
    return await connection.get(f"/api/receipts/{segment(request_id)}", Receipt)
