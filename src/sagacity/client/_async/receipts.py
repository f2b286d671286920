# Generated from the API's description by scripts/sdk; change it there.
"""What became of one publish."""

from urllib.parse import quote

from sagacity.client._async.connection import AsyncConnection
from sagacity.schemas.receipts import Receipt


async def get_receipt(connection: AsyncConnection, request_id: str) -> Receipt:
    """
    Say what became of one publish.

    It is `accepted` when stored and found by its words, `indexed` when found by meaning too, `learned` when every
    learner has read it, and `failed` when a learner or the embedder gave up or waits to try again.
    """
    return await connection.get(f"/api/receipts/{quote(str(request_id), safe='')}", Receipt)
