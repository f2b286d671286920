"""`sagacity ledger`: what models were called for, and at what cost."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, show, table
from sagacity.domain.amounts import counted
from sagacity.domain.ledger import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sagacity.domain.ledger import CallTotal, LedgerEntry
    from sagacity.schemas.model_calls import CapState, LedgerReply

By = Annotated[
    Literal["learner", "user", "day", "model"] | None,
    typer.Option("--by", help="Sums instead of single calls; days are UTC."),
]


def ledger(
    context: typer.Context,
    *,
    by: By = None,
    learner: Annotated[str | None, typer.Option("--learner", help="Only calls of this learner.")] = None,
    user_id: options.AnyUserId = None,
    model: Annotated[str | None, typer.Option("--model", help="Only calls of this model.")] = None,
    outcome: Annotated[
        str | None, typer.Option("--outcome", help=f"Only calls that ended so: {', '.join(OUTCOMES)}.")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option("--since", help="Only calls since this time, in UTC.")
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """
    List model calls, newest first, or sum them up.

    Failed calls and retries are included. With a spending cap, the last line says how much of it is spent.

    Example: sagacity ledger --by learner

    Example: sagacity ledger --outcome ProviderTimeout --since 2026-11-01
    """
    start_time = None if since is None else since.replace(tzinfo=since.tzinfo or UTC)
    with connected(context, "reading the ledger") as client:
        if by is None:
            page = client.get_model_calls(
                learner=learner,
                user_id=user_id,
                model=model,
                outcome=outcome,
                start_time=start_time,
                limit=limit,
            )
            reply: LedgerReply = page
            draws = _calls(page.model_calls)
        else:
            sums = client.get_model_call_totals(
                by,
                learner=learner,
                user_id=user_id,
                model=model,
                outcome=outcome,
                start_time=start_time,
                limit=limit,
            )
            reply = sums
            draws = _totals(by, sums.totals)
    show(context, reply, _with_cap(draws, reply))


def _calls(calls: "Sequence[LedgerEntry]") -> Render:
    rows = [
        (
            call.call_id,
            moment(call.created_at, seconds=True),
            call.learner,
            call.user_id,
            call.model,
            call.prompt,
            call.attempt,
            f"{call.prompt_tokens} + {call.completion_tokens}",
            call.cached_tokens,
            _usd(call.cost_usd),
            f"{call.duration_ms} ms",
            call.outcome,
        )
        for call in calls
    ]
    columns = (
        "+#id",
        "#at",
        "learner",
        "+user",
        "model",
        "+prompt",
        "+#try",
        "#tokens",
        "+#cached",
        "#USD",
        "+#took",
        "outcome",
    )
    return table(columns, rows, empty="no calls of models")


def _totals(by: str, totals: "Sequence[CallTotal]") -> Render:
    rows = [
        (
            total.key or ("(rules)" if by == "model" else "(the organisation)"),
            total.call_count,
            total.failed_count,
            f"{total.prompt_tokens} + {total.completion_tokens}",
            total.cached_tokens,
            _usd(total.cost_usd),
            total.unpriced_count,
            f"{total.duration_ms / 1000:.1f} s",
            total.proposed_count,
            total.kept_count,
            total.merged_count,
            total.dropped_count,
        )
        for total in totals
    ]
    columns = (by, "#calls", "#failed", "#tokens", "+#cached", "#USD", "#unpriced", "+#took")
    fates = ("+#proposed", "+#kept", "+#merged", "+#dropped")
    return table((*columns, *fates), rows, empty="no calls of models")


def _usd(cost: float | None) -> str:
    return "?" if cost is None else f"{cost:.4f}"


def _spent(cap: "CapState") -> "Iterator[str]":
    if cap.max_tokens is not None:
        yield f"{cap.spent_tokens} of {cap.max_tokens} tokens"
    if cap.max_cost_usd is not None:
        calls = counted(cap.unpriced_count, "call")
        unpriced = f" (not counting {calls} of unknown price)" if cap.unpriced_count else ""
        yield f"{cap.spent_cost_usd:.4f} of {cap.max_cost_usd:g} USD{unpriced}"


def _with_cap(draws: Render, reply: "LedgerReply") -> Render:
    def render(console: Console) -> None:
        draws(console)
        cap = reply.spending_cap
        if cap is not None:
            console.print(plain(f"spent this {cap.period}: {', '.join(_spent(cap))}", "dim"))
        for warning in reply.warnings:
            console.print(plain(warning, "yellow"))

    return render
