# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Calls to models, and their cost."""

from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client.words.ledger import GroupingWord
from sagacity.schemas.model_calls import ModelCallsPage, ModelCallTotals


def get_model_calls(
    connection: Connection,
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
    Return requests to models, newest first, including failed requests and retries.

    Each has its caller, prompt, tokens and duration, and its cost if the model's price is known. Tokens are
    estimated if the provider does not report them.

    Args:
        connection: to the server.
        before: `next` of the previous page.
        limit: the largest number of results to return.
        learner: the caller, such as a learner's name.
        user_id: the user whose log was worked on; empty for the organisation's own work.
        model: the model's name, as in the ledger.
        outcome: how calls ended: `ok`, `ProviderError`, `ProviderTimeout`, `ProviderRefused`, `MalformedOutput`,
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
    return connection.get("/api/model_calls", ModelCallsPage, params=params)


def get_model_call_totals(
    connection: Connection,
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
    Return sums over requests to models, by learner, user, day or model.

    Costs cover calls whose price is known; `unpriced_count` is the number of the others.

    Args:
        connection: to the server.
        by: what to group by; days are in UTC.
        limit: the largest number of results to return.
        learner: the caller, such as a learner's name.
        user_id: the user whose log was worked on; empty for the organisation's own work.
        model: the model's name, as in the ledger.
        outcome: how calls ended: `ok`, `ProviderError`, `ProviderTimeout`, `ProviderRefused`, `MalformedOutput`,
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
    return connection.get("/api/model_call_totals", ModelCallTotals, params=params)
