"""`sagacity quarantine`: take data out of everything that is served, and put it back."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import facts, show, table

if TYPE_CHECKING:
    from sagacity.schemas.quarantines import QuarantineView

app = typer.Typer(no_args_is_help=True, help="What must not be served, with all that was learned from it.")
Target = Literal["source", "request", "user", "learner"]
QuarantineId = Annotated[str, typer.Argument(help="The quarantine's id; see `list`.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it is kept with the quarantine.")]


@app.command()
def add(
    context: typer.Context,
    target: Annotated[Target, typer.Argument(help="What the value names.")],
    value: Annotated[
        str, typer.Argument(help="The source, the id of the request or user, or the learner's name.")
    ],
    *,
    reason: Reason = "",
) -> None:
    """
    Hold something, with all that was derived from it.

    It is served nowhere. Nothing is deleted; `release` brings it back. What is derived from it later is held too.

    Example: sagacity quarantine add source web-import --reason "planted instructions"
    """
    with connected(context, "holding") as client:
        begun = client.quarantine(target, value, reason=reason)
    show(context, begun, facts(_told(begun)))


@app.command("list")
def list_(
    context: typer.Context,
    *,
    standing: Annotated[
        bool | None,
        typer.Option("--standing/--released", help="Only those that stand, or that were released."),
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """
    List quarantines, newest first.

    Example: sagacity quarantine list --standing
    """
    with connected(context, "reading quarantines") as client:
        found = client.get_quarantines(is_standing=standing, limit=limit).quarantines
    rows = [
        (
            one.quarantine_id,
            one.target,
            one.value,
            moment(one.created_at),
            one.actor,
            one.memory_count,
            "stands" if one.is_standing else moment(one.released_at),
            one.reason,
        )
        for one in found
    ]
    columns = ("#id", "target", "value", "since", "+by", "#memories", "released", "reason")
    show(context, found, table(columns, rows, empty="nothing was ever held"))


@app.command("show")
def show_(context: typer.Context, quarantine_id: QuarantineId) -> None:
    """
    Show one quarantine.

    Example: sagacity quarantine show 0199c2e4-…
    """
    with connected(context, "reading a quarantine") as client:
        found = client.get_quarantine(quarantine_id)
    show(context, found, facts(_told(found)))


@app.command()
def held(context: typer.Context, quarantine_id: QuarantineId, *, limit: options.Limit = 20) -> None:
    """
    List the memories and turns that a quarantine holds.

    Example: sagacity quarantine held 0199c2e4-…
    """
    with connected(context, "reading what is held") as client:
        found = client.get_held(quarantine_id, limit=limit)
    rows = [(one.kind, one.memory_id, one.user_id or "", one.content) for one in found.memories]
    rows += [("turn", one.interaction_id, one.user_id, one.content) for one in found.interactions]
    show(context, found, table(("kind", "#id", "user", "content"), rows, empty="nothing is held"))


@app.command()
def release(context: typer.Context, quarantine_id: QuarantineId, *, reason: Reason = "") -> None:
    """
    Serve again what no other quarantine holds, as it was before.

    Example: sagacity quarantine release 0199c2e4-… --reason "it was harmless"
    """
    with connected(context, "releasing") as client:
        released = client.release_quarantine(quarantine_id, reason=reason)
    show(context, released, facts(_told(released)))


def _told(one: "QuarantineView") -> dict[str, object]:
    return {
        "quarantine": one.quarantine_id,
        "of": f"{one.target} {one.value}",
        "reason": one.reason,
        "begun": f"{moment(one.created_at)} by {one.actor}",
        "requests": one.request_count,
        "memories": one.memory_count,
        "released": "" if one.released_at is None else f"{moment(one.released_at)} by {one.released_by}",
        "why released": one.release_reason,
    }
