# Generated from _async by scripts/unasync; edit it there.
"""Publishing what happened, and reading or deleting it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.domain.ids import TimeOrderedIds
from sagacity.schemas.interactions import (
    Deleted,
    DeletedMany,
    DeleteInteractionBody,
    DeleteRequestBody,
    DeleteRequestsByIdsBody,
    DeleteSessionBody,
    GetInteractionsBody,
    GetRequestsBody,
    InteractionData,
    InteractionsPage,
    PublishBody,
    PublishReply,
    RequestsPage,
    SessionDeleted,
)

LEARNING_SECONDS = 600
"""How long a publish that waits for learning may take."""
_IDS = TimeOrderedIds()


def publish_interaction(
    connection: Connection,
    user_id: str,
    interactions: Sequence[InteractionData | Mapping[str, object]],
    *,
    source: str = "",
    agent_version: str = "",
    session_id: str | None = None,
    request_id: str | None = None,
    wait_for_response: bool = False,
    skip_aggregation: bool = False,
    force_extraction: bool = False,
    metadata: Mapping[str, object] | None = None,
) -> PublishReply:
    """
    Store turns of a user's conversation; they are durable when this returns, and learned from soon after.

    Args:
        connection: to the server.
        user_id: who talked with the agent.
        interactions: the turns in order.
        source: a tag that learners can be restricted to.
        agent_version: which agent answered.
        session_id: the conversation that the turns belong to.
        request_id: names this publish; by default a new id, under which it is tried again and stored once.
        wait_for_response: return only after learning, with the counts of what was learned.
        skip_aggregation: learn from it, but do not form agent playbooks now.
        force_extraction: learn at once, however few turns there are.
        metadata: kept with the request.

    Raises:
        InvalidInput: a turn breaks a rule.
        Conflict: the request_id came before with other turns.
    """
    fields = {
        "user_id": user_id,
        "interaction_data_list": list(interactions),
        "source": source,
        "agent_version": agent_version,
        "session_id": session_id,
        "request_id": request_id,
        "skip_aggregation": skip_aggregation,
        "force_extraction": force_extraction,
        "metadata": metadata,
    }
    return publish(connection, checked(PublishBody, fields), wait_for_response=wait_for_response)


def publish(connection: Connection, body: PublishBody, *, wait_for_response: bool = False) -> PublishReply:
    """Store turns, given as one body; see `publish_interaction`."""
    named = body if body.request_id else body.model_copy(update={"request_id": _IDS.new()})
    reply = connection.send(
        "POST",
        "/api/publish_interaction" + ("?wait_for_response=true" if wait_for_response else ""),
        PublishReply,
        body=named,
        repeatable=True,
        timeout_seconds=LEARNING_SECONDS if wait_for_response else None,
    )
    return reply if reply.request_id else reply.model_copy(update={"request_id": named.request_id})


def get_interactions(
    connection: Connection,
    user_id: str,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    top_k: int | None = None,
) -> InteractionsPage:
    """Return a user's turns, newest first."""
    fields = {"user_id": user_id, "start_time": start_time, "end_time": end_time, "top_k": top_k}
    body = checked(GetInteractionsBody, fields)
    return connection.send("POST", "/api/get_interactions", InteractionsPage, body=body, repeatable=True)


def get_all_interactions(connection: Connection, limit: int = 100) -> InteractionsPage:
    """Return the turns of all users, newest first."""
    return connection.get("/api/get_all_interactions", InteractionsPage, params={"limit": limit})


def get_requests(
    connection: Connection,
    *,
    user_id: str | None = None,
    request_id: str | None = None,
    session_id: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    top_k: int | None = None,
    offset: int | None = None,
) -> RequestsPage:
    """Return publish calls with their turns, newest first, grouped by session."""
    fields = {
        "user_id": user_id,
        "request_id": request_id,
        "session_id": session_id,
        "start_time": start_time,
        "end_time": end_time,
        "top_k": top_k,
        "offset": offset,
    }
    body = checked(GetRequestsBody, fields)
    return connection.send("POST", "/api/get_requests", RequestsPage, body=body, repeatable=True)


def delete_interaction(connection: Connection, user_id: str, interaction_id: int) -> Deleted:
    """Delete one turn of a user."""
    body = checked(DeleteInteractionBody, {"user_id": user_id, "interaction_id": interaction_id})
    return connection.send("DELETE", "/api/delete_interaction", Deleted, body=body)


def delete_request(connection: Connection, request_id: str) -> Deleted:
    """Delete one publish call with its turns."""
    body = checked(DeleteRequestBody, {"request_id": request_id})
    return connection.send("DELETE", "/api/delete_request", Deleted, body=body)


def delete_session(connection: Connection, session_id: str) -> SessionDeleted:
    """Delete one conversation with its requests and turns."""
    body = checked(DeleteSessionBody, {"session_id": session_id})
    return connection.send("DELETE", "/api/delete_session", SessionDeleted, body=body)


def delete_requests_by_ids(connection: Connection, request_ids: Sequence[str]) -> DeletedMany:
    """Delete publish calls with their turns; the count is of those that were there."""
    body = checked(DeleteRequestsByIdsBody, {"request_ids": list(request_ids)})
    return connection.send("DELETE", "/api/delete_requests_by_ids", DeletedMany, body=body)


def delete_all_interactions(connection: Connection) -> DeletedMany:
    """Delete the turns of all users."""
    return connection.send("DELETE", "/api/delete_all_interactions", DeletedMany)
