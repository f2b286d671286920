# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""The state of one publish."""

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import segment
from sagacity.domain.views.receipt import Receipt


def get_receipt(connection: Connection, request_id: str) -> Receipt:
    """
    Return the state of one publish.

    It is `accepted` when stored and searchable by words, `indexed` when searchable by meaning, too, `learned`
    when every learner has read it, and `failed` when a learner or the embedder gave up or waits for a retry.

    Args:
        connection: to the server.
        request_id: the `request_id` of the publish.
    """
    return connection.get(f"/api/receipts/{segment(request_id)}", Receipt)
