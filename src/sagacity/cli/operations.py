"""`sagacity operations`: list, follow and cancel operations."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, conclude, facts, plain, said, show, table
from sagacity.cli.progress import Tell, detailing, stderr
from sagacity.cli.timeouts import PATIENCE_SECONDS, patiently
from sagacity.domain.amounts import counted
from sagacity.domain.cluster import Aggregated, SkillsMade
from sagacity.domain.errors import InvalidInput, NotFound, SagacityError
from sagacity.domain.operation import OperationMode, OperationName

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.domain.views.operation import OperationView
    from sagacity.schemas.aggregation import PlaybookAggregationReply
    from sagacity.schemas.base import Reply
    from sagacity.schemas.skills import SkillGenerationReply

app = typer.Typer(no_args_is_help=True, help="Long-running work that someone started.")

Service = Annotated[
    Literal[
        "profile_generation",
        "playbook_generation",
        "playbook_aggregation",
        "skill_generation",
        "user_erasure",
    ]
    | None,
    typer.Option("--service", help="Only of this type."),
]
OperationId = Annotated[str, typer.Argument(help="The operation's id; see `list`.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it ends.")]
_DOING = {
    OperationName.PROFILE_GENERATION: "learning profiles",
    OperationName.PLAYBOOK_GENERATION: "learning playbooks",
    OperationName.PLAYBOOK_AGGREGATION: "aggregating playbooks",
    OperationName.SKILL_GENERATION: "writing skills",
    OperationName.USER_ERASURE: "erasing a user",
}


@app.command("list")
def list_operations(
    context: typer.Context,
    *,
    service: Service = None,
    status: Annotated[
        Literal["in_progress", "completed", "failed", "cancelled"] | None,
        typer.Option("--status", help="Only with this status."),
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """
    List operations, newest first.

    Example: sagacity operations list --status in_progress
    """
    with connected(context, "reading operations") as client:
        found = client.get_operations(service_name=service, status=status, limit=limit).operations
    rows = [
        (
            one.operation_id,
            what(one),
            one.status,
            " of ".join(map(str, one.progress)),
            one.failed_users,
            one.stats.total_generated,
            moment(one.started_at),
        )
        for one in found
    ]
    columns = ("#operation", "what", "state", "#done", "+failed", "+generated", "+#started")
    show(context, found, table(columns, rows, empty="nothing was ever run"))


@app.command("show")
def show_operation(context: typer.Context, operation_id: OperationId) -> None:
    """
    Show the state of an operation, with the users that failed.

    Example: sagacity operations show 0199c2e4-…
    """
    with connected(context, "reading the operation") as client:
        found = _status(client, operation_id)
    show(context, found, draw(found))


@app.command()
def watch(context: typer.Context, operation_id: OperationId) -> None:
    """
    Follow an operation until it ends. The exit code is 1 if it failed, was cancelled, or failed for some users.

    Example: sagacity operations watch 0199c2e4-…
    """
    with connected(context, None) as client:
        found = _status(client, operation_id)
        ended = follow(client, found.operation_id, what(found)) if found.is_running else found
    end(context, ended)


@app.command()
def cancel(
    context: typer.Context,
    operation_id: Annotated[str | None, typer.Argument(help="The operation's id; see `list`.")] = None,
    *,
    service: Service = None,
    every: Annotated[bool, typer.Option("--all", help="All running operations.")] = False,
) -> None:
    """
    Cancel an operation after its current window. What it has written stays.

    Example: sagacity operations cancel 0199c2e4-…

    Example: sagacity operations cancel --service profile_generation
    """
    if (operation_id is not None) + (service is not None) + every != 1:
        raise InvalidInput("pass exactly one of: an operation, --service, --all")
    with connected(context, "cancelling") as client:
        reply = client.cancel_operation(operation_id=operation_id, service_name=service)
    show(context, reply, said(reply.msg or "cancelled"))


def _status(client: "Sagacity", operation_id: str) -> "OperationView":
    found = client.get_operation_status(operation_id=operation_id).operation_status
    if found is None:
        raise NotFound(f"no operation {operation_id!r}")
    return found


def follow(
    client: "Sagacity",
    operation_id: str,
    text: str,
    *,
    undone: str = "",
    patience_seconds: float = PATIENCE_SECONDS,
) -> "OperationView":
    """
    Wait until a run has ended, with a progress bar; on Ctrl-C, the run continues and a message says so.

    Args:
        client: of the server where it runs.
        operation_id: which.
        text: what is being done.
        undone: what was to be done after it, and is not if nobody waits for its end.
        patience_seconds: how long to look for a server that is gone, before that is an error.
    """
    with _left_alone(operation_id, undone), detailing(text) as tell:
        note = teller(tell)

        def wait(heard: Callable[[], None]) -> "OperationView":
            def seen(standing: "OperationView") -> None:
                heard()
                note(standing)

            return client.wait_for_operation(operation_id, on_progress=seen)

        return patiently(wait, patience_seconds=patience_seconds)


def run(
    context: typer.Context,
    start: "Callable[[Sagacity], PlaybookAggregationReply | SkillGenerationReply]",
    text: str,
    outcome: type[Aggregated | SkillsMade],
    *,
    wait: bool,
) -> None:
    """
    Start a run of the whole organisation; to *wait* for its end is to be told in a line what came of it.

    Args:
        context: of the command.
        start: starts it.
        text: what is being done.
        outcome: what its result is.
        wait: whether to.
    """
    with connected(context, None) as client:
        started = start(client)
        if not wait:
            announce(context, started, started.operation_id)
            return
        ended = follow(client, started.operation_id, text)
    if not went_well(ended):
        end(context, ended)
    show(context, ended, said(outcome.model_validate(ended.result or {}).message))


def teller(tell: Tell) -> "Callable[[OperationView], None]":
    """Return a renderer of a run's state."""

    def note(standing: "OperationView") -> None:
        stats = standing.stats
        read = (
            f"{counted(stats.total_interactions_processed, 'turn')} read, {stats.total_generated} generated"
        )
        done, total = standing.progress
        if standing.service_name is OperationName.USER_ERASURE:
            tell(done, max(total, 1), standing.error_message or "steps")
            return
        detail = (
            read if standing.service_name.is_of_users else "clusters" if standing.total_steps else "reading"
        )
        tell(done, max(total, 1), f"{detail}; {standing.error_message}" if standing.error_message else detail)

    return note


def what(found: "OperationView") -> str:
    """Return what a run does, in the words in which it was asked for."""
    doing = _DOING[found.service_name]
    return f"{doing} (newest turns)" if found.mode is OperationMode.MANUAL else doing


def how_to_follow(operation_id: str) -> str:
    """Return what to type to see how a run goes on."""
    return f"follow it with: sagacity operations watch {operation_id}"


def announce(context: typer.Context, started: "Reply", operation_id: str) -> None:
    """Print which run was started, and how to follow it."""

    def render(console: Console) -> None:
        console.print(plain(f"started operation {operation_id}"))
        console.print(plain(how_to_follow(operation_id), "dim"))

    show(context, started, render)


@contextmanager
def _left_alone(operation_id: str, undone: str) -> Generator[None]:
    try:
        yield
    except (KeyboardInterrupt, SagacityError):
        console = stderr()
        console.print(plain(f"operation {operation_id} goes on without you"))
        console.print(plain(how_to_follow(operation_id), "dim"))
        console.print(plain(f"stop it with:   sagacity operations cancel {operation_id}", "dim"))
        if undone:
            console.print(plain(undone, "yellow"))
        raise


def end(context: typer.Context, ended: "OperationView", *, then: str = "") -> None:
    """Print how a run ended and what to do *then*; exits with 1 unless it succeeded for all."""

    def render(console: Console) -> None:
        draw(ended)(console)
        if then:
            console.print(plain(then, "dim"))

    conclude(context, ended, render, ok=went_well(ended))


def went_well(ended: "OperationView") -> bool:
    """Whether a run succeeded for all."""
    return ended.status == "completed" and not ended.failed_users


def _counts(found: "OperationView") -> dict[str, object]:
    done, total = found.progress
    so_far = f"{done} of {total} ({found.progress_percentage:g} %)"
    if found.service_name is OperationName.USER_ERASURE:
        return {"steps": so_far} if found.total_steps else {}
    if not found.service_name.is_of_users:
        return {"clusters": so_far} if found.total_steps else {}
    return {
        "users": f"{found.processed_users} of {found.total_users} ({found.progress_percentage:g} %)"
        if found.total_users
        else "none whose turns are meant",
        "failed": found.failed_users,
        "turns read": found.stats.total_interactions_processed,
        "generated": found.stats.total_generated,
    }


def draw(found: "OperationView") -> Render:
    """Draw a run: how far it is, what it has written, and whose part failed."""
    head = facts(
        {
            "operation": found.operation_id,
            "what": what(found),
            "state": f"{found.status} (told to stop)"
            if found.cancel_requested and found.is_running
            else found.status,
            **_counts(found),
            "started": moment(found.started_at),
            "ended": moment(found.completed_at),
            **({"error": found.error_message} if found.error_message else {}),
            **({"note": found.note} if found.note else {}),
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
