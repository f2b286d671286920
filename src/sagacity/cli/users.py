"""`sagacity users`: list users, and erase one with everything stored about them."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.operations import announce, draw, follow, went_well
from sagacity.cli.output import Render, conclude, facts, plain, said, show, table
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.domain.erasure import ErasureReport
    from sagacity.schemas.erasure import ErasureView

app = typer.Typer(no_args_is_help=True, help="Users as a whole.")
ErasureId = Annotated[str, typer.Argument(help="The erasure's id; see `erasures`.")]


@app.command("list")
def list_users(
    context: typer.Context,
    *,
    after: Annotated[str | None, typer.Option("--after", help="Only users after this one.")] = None,
    limit: options.Limit = 20,
) -> None:
    """
    List users by id, with turns, last publish and memories.

    Turns include deleted ones. Memories are the current ones of every kind.

    Example: sagacity users list
    """
    with connected(context, "reading users") as client:
        page = client.get_users(after=after, limit=limit)
    rows = [(one.user_id, one.turns, moment(one.last_publish_at), one.memories) for one in page.users]
    listed = table(("user", "#turns", "#last publish", "#memories"), rows, empty="no users")

    def render(console: Console) -> None:
        listed(console)
        if page.next is not None:
            console.print(plain(f"there are more: add --after {shlex.quote(page.next)}", "dim"))

    show(context, page.users, render, next=page.next)


@app.command()
def delete(
    context: typer.Context,
    user_id: Annotated[str, typer.Argument(help="The user.", metavar="USER_ID")],
    *,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it has ended.")] = True,
    yes: options.Yes = False,
) -> None:
    """
    Erase all that is stored of a user, and write a signed report. It cannot be undone or cancelled.

    Example: sagacity users delete ana --yes
    """
    confirm(context, f"Erase all that is stored of {user_id}? It cannot be undone.", yes=yes)
    with connected(context, None) as client:
        started = client.erase_user(user_id, wait_for_response=False)
        if not wait:
            announce(context, started, started.operation_id)
            return
        ended = follow(client, started.operation_id, "erasing a user")
        erasure = client.get_erasure(started.operation_id)
    if not went_well(ended):
        conclude(context, ended, draw(ended), ok=False)
    show(context, erasure, _drawn(erasure))


@app.command()
def erasures(context: typer.Context, *, limit: options.Limit = 20) -> None:
    """
    List erasures, newest first.

    Example: sagacity users erasures
    """
    with connected(context, "reading erasures") as client:
        found = client.get_erasures(limit=limit).erasures
    rows = [
        (
            one.erasure_id,
            moment(one.requested_at),
            moment(one.gone_at),
            moment(one.finished_at),
            one.user_hash,
        )
        for one in found
    ]
    columns = ("#erasure", "asked for", "rows gone", "ended", "+#user")
    show(context, found, table(columns, rows, empty="nobody was ever erased"))


@app.command()
def report(
    context: typer.Context,
    erasure_id: ErasureId,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the signed report into this file.")
    ] = None,
) -> None:
    """
    Show the report of an erasure, or write it into a file.

    The file is for `sagacity verify-erasure`.

    Example: sagacity users report 0199c2e4-… --output erasure.json
    """
    with connected(context, "reading a report") as client:
        found = client.get_erasure(erasure_id)
    if output is None:
        show(context, found, _drawn(found))
        return
    if found.report is None:
        raise InvalidInput("the erasure has not ended yet")
    try:
        output.expanduser().write_text(f"{found.report.model_dump_json(indent=2)}\n", encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}") from error
    show(context, {"path": str(output)}, said(f"{output}: written"))


def _drawn(erasure: "ErasureView") -> Render:
    shown: dict[str, object] = {
        "erasure": erasure.erasure_id,
        "user (keyed hash)": erasure.user_hash,
        "asked for": moment(erasure.requested_at),
        "rows gone": moment(erasure.gone_at),
        "ended": moment(erasure.finished_at),
    }
    if erasure.report is None:
        return facts(shown)
    head = facts(shown | _told(erasure.report))
    backups = [
        (one.path, moment(one.made_at), {True: "yes", False: "no", None: "cannot be read"}[one.holds_user])
        for one in erasure.report.backups
    ]
    listed = table(("backup", "made", "holds the user"), backups, empty="no backups are known")

    def render(console: Console) -> None:
        head(console)
        console.print(plain(""))
        listed(console)
        console.print(plain(""))
        console.print(plain("out of reach of this program:", "dim"))
        for one in erasure.report.beyond_reach if erasure.report else ():
            console.print(plain(f"  {one}", "dim"))

    return render


def _told(report: "ErasureReport") -> dict[str, object]:
    deleted = ", ".join(f"{name} {count}" for name, count in report.deleted.items() if count)
    names = ", ".join(f"{one.kind} {one.uid}" for one in report.withdrawn)
    return {
        "deleted": deleted or "nothing was stored",
        "kept without name": ", ".join(f"{name} {count}" for name, count in report.unnamed.items()),
        "withdrawn": names or "nothing rested on the user",
        "files": report.files,
        "searched": f"{report.scan.tables} tables, {len(report.scan.files)} files: nothing found",
        "mentioned in": ", ".join(report.scan.mentions) or "nothing",
        "database": report.database,
        "key": report.public_key,
    }
