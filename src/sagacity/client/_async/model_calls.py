# Generated from the API's description by scripts/sdk; change it there.
"""What models were called for, and what it cost."""

from datetime import datetime

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.words import GroupingWord
from sagacity.schemas.model_calls import ModelCallsPage, ModelCallTotals


async def get_model_calls(
    connection: AsyncConnection,
    *,
    before: int | None = None,
    limit: int = 100,
    learner: str | None = None,
    user_id: str | None = None,
    model: str | None = None,
    outcome: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
) -> ModelCallsPage:
    """
    Return requests that were sent to models, newest first: failed ones too, and each that was tried again.

    Each says who called, by which prompt, how many tokens it took, how long, and what it cost where the model's
    price is known. Tokens are estimated where the provider does not tell them.

    Args:
        connection: to the server.
        before: `next` of the page before.
        learner: who called, such as a learner's name.
        user_id: on whose log the work was; empty for the organisation's own.
        model: as it stands in the ledger.
        outcome: how they ended: `ok`, `ProviderError`, `ProviderTimeout`, `ProviderRefused`, `MalformedOutput`,
            `Cancelled`.
        start_time: from this moment on.
        end_time: before this moment.
    """
    params = {
        "before": before,
        "limit": limit,
        "learner": learner,
        "user_id": user_id,
        "model": model,
        "outcome": outcome,
        "start_time": start_time,
        "end_time": end_time,
    }
    return await connection.get("/api/model_calls", ModelCallsPage, params=params)


async def get_model_call_totals(
    connection: AsyncConnection,
    by: GroupingWord,
    *,
    limit: int = 100,
    learner: str | None = None,
    user_id: str | None = None,
    model: str | None = None,
    outcome: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
) -> ModelCallTotals:
    """
    Return what requests to models came to, by learner, user, day or model.

    Costs are those of calls whose price is known; `unpriced_count` tells how many others there are.

    Args:
        connection: to the server.
        by: what they are summed up by; days are those of UTC.
        learner: who called, such as a learner's name.
        user_id: on whose log the work was; empty for the organisation's own.
        model: as it stands in the ledger.
        outcome: how they ended: `ok`, `ProviderError`, `ProviderTimeout`, `ProviderRefused`, `MalformedOutput`,
            `Cancelled`.
        start_time: from this moment on.
        end_time: before this moment.
    """
    params = {
        "by": by,
        "limit": limit,
        "learner": learner,
        "user_id": user_id,
        "model": model,
        "outcome": outcome,
        "start_time": start_time,
        "end_time": end_time,
    }
    return await connection.get("/api/model_call_totals", ModelCallTotals, params=params)
