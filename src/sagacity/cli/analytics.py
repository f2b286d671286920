"""`sagacity analytics`: how long answers, searches and contexts took, and what they found."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, facts, plain, said, show, table
from sagacity.domain.amounts import counted

if TYPE_CHECKING:
    from sagacity.domain.analytics import RequestAnalytics
    from sagacity.domain.analytics_reports import DayTotals, Percentiles
    from sagacity.schemas.analytics import AnalyticsLatency, AnalyticsRetrieval, AnalyticsSummary

app = typer.Typer(no_args_is_help=True, help="Times and results of answers, searches and contexts.")
Days = Annotated[int, typer.Option("--days", min=1, max=90, help="How many times 24 hours to look back.")]
Kind = Literal["chat_stream", "chat_complete", "memory_search", "context_build"]
OnlyType = Annotated[Kind | None, typer.Option("--type", help="Only calls of this type.")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Most results.")]
_BAR = 30


@app.command()
def summary(
    context: typer.Context,
    *,
    days: Days = 7,
    user_id: options.AnyUserId = None,
    request_type: OnlyType = None,
) -> None:
    """
    Count calls, how they ended and how long they took.

    Example: sagacity analytics summary --days 30
    """
    with connected(context, "summing up calls") as client:
        told = client.get_analytics_summary(days=days, user_id=user_id, request_type=request_type)
    show(context, told, _summary(told))


@app.command()
def latency(
    context: typer.Context,
    *,
    days: Days = 7,
    user_id: options.AnyUserId = None,
    request_type: OnlyType = None,
) -> None:
    """
    Show how long calls and their steps take.

    Calls that failed or were cut short are not counted.

    Example: sagacity analytics latency --type chat_stream
    """
    with connected(context, "summing up times") as client:
        told = client.get_analytics_latency(days=days, user_id=user_id, request_type=request_type)
    show(context, told, _latency(told))


@app.command()
def retrieval(context: typer.Context, *, days: Days = 7, user_id: options.AnyUserId = None) -> None:
    """
    Show what searches find, by strategy and type.

    Example: sagacity analytics retrieval --user-id ana
    """
    with connected(context, "summing up searches") as client:
        told = client.get_analytics_retrieval(days=days, user_id=user_id)
    show(context, told, _retrieval(told))


@app.command()
def requests(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    request_type: OnlyType = None,
    status: Annotated[
        Literal["success", "partial", "error", "timeout"] | None,
        typer.Option("--status", help="Only calls that ended so."),
    ] = None,
    slower_than: Annotated[
        float | None, typer.Option("--slower-than", min=0, help="Only calls that took so many ms.")
    ] = None,
    limit: Most = 20,
) -> None:
    """
    List single calls, newest first.

    Example: sagacity analytics requests --status error

    Example: sagacity analytics requests --slower-than 1000
    """
    with connected(context, "reading calls") as client:
        page = client.list_request_analytics(
            user_id=user_id,
            request_type=request_type,
            status=status,
            min_latency_ms=slower_than,
            page_size=limit,
        )
    show(context, page.analytics, _requests(page.analytics))


@app.command()
def daily(context: typer.Context, *, user_id: options.AnyUserId = None) -> None:
    """
    List the sums of each user's days.

    Days are summed up after midnight, UTC; these are the last 30. They stay when single calls are deleted.

    Example: sagacity analytics daily --user-id ana
    """
    with connected(context, "reading days") as client:
        told = client.get_analytics_days(user_id=user_id)
    show(context, told.days, _days(told.days))


@app.command()
def flush(context: typer.Context) -> None:
    """
    Write calls that wait in the server, to read them now.

    Example: sagacity analytics flush
    """
    with connected(context, "writing calls") as client:
        told = client.flush_analytics()
    show(context, told, said(told.message))


def _summary(told: "AnalyticsSummary") -> Render:
    ends = (
        f"{told.successful_requests} succeeded, {told.partial_requests} partial, {told.error_requests} failed"
    )
    first = "" if told.avg_ttfb_ms is None else f"; first word after {_ms(told.avg_ttfb_ms)}"
    times = f"p50 {_ms(told.p50_latency_ms)}, p95 {_ms(told.p95_latency_ms)}{first}"
    known = {
        "calls": f"{told.total_requests} in {counted(told.period_days, 'day')}: {ends}",
        "times": times if told.successful_requests else "",
        "types": _listed(told.requests_by_type),
        "intents": _listed(told.intent_distribution),
        "found": f"{told.avg_retrieval_results:.1f} results a search, {told.avg_context_tokens:.0f} tokens a context",
    }
    most = max((one.count for one in told.requests_by_day), default=0)
    days = [
        (one.date, one.count, "▇" * round(_BAR * one.count / most) if most else "")
        for one in told.requests_by_day
    ]
    if not told.total_requests:
        return said(f"no calls in {counted(told.period_days, 'day')}")
    return _both(
        facts({name: value for name, value in known.items() if value}),
        table(("#day", "#calls", ""), days, empty=""),
    )


def _latency(told: "AnalyticsLatency") -> Render:
    steps: dict[str, Percentiles | None] = {
        "whole call": told.total_time,
        "first word": told.ttfb,
        "retrieval": told.retrieval,
        "ranking": told.ranking,
        "context": told.context_building,
        "model": told.llm,
    }
    rows = [
        (name, one.sample_count, *map(_ms, (one.p50, one.p95, one.p99, one.avg, one.min, one.max)))
        for name, one in steps.items()
        if one is not None and one.sample_count
    ]
    columns = ("step", "#calls", "#p50", "#p95", "#p99", "#mean", "+#least", "#most")
    return table(columns, rows, empty=f"no calls in {counted(told.period_days, 'day')}")


def _retrieval(told: "AnalyticsRetrieval") -> Render:
    if not told.total_requests:
        return said(f"no searches in {counted(told.period_days, 'day')}")
    known = {
        "searches": f"{told.total_requests} in {counted(told.period_days, 'day')}",
        "found": f"{told.avg_total_results:.1f} a search, {told.avg_deduplication_rate:.0%} of it several times",
        "types": _listed(told.memories_by_type_total),
        "contexts": f"{told.avg_context_tokens:.0f} tokens, {told.truncation_rate:.0%} cut for lack of space",
    }
    means = {
        "vector": told.avg_vector_results,
        "keyword": told.avg_keyword_results,
        "graph": told.avg_graph_results,
    }
    rows = [
        (
            name,
            f"{means[name]:.1f}" if name in means else "",
            f"{one.min:.2f}",
            f"{one.avg:.2f}",
            f"{one.max:.2f}",
        )
        for name, one in told.score_distribution.items()
    ]
    columns = ("strategy", "#results", "#least score", "#mean", "#best")
    return _both(
        facts({name: value for name, value in known.items() if value}), table(columns, rows, empty="")
    )


def _requests(calls: "Sequence[RequestAnalytics]") -> Render:
    rows = [
        (
            call.id,
            moment(call.created_at, seconds=True),
            call.user_id,
            call.request_type,
            call.query_analysis.intent,
            call.retrieval_metrics.post_dedup_count,
            _ms(call.total_time_ms),
            call.status if call.error_type is None else f"{call.status}: {call.error_type}",
        )
        for call in calls
    ]
    columns = ("+#id", "#at", "user", "type", "+intent", "+#found", "#took", "end")
    return table(columns, rows, empty="no calls")


def _days(days: "Sequence[DayTotals]") -> Render:
    rows = [
        (
            f"{day.date:%Y-%m-%d}",
            day.user_id,
            day.total_requests,
            day.partial_requests,
            day.error_requests,
            _ms(day.latency_stats["p50"]) if "p50" in day.latency_stats else "",
            _ms(day.latency_stats["p95"]) if "p95" in day.latency_stats else "",
        )
        for day in days
    ]
    columns = ("#day", "user", "#calls", "#partial", "#failed", "#p50", "#p95")
    return table(columns, rows, empty="no day was summed up")


def _both(first: Render, second: Render) -> Render:
    def render(console: Console) -> None:
        first(console)
        console.print(plain(""))
        second(console)

    return render


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"  # noqa: PLR2004  where a digit counts
