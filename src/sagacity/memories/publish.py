"""Publish turns on behalf of a principal."""

from sagacity.domain.interaction import NewRequest, Request
from sagacity.domain.principal import Permission
from sagacity.domain.trust import Origin
from sagacity.domain.usage import Pipeline
from sagacity.memories.acting import Acting
from sagacity.memories.usage import note_cited
from sagacity.observability.tracing import span


async def publish(acting: Acting, request: NewRequest) -> Request:
    """
    Append a request to the log, and record what its answers cite; returns the request as stored durably.

    Raises:
        Conflict: its id came before with other content.
        Forbidden: it is of another user than the principal's, or gives out as an operator's what is not.
    """
    if any(turn.origin is Origin.OPERATOR for turn in request.interactions):
        acting.principal.require(Permission.REVIEW)
    with span("publish", {"sagacity.turns": len(request.interactions)}):
        stored = await acting.parts.storage.append(acting.principal, request)
    note_cited(
        acting,
        [(f"{stored.request_id}/{place}", turn.citations) for place, turn in enumerate(request.interactions)],
        pipeline=Pipeline.PUBLISH,
        user_id=stored.user_id,
        request_id=stored.request_id,
        session_id=stored.session_id,
    )
    return stored
