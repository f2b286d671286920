"""`sagacity operations`: long runs that someone started."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import GENERAL, Render, facts, plain, said, show, table
from sagacity.cli.progress import Tell, detailing, stderr
from sagacity.domain.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.domain.views.operation import OperationView

app = typer.Typer(no_args_is_help=True, help="Long runs that someone started.")

Service = Annotated[
    Literal["profile_generation", "playbook_generation", "playbook_aggregation", "skill_generation"] | None,
    typer.Option("--service", help="Only of this sort."),
]
OperationId = Annotated[str, typer.Argument(help="Which run; see `list`.")]


@app.command("list")
def list_operations(
    context: typer.Context,
    *,
    service: Service = None,
    status: Annotated[
        Literal["in_progress", "completed", "failed", "cancelled"] | None,
        typer.Option("--status", help="Only in this state."),
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """
    List runs, the newest first.

    Example: sagacity operations list --status in_progress
    """
    with connected(context, "reading operations") as client:
        found = client.get_operations(service_name=service, status=status, limit=limit).operations
    rows = [
        (
            one.operation_id,
            f"{one.service_name} ({one.mode})",
            one.status,
            f"{one.processed_users} of {one.total_users}",
            one.failed_users,
            one.stats.total_generated,
            moment(one.started_at),
        )
        for one in found
    ]
    columns = ("#operation", "what", "state", "users", "failed", "generated", "#started")
    show(context, found, table(columns, rows, empty="nothing was ever run"))


@app.command("show")
def show_operation(context: typer.Context, operation_id: OperationId) -> None:
    """
    Show how a run stands, with the users whose part failed.

    Example: sagacity operations show 0199c2e4-…
    """
    with connected(context, "reading the operation") as client:
        found = _standing(client, operation_id)
    show(context, found, draw(found))


@app.command()
def watch(context: typer.Context, operation_id: OperationId) -> None:
    """
    Follow a run until it has ended; exit code 1 if it failed, was cancelled, or some users' part failed.

    Example: sagacity operations watch 0199c2e4-…
    """
    with connected(context, None) as client:
        found = _standing(client, operation_id)
        ended = follow(client, found.operation_id, str(found.service_name)) if found.is_running else found
    end(context, ended)


@app.command()
def cancel(
    context: typer.Context,
    operation_id: Annotated[str | None, typer.Argument(help="Which run; see `list`.")] = None,
    *,
    service: Service = None,
    every: Annotated[bool, typer.Option("--all", help="Whatever is running.")] = False,
) -> None:
    """
    Stop a run. What it has written stays; it stops between two windows.

    Example: sagacity operations cancel 0199c2e4-…

    Example: sagacity operations cancel --service profile_generation
    """
    if (operation_id is not None) + (service is not None) + every != 1:
        raise InvalidInput("pass exactly one of: an operation, --service, --all")
    with connected(context, "cancelling") as client:
        reply = client.cancel_operation(operation_id=operation_id, service_name=service)
    show(context, reply, said(reply.msg or "cancelled"))


def _standing(client: "Sagacity", operation_id: str) -> "OperationView":
    found = client.get_operation_status(operation_id=operation_id).operation_status
    if found is None:
        raise NotFound(f"no operation {operation_id!r}")
    return found


def follow(client: "Sagacity", operation_id: str, text: str) -> "OperationView":
    """Wait until a run has ended, with a bar of its users; an interrupt leaves the run alone, and says so."""
    with _left_alone(operation_id), detailing(text) as tell:
        return client.wait_for_operation(operation_id, on_progress=teller(tell))


def teller(tell: Tell) -> "Callable[[OperationView], None]":
    """Return what shows how a run stands."""

    def note(standing: "OperationView") -> None:
        stats = standing.stats
        detail = f"{stats.total_interactions_processed:,} turns read, {stats.total_generated:,} generated"
        tell(standing.processed_users, max(standing.total_users, 1), detail)

    return note


@contextmanager
def _left_alone(operation_id: str) -> Generator[None]:
    try:
        yield
    except KeyboardInterrupt:
        console = stderr()
        console.print(plain(f"operation {operation_id} goes on without you"))
        console.print(plain(f"follow it with: sagacity operations watch {operation_id}", "dim"))
        console.print(plain(f"stop it with:   sagacity operations cancel {operation_id}", "dim"))
        raise


def end(context: typer.Context, ended: "OperationView") -> None:
    """Show how a run ended, and end the program with 1 unless all of it went well."""
    show(context, ended, draw(ended))
    if not went_well(ended):
        raise typer.Exit(GENERAL)


def went_well(ended: "OperationView") -> bool:
    """Whether a run did all that it was asked for."""
    return ended.status == "completed" and not ended.failed_users


def draw(found: "OperationView") -> Render:
    """Draw a run: how far it is, what it has written, and whose part failed."""
    head = facts(
        {
            "operation": found.operation_id,
            "what": f"{found.service_name} ({found.mode})",
            "state": f"{found.status} (told to stop)"
            if found.cancel_requested and found.is_running
            else found.status,
            "users": f"{found.processed_users} of {found.total_users} ({found.progress_percentage:g} %)",
            "failed": found.failed_users,
            "turns read": found.stats.total_interactions_processed,
            "generated": found.stats.total_generated,
            "started": moment(found.started_at),
            "ended": "" if found.completed_at is None else moment(found.completed_at),
            **({"error": found.error_message} if found.error_message else {}),
        }
    )
    failures = table(
        ("user", "error"), [(one.user_id, one.error) for one in found.failed_user_ids], empty="no failures"
    )

    def render(console: Console) -> None:
        head(console)
        if found.failed_user_ids:
            console.print(plain(""))
            failures(console)
            if (left := found.failed_users - len(found.failed_user_ids)) > 0:
                console.print(plain(f"… and {left} more", "dim"))

    return render
