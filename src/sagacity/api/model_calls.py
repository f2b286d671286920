"""Calls to models, and their cost."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query

from sagacity.api.dependencies import Administers, Caller
from sagacity.api.parameters import MaxRows
from sagacity.api.route import resource
from sagacity.config.spending_cap import SpendingCap
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import UserId
from sagacity.domain.ledger import OUTCOMES, CallFilter, Grouping, Spending
from sagacity.schemas.base import Label, MaybeId, Moment, Number
from sagacity.schemas.model_calls import CapState, ModelCallsPage, ModelCallTotals
from sagacity.storage.transaction import Transaction

router = resource("model calls")


def _filter(
    *,
    learner: Annotated[Label | None, Query(description="The caller, such as a learner's name.")] = None,
    user_id: Annotated[
        MaybeId | None,
        Query(description="The user whose log was worked on; empty for the organisation's own work."),
    ] = None,
    model: Annotated[Label | None, Query(description="The model's name, as in the ledger.")] = None,
    outcome: Annotated[
        Label | None, Query(description=f"How calls ended: {', '.join(f'`{one}`' for one in OUTCOMES)}.")
    ] = None,
    start_time: Annotated[Moment | None, Query(description="From this moment on.")] = None,
    end_time: Annotated[Moment | None, Query(description="Before this moment.")] = None,
) -> CallFilter:
    if outcome is not None and outcome not in OUTCOMES:
        raise InvalidInput(f"outcome: there is no {outcome!r}, only {', '.join(OUTCOMES)}")
    if start_time is not None and end_time is not None and end_time <= start_time:
        raise InvalidInput("end_time must be later than start_time")
    return CallFilter(
        learner=learner,
        user_id=None if user_id is None else UserId(user_id),
        model=model,
        outcome=outcome,
        start=start_time,
        end=end_time,
    )


FilterDep = Annotated[CallFilter, Depends(_filter)]


@router.get("/model_calls", response_model_exclude_none=True)
async def get_model_calls(
    caller: Administers,
    wanted: FilterDep,
    before: Annotated[Number | None, Query(description="`next` of the previous page.")] = None,
    limit: MaxRows = 100,
) -> ModelCallsPage:
    """
    Return requests to models, newest first, including failed requests and retries.

    Each has its caller, prompt, tokens and duration, and its cost if the model's price is known. Tokens are estimated
    if the provider does not report them.
    """
    cap, now = await _cap(caller)
    async with caller.read() as snapshot:
        found = await snapshot.model_calls.list_newest(wanted, before=before, limit=limit + 1)
        state = await _state(snapshot, cap, now)
    page = found[:limit]
    return ModelCallsPage(
        model_calls=tuple(page),
        next=page[-1].call_id if len(found) > limit else None,
        spending_cap=state,
        warnings=_warnings(cap, state, now),
        msg=counted(len(page), "model call"),
    )


@router.get("/model_call_totals", response_model_exclude_none=True)
async def get_model_call_totals(
    caller: Administers,
    wanted: FilterDep,
    by: Annotated[Grouping, Query(description="What to group by; days are in UTC.")],
    limit: MaxRows = 100,
) -> ModelCallTotals:
    """
    Return sums over requests to models, by learner, user, day or model.

    Costs cover calls whose price is known; `unpriced_count` is the number of the others.
    """
    cap, now = await _cap(caller)
    async with caller.read() as snapshot:
        totals = await snapshot.model_calls.totals(wanted, by, limit=limit)
        state = await _state(snapshot, cap, now)
    return ModelCallTotals(
        by=by,
        totals=tuple(totals),
        spending_cap=state,
        warnings=_warnings(cap, state, now),
        msg=f"{counted(len(totals), 'sum')} by {by}",
    )


async def _cap(caller: Caller) -> tuple[SpendingCap | None, datetime]:
    return (await caller.runtime.configs.get(caller.tenant)).spending_cap, caller.runtime.clock.now()


async def _state(snapshot: Transaction, cap: SpendingCap | None, now: datetime) -> CapState | None:
    if cap is None:
        return None
    spent = await snapshot.model_calls.spent(cap.start(now))
    return CapState(
        period=cap.period,
        max_tokens=cap.max_tokens,
        max_cost_usd=cap.max_cost_usd,
        spent_tokens=spent.token_count,
        spent_cost_usd=spent.cost_usd,
        unpriced_count=spent.unpriced_count,
        since=cap.start(now),
        until=cap.end(now),
        is_reached=cap.is_reached(spent),
    )


def _warnings(cap: SpendingCap | None, state: CapState | None, now: datetime) -> tuple[str, ...]:
    if cap is None or state is None or not state.is_reached:
        return ()
    return (cap.note(Spending(prompt_tokens=state.spent_tokens, cost_usd=state.spent_cost_usd), now),)
