"""`sagacity health`: problems of stored memories, and what to do about them."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, show, table
from sagacity.cli.review import AllUsers
from sagacity.domain.amounts import counted

if TYPE_CHECKING:
    from sagacity.schemas.memory_health import MemoryHealth


def health(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    all_users: AllUsers = False,
    days_back: Annotated[
        int,
        typer.Option("--days-back", min=1, max=36_500, help="Stale is what was not used for so many days."),
    ] = 30,
) -> None:
    """
    Show what is wrong with memories, and what to do.

    Counts junk, duplicates, contradictions, stale memories and those whose evidence is gone. The score is from 0
    to 100. Nothing is changed. Without a user, all users' memories are looked at.

    Example: sagacity health --user-id ana
    """
    with connected(context, "looking at memories") as client:
        found = client.get_memory_health(
            user_id=user_id, include_all_users=all_users or user_id is None, days_back=days_back
        )
    show(context, found, _drawn(found))


def _drawn(found: "MemoryHealth") -> Render:
    rows = [
        (
            *((one.problem, f"{one.count:,}", f"{one.share:.1%}") if place == 0 else ("", "", "")),
            f"{example.entity_type} {example.entity_id}" if example else "",
            example.content if example else "",
            one.next_step if example and place == 0 else "",
        )
        for one in found.problems
        for place, example in enumerate(one.examples or (None,))
    ]

    def draw(console: Console) -> None:
        score = "none" if found.score is None else f"{found.score} of 100"
        console.print(plain(f"score {score}; {found.msg or counted(found.memory_count, 'memory')}", "bold"))
        table(("problem", "#count", "#share", "example", "content", "next"), rows, empty="")(console)

    return draw
