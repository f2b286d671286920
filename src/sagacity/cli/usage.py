"""`sagacity usage`: how often memories are surfaced, and how many tokens that took."""

from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, show, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sagacity.schemas.usage import InjectionStat


def usage(
    context: typer.Context,
    *,
    days: Annotated[
        int, typer.Option("--days", min=1, max=36_500, help="How many times 24 hours to look back.")
    ] = 30,
) -> None:
    """
    Show how often memories were surfaced by searches, contexts and chats.

    Example: sagacity usage --days 7
    """
    with connected(context, "counting") as client:
        told = client.get_injection_stats(days_back=days)
    show(context, told.stats, _rows(told.stats))


def _rows(stats: "Sequence[InjectionStat]") -> Render:
    rows = [
        (
            one.entity_type,
            one.surfaced_count,
            one.total_prompt_tokens,
            one.distinct_session_count,
            f"{one.last_injected_at:%m-%d %H:%M}",
            one.entity_id,
        )
        for one in stats
    ]
    columns = ("kind", "#surfaced", "#tokens", "+#sessions", "+last", "id")
    return table(columns, rows, empty="nothing was surfaced")
