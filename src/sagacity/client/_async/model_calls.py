"""What models were called for, and what it cost."""

from datetime import datetime

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.words import GroupingWord
from sagacity.schemas.model_calls import ModelCallsPage, ModelCallTotals


async def get_model_calls(
    connection: AsyncConnection,
    *,
    learner: str | None = None,
    user_id: str | None = None,
    model: str | None = None,
    outcome: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    before: int | None = None,
    limit: int = 100,
) -> ModelCallsPage:
    """
    Return requests that were sent to models, newest first.

    Args:
        connection: to the server.
        learner: only those of this learner.
        user_id: only those on this user's log; empty for the organisation's own.
        model: only those to this model.
        outcome: only those that ended so: `ok`, or the name of an error.
        start_time: only those from this moment on.
        end_time: only those before this moment.
        before: `next` of the page before.
        limit: how many at the most.
    """
    params = {
        "learner": learner,
        "user_id": user_id,
        "model": model,
        "outcome": outcome,
        "start_time": _moment(start_time),
        "end_time": _moment(end_time),
        "before": before,
        "limit": limit,
    }
    return await connection.get("/api/model_calls", ModelCallsPage, params=params)


async def get_model_call_totals(
    connection: AsyncConnection,
    by: GroupingWord,
    *,
    learner: str | None = None,
    user_id: str | None = None,
    model: str | None = None,
    outcome: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    limit: int = 100,
) -> ModelCallTotals:
    """Return what requests came to, by learner, user, day (of UTC) or model; filters as of `get_model_calls`."""
    params = {
        "by": by,
        "learner": learner,
        "user_id": user_id,
        "model": model,
        "outcome": outcome,
        "start_time": _moment(start_time),
        "end_time": _moment(end_time),
        "limit": limit,
    }
    return await connection.get("/api/model_call_totals", ModelCallTotals, params=params)


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
