# Generated from _async by scripts/unasync; edit it there.
"""Publishing what happened, under an id of the client's own, so that it can be tried again."""

import logging
from collections.abc import Mapping, Sequence

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.domain.ids import TimeOrderedIds
from sagacity.schemas.interactions import InteractionData, PublishBody, PublishReply

LEARNING_SECONDS = 600
"""How long a publish that waits for learning may take."""
_IDS = TimeOrderedIds()
_log = logging.getLogger("sagacity.client")


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
    """Store turns, given as one body; see `publish_interaction`. What the server warns of is logged, too."""
    named = body if body.request_id else body.model_copy(update={"request_id": _IDS.new()})
    reply = connection.send(
        "POST",
        "/api/publish_interaction",
        PublishReply,
        params={"wait_for_response": wait_for_response or None},
        body=named,
        repeatable=True,
        timeout_seconds=LEARNING_SECONDS if wait_for_response else None,
    )
    for warning in reply.warnings:
        _log.warning("publish %s: %s", named.request_id, warning)
    return reply if reply.request_id else reply.model_copy(update={"request_id": named.request_id})
