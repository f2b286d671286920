"""`sagacity usage`: how often memories are surfaced, at how many tokens, and with what result."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, show, table
from sagacity.domain.memory import MemoryKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sagacity.domain.effects import Difference, Effect, EffectReport
    from sagacity.domain.holdout import ExtractorVersion
    from sagacity.schemas.usage import InjectionStat

app = typer.Typer()


@app.callback(invoke_without_command=True)
def usage(
    context: typer.Context,
    *,
    days: Annotated[
        int, typer.Option("--days", min=1, max=36_500, help="How many times 24 hours to look back.")
    ] = 30,
) -> None:
    """
    Show how often memories were surfaced.

    Example: sagacity usage --days 7
    """
    if context.invoked_subcommand is not None:
        return
    with connected(context, "counting") as client:
        told = client.get_injection_stats(days_back=days)
    show(context, told.stats, _rows(told.stats))


@app.command()
def effects(
    context: typer.Context,
    *,
    kind: Annotated[MemoryKind | None, typer.Option("--kind", help="Only memories of this kind.")] = None,
    evaluation_name: Annotated[
        str | None, typer.Option("--evaluation", help="Only what this evaluator says.")
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """
    Show the effect of memories on the success of sessions.

    Sessions that got a memory are compared with sessions that were drawn to go without it (holdout_share in
    the configuration).

    Example: sagacity usage effects --kind user_playbook
    """
    with connected(context, "comparing sessions") as client:
        report = client.get_usage_effects(kind=kind, evaluation_name=evaluation_name, limit=limit)
    show(context, report, _report(report), has_more=report.total > len(report.memories))


def _rows(stats: "Sequence[InjectionStat]") -> Render:
    rows = [
        (
            one.content,
            one.entity_type,
            one.surfaced_count,
            one.citation_count,
            one.total_prompt_tokens,
            one.distinct_session_count,
            moment(one.last_injected_at),
            one.entity_id,
        )
        for one in stats
    ]
    columns = ("content", "~kind", "#surfaced", "#cited", "+#tokens", "+#sessions", "+last", "+id")
    return table(columns, rows, empty="nothing was surfaced")


def _report(report: "EffectReport") -> Render:
    def draw(console: Console) -> None:
        for line in report.summary:
            console.print(plain(line))
        if report.memories:
            console.print()
            _memories(report)(console)
        if report.extractors:
            console.print()
            _extractors(report)(console)

    return draw


def _memories(report: "EffectReport") -> Render:
    rows = [
        (
            *_figures(one),
            one.content or "(gone)",
            one.total_prompt_tokens,
            one.citation_count,
            one.entity_type,
            one.entity_id,
        )
        for one in report.memories
    ]
    columns = (*_FIGURES, "content", "+#tokens", "+#cited", "~kind", "#id")
    return table(columns, rows, empty="nothing was drawn")


def _extractors(report: "EffectReport") -> Render:
    rows = [(*_figures(one), _made(one.extractor), one.entity_type) for one in report.extractors]
    return table((*_FIGURES, "extractor", "~kind"), rows, empty="nothing was drawn")


_FIGURES = ("finding", "success", "+corrections", "+turns", "#with/without", "+#evidence")


def _figures(one: "Effect") -> "Iterable[object]":
    missing = [
        f"{count} more {side}"
        for count, side in ((one.missing_shown, "with"), (one.missing_held_out, "without"))
        if count
    ]
    success = "needs " + ", ".join(missing) if missing else _difference(one.success, "+.0%")
    return (
        one.finding.replace("_", " "),
        success,
        _difference(one.corrections, "+.2f"),
        _difference(one.turns, "+.1f"),
        f"{one.judged_shown}/{one.judged_held_out}",
        f"{one.e_value:.3g}",
    )


def _difference(one: "Difference | None", form: str) -> str:
    return "" if one is None else f"{one.difference:{form}} ({one.low:{form}} to {one.high:{form}})"


def _made(extractor: "ExtractorVersion") -> str:
    parts = (extractor.learner or extractor.method, extractor.prompt_version, extractor.model)
    return " ".join(part for part in parts if part)
