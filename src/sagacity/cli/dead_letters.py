"""`sagacity dead-letters`: windows that a learner gave up on."""

from typing import Annotated

import typer

from sagacity.cli import options
from sagacity.cli.invocation import connected
from sagacity.cli.output import said, show, table
from sagacity.domain.cursor import DeadLetterStatus

app = typer.Typer(no_args_is_help=True, help="Windows that a learner gave up on.")


@app.command("list")
def list_letters(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    status: Annotated[
        DeadLetterStatus | None,
        typer.Option("--status", help="Only with this status."),
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """
    List dead letters, newest first, with the last error.

    Example: sagacity dead-letters list --status parked
    """
    with connected(context, "reading dead letters") as client:
        letters = client.list_dead_letters(user_id=user_id, status=status, limit=limit).dead_letters
    rows = [
        (
            letter.dead_letter_id,
            letter.status,
            letter.user_id,
            letter.learner,
            letter.attempts,
            f"{letter.error_kind}: {letter.error}",
        )
        for letter in letters
    ]
    draws = table(("#id", "status", "user", "learner", "#tries", "last error"), rows, empty="no dead letters")
    show(context, letters, draws)


@app.command()
def replay(
    context: typer.Context,
    dead_letter_id: Annotated[int, typer.Argument(min=1, help="The dead letter's id; see `list`.")],
) -> None:
    """
    Replay a dead letter after its cause is fixed.

    Example: sagacity dead-letters replay 4
    """
    with connected(context, "queueing") as client:
        reply = client.replay_dead_letter(dead_letter_id)
    show(context, reply, said(reply.message or "queued to be learned again"))
