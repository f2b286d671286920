# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""The conversations that everything else is learned from."""

from collections.abc import Sequence
from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.schemas.interactions import (
    Deleted,
    DeletedMany,
    DeleteInteractionBody,
    DeleteRequestBody,
    DeleteRequestsByIdsBody,
    DeleteSessionBody,
    GetInteractionsBody,
    GetRequestsBody,
    InteractionsPage,
    RequestsPage,
    SessionDeleted,
)


def get_interactions(
    connection: Connection,
    user_id: str,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    top_k: int | None = None,
) -> InteractionsPage:
    """
    Return a user's turns, newest first.

    Args:
        connection: to the server.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        top_k: the largest number of results to return; by default 30.
    """
    body = checked(
        GetInteractionsBody,
        {"user_id": user_id, "start_time": start_time, "end_time": end_time, "top_k": top_k},
    )
    return connection.send("POST", "/api/get_interactions", InteractionsPage, body=body, repeatable=True)


def get_all_interactions(connection: Connection, limit: int = 100) -> InteractionsPage:
    """
    Return the turns of all users, newest first.

    Args:
        connection: to the server.
        limit: the largest number of results to return.
    """
    params = {"limit": limit}
    return connection.get("/api/get_all_interactions", InteractionsPage, params=params)


def get_requests(
    connection: Connection,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    request_id: str | None = None,
    session_id: str | None = None,
    top_k: int | None = None,
    offset: int | None = None,
) -> RequestsPage:
    """
    Return a page of requests with their turns, newest first, grouped by session.

    Args:
        connection: to the server.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_id: the user: the person who talks to the agent.
        request_id: the publish that it belongs to.
        session_id: the empty string selects requests without a session.
        top_k: the largest number of results to return; by default 30.
        offset: how many results to skip; by default 0.
    """
    body = checked(
        GetRequestsBody,
        {
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "request_id": request_id,
            "session_id": session_id,
            "top_k": top_k,
            "offset": offset,
        },
    )
    return connection.send("POST", "/api/get_requests", RequestsPage, body=body, repeatable=True)


def delete_interaction(connection: Connection, user_id: str, interaction_id: int) -> Deleted:
    """
    Delete one turn of one user.

    Args:
        connection: to the server.
        interaction_id: the turn's number.
    """
    body = checked(DeleteInteractionBody, {"user_id": user_id, "interaction_id": interaction_id})
    return connection.send("DELETE", "/api/delete_interaction", Deleted, body=body)


def delete_request(connection: Connection, request_id: str) -> Deleted:
    """Delete one request with its turns."""
    body = checked(DeleteRequestBody, {"request_id": request_id})
    return connection.send("DELETE", "/api/delete_request", Deleted, body=body)


def delete_session(connection: Connection, session_id: str) -> SessionDeleted:
    """Delete one session with its requests and turns."""
    body = checked(DeleteSessionBody, {"session_id": session_id})
    return connection.send("DELETE", "/api/delete_session", SessionDeleted, body=body)


def delete_requests_by_ids(connection: Connection, request_ids: Sequence[str]) -> DeletedMany:
    """
    Delete several requests with their turns; unknown ids are ignored.

    Args:
        connection: to the server.
        request_ids: the requests to delete.
    """
    body = checked(DeleteRequestsByIdsBody, {"request_ids": request_ids})
    return connection.send("DELETE", "/api/delete_requests_by_ids", DeletedMany, body=body)


def delete_all_interactions(connection: Connection) -> DeletedMany:
    """Delete all turns of all users; what was learned from them stays."""
    return connection.send("DELETE", "/api/delete_all_interactions", DeletedMany)
