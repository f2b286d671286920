"""What became of a publish: stored, findable, learned."""

import time
from collections.abc import Callable
from urllib.parse import quote

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.errors import WaitedTooLong
from sagacity.client.retry import async_pause
from sagacity.schemas.receipts import Receipt, ReceiptState

_SETTLED = frozenset({ReceiptState.LEARNED, ReceiptState.FAILED})
_SHORTEST_SECONDS, _LONGEST_SECONDS = 0.05, 1.0


async def get_receipt(connection: AsyncConnection, request_id: str) -> Receipt:
    """Return how far a publish has come."""
    return await connection.get(f"/api/receipts/{quote(request_id, safe='')}", Receipt)


async def wait_for_receipt(
    connection: AsyncConnection,
    request_id: str,
    *,
    timeout_seconds: float = 300,
    on_progress: Callable[[Receipt], None] | None = None,
) -> Receipt:
    """
    Wait until everything that learns has read a publish, or one of them failed at it.

    Args:
        connection: to the server.
        request_id: of the publish.
        timeout_seconds: how long to wait at most.
        on_progress: called with every receipt on the way, the last one too.

    Returns:
        The receipt in state LEARNED or FAILED; a failed learner tries again by itself.

    Raises:
        WaitedTooLong: neither has happened in time.
    """
    deadline = time.monotonic() + timeout_seconds
    wait = _SHORTEST_SECONDS
    while True:
        receipt = await get_receipt(connection, request_id)
        if on_progress is not None:
            on_progress(receipt)
        if receipt.state in _SETTLED:
            return receipt
        if time.monotonic() + wait > deadline:
            raise WaitedTooLong(f"request {request_id} is only {receipt.state} after {timeout_seconds:g} s")
        await async_pause(wait)
        wait = min(wait * 1.5, _LONGEST_SECONDS)
