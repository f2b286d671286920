"""`sagacity evaluations`: whether sessions went well."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, show, table
from sagacity.domain.views.evaluation import EvaluationView

if TYPE_CHECKING:
    from sagacity.domain.shadow_report import ShadowReport, ShadowTally

app = typer.Typer(no_args_is_help=True, help="Whether sessions went well.")


@app.command("list")
def list_evaluations(
    context: typer.Context, *, agent_version: options.AgentVersion = None, limit: options.Limit = 20
) -> None:
    """
    List results, newest first: one per evaluator and session.

    Example: sagacity evaluations list --agent-version v2
    """
    with connected(context, "reading evaluations") as client:
        reply = client.get_agent_success_evaluation_results(limit=limit, agent_version=agent_version)
    results = reply.agent_success_evaluation_results
    rows = [
        (
            result.result_id,
            result.session_id,
            result.agent_version,
            result.evaluation_name,
            _outcome(result),
            result.regular_vs_shadow,
            result.failure_reason,
        )
        for result in results
    ]
    columns = ("#id", "session", "~version", "~evaluation", "outcome", "+against the shadow", "why")
    show(context, results, table(columns, rows, empty="no evaluations"))


@app.command()
def shadow(
    context: typer.Context,
    *,
    days: Annotated[
        int, typer.Option("--days", min=1, max=3_650, help="How many times 24 hours to look back.")
    ] = 30,
    agent_version: options.AgentVersion = None,
    source: Annotated[str | None, typer.Option("--source", help="Only sessions from this source.")] = None,
    evaluation_name: Annotated[
        str | None, typer.Option("--evaluation", help="Only what this evaluator says.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=100, help="How many differing sessions to list.")
    ] = 10,
) -> None:
    """
    Compare the agent with its shadow.

    Win rates are the shadow's share of decided sessions, with their 95 % intervals.

    Example: sagacity evaluations shadow --days 7
    """
    with connected(context, "comparing with the shadow") as client:
        report = client.get_shadow_report(
            days=days,
            agent_version=agent_version,
            source=source,
            evaluation_name=evaluation_name,
            limit=limit,
        )
    show(context, report, _report(report))


@app.command()
def series(
    context: typer.Context,
    *,
    days: Annotated[
        int, typer.Option("--days", min=1, max=3_650, help="How many times 24 hours to look back.")
    ] = 30,
    granularity: Annotated[
        Literal["hour", "day", "week"], typer.Option("--granularity", help="How long a step is.")
    ] = "day",
    by: Annotated[
        Literal["agent_version", "source"] | None,
        typer.Option("--by", help="A series for each agent version or source."),
    ] = None,
    agent_version: options.AgentVersion = None,
    source: Annotated[str | None, typer.Option("--source", help="Only what is from this source.")] = None,
) -> None:
    """
    Count what was published, learned and judged over time.

    Steps are the hours, days and weeks of UTC.

    Example: sagacity evaluations series --granularity week --by agent_version
    """
    with connected(context, "counting") as client:
        report = client.get_dashboard_series(
            days=days, granularity=granularity, by=by, agent_version=agent_version, source=source
        )
    form = "%Y-%m-%d %H:%MZ" if granularity == "hour" else "%Y-%m-%d"
    rows = [
        (
            one.group,
            f"{point.timestamp:{form}}",
            point.interactions,
            point.profiles,
            point.playbooks,
            point.evaluations,
            "" if point.success_rate is None else f"{point.success_rate:.0f}%",
        )
        for one in report.series
        for point in one.points
    ]
    columns = (
        (by or "").replace("_", " "),
        f"#{granularity}",
        "#turns",
        "#profiles",
        "#playbooks",
        "#verdicts",
        "#success",
    )
    show(context, report, table(columns, rows, empty="nothing was counted"))


def _report(report: "ShadowReport") -> Render:
    rows = [("all", "", *_figures(report.total))]
    rows += [(one.agent_version, one.source, *_figures(one)) for one in report.groups]
    columns = (
        "version",
        "source",
        "#sessions",
        "#shadow won",
        "#lost",
        "#tied",
        "#win rate",
        "#95 %",
        "finding",
    )
    counts = table(columns, rows, empty="")
    sessions = table(
        ("session", "+user", "~version", "#score", "shown first", "why"),
        [
            (one.session_id, one.user_id, one.agent_version, f"{one.score:+}", said.shown_first, said.reason)
            for one in report.sessions
            for said in one.comparisons
        ],
        empty="",
    )

    def render(console: Console) -> None:
        for sentence in report.summary:
            console.print(plain(sentence))
        if report.total.sessions:
            console.print(plain(""))
            counts(console)
        if report.sessions:
            console.print(plain("\nWhere they differ most (A is the version shown first):"))
            sessions(console)

    return render


def _figures(one: "ShadowTally") -> tuple[object, ...]:
    rate = "" if one.shadow_win_rate is None else f"{one.shadow_win_rate:.0%}"
    interval = "" if one.interval is None else f"{one.interval.low:.0%} to {one.interval.high:.0%}"
    finding = one.finding.replace("_", " ")
    return (one.sessions, one.shadow_wins, one.regular_wins, one.ties, rate, interval, finding)


def _outcome(result: EvaluationView) -> str:
    """Return the verdict in a few words."""
    if result.is_success:
        turns = result.user_turns_to_resolution
        said = "success" if turns is None else f"success after {turns} turn{'s' * (turns != 1)}"
    else:
        said = f"failure: {result.failure_type}" if result.failure_type else "failure"
    return f"{said}, escalated" if result.is_escalated else said
