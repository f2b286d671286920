"""`sagacity audit`: list, export and verify the audit log."""

import json
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, conclude, facts, show, table
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import TextIO

    from sagacity.client import Sagacity
    from sagacity.client.words.audit import AuditActionWord
    from sagacity.domain.audit import AuditEntry, Verified
    from sagacity.schemas.audit import AuditPage

app = typer.Typer(no_args_is_help=True, help="Every change of access and configuration.")
_PAGE = 1_000
Since = Annotated[datetime | None, typer.Option("--since", help="Only rows since this time, in UTC.")]


@app.command("list")
def list_(
    context: typer.Context,
    *,
    action: Annotated[str | None, typer.Option("--action", help="Only this, such as token.created.")] = None,
    actor: Annotated[str | None, typer.Option("--actor", help="Only what this caller did.")] = None,
    target: Annotated[str | None, typer.Option("--target", help="Only what was done to this id.")] = None,
    since: Since = None,
    limit: options.Limit = 20,
) -> None:
    """
    List the audit log, newest first.

    Example: sagacity audit list --action token.created
    """
    with connected(context, "reading the audit log") as client:
        found = client.get_audit(
            action=_action(action),
            actor=actor,
            target=target,
            start_time=None if since is None else since.replace(tzinfo=since.tzinfo or UTC),
            limit=limit,
        ).entries
    rows = [
        (
            one.seq,
            moment(one.at, seconds=True),
            one.action,
            one.actor,
            one.target,
            json.dumps(one.details, ensure_ascii=False) if one.details else "",
        )
        for one in found
    ]
    columns = ("#row", "at", "action", "by", "+target", "details")
    show(context, found, table(columns, rows, empty="no rows"))


@app.command()
def export(
    context: typer.Context,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write into this file. Default: print.")
    ] = None,
    after: Annotated[int, typer.Option("--after", min=0, help="Only rows behind this one.")] = 0,
) -> None:
    """
    Write the audit log as JSON Lines, oldest first. `verify` checks the file.

    Example: sagacity audit export --output audit.jsonl
    """
    from sagacity.domain.audit import line_of  # noqa: PLC0415  lazy like the rest
    from sagacity.domain.ids import OrgId  # noqa: PLC0415  with it

    rows = 0
    with connected(context, "reading the audit log") as client, _writing(output) as write:
        for page in _pages(client, after):
            write("".join(f"{line_of(OrgId(page.org_id), entry)}\n" for entry in _entries(page)))
            rows += len(page.entries)
    if output is not None:
        told = {"rows": rows, "file": str(output.expanduser())}
        show(context, told, facts({"written": counted(rows, "row")}))


@contextmanager
def _writing(output: Path | None) -> "Generator[Callable[[str], None]]":
    """Give what writes text, to stdout or a file. An ordinary file is there only once all is written."""
    if output is None:
        yield lambda text: typer.echo(text, nl=False)
        return
    target = output.expanduser()
    is_ordinary = target.is_file() or not target.exists()
    written = target.with_name(f"{target.name}.partial") if is_ordinary else target
    try:
        with written.open("w", encoding="utf-8") as file:
            yield lambda text: _put(file, text)
        if is_ordinary:
            written.replace(target)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror}") from error
    finally:
        if is_ordinary:
            with suppress(OSError):
                written.unlink()


def _put(file: "TextIO", text: str) -> None:
    file.write(text)


@app.command()
def verify(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(help="An export from its first row on. Default: ask the server.")
    ] = None,
    *,
    known: Annotated[
        str | None,
        typer.Option("--known", help="The hash of a row that was there once: it has to be there still."),
    ] = None,
) -> None:
    """
    Check every hash of the audit log, here and not on the server.

    The first row that does not hold is named, and the exit code is 1. Keep the hash of the last
    row somewhere else: with --known, the check also notices rows that were cut off the end.

    Example: sagacity audit verify

    Example: sagacity audit verify audit.jsonl
    """
    from sagacity.domain.audit import ChainCheck  # noqa: PLC0415  lazy like the rest
    from sagacity.domain.ids import OrgId  # noqa: PLC0415  with it

    check, is_known = None, known is None
    with ExitStack() as stack:
        if file is not None:
            parts = _read(file.expanduser())
        else:
            client = stack.enter_context(connected(context, "reading the audit log"))
            parts = ((page.org_id, _entries(page)) for page in _pages(client, 0))
        for org_id, entries in parts:
            check = check or ChainCheck(OrgId(org_id))
            check.see(entries)
            is_known = is_known or any(entry.hash == known for entry in entries)
    check = check or ChainCheck(OrgId(""))
    found = check.result
    told = found.model_dump() | {"is_known_there": is_known}
    conclude(context, told, _drawn(found, is_known=is_known), ok=found.broken is None and is_known)


def _action(text: str | None) -> "AuditActionWord | None":
    from sagacity.domain.audit import AuditAction  # noqa: PLC0415  lazy like the rest

    if text is None:
        return None
    try:
        return AuditAction(text).value
    except ValueError as error:
        raise InvalidInput(f"--action: there is no {text!r}, only {', '.join(AuditAction)}") from error


def _pages(client: "Sagacity", after: int) -> "Iterator[AuditPage]":
    """Yield the log from behind a row on, oldest first; at least one page."""
    behind: int | None = after
    while behind is not None:
        page = client.get_audit(after=behind, limit=_PAGE)
        yield page
        behind = page.next


def _entries(page: "AuditPage") -> "list[AuditEntry]":
    from sagacity.domain.audit import AuditEntry  # noqa: PLC0415  lazy like the rest

    return [AuditEntry(**one.model_dump()) for one in page.entries]


def _read(file: Path) -> "Iterator[tuple[str, Sequence[AuditEntry]]]":
    """Yield the rows of an export, some at a time, with the organisation that they are of."""
    owner: str | None = None
    try:
        with file.open(encoding="utf-8") as lines:
            while some := list(islice(lines, _PAGE)):
                owners, entries = _parsed(some)
                if not entries:
                    continue
                owner = owners[0] if owner is None else owner
                if {*owners} != {owner}:
                    raise InvalidInput(f"{file} holds rows of several organisations")
                yield owner, entries
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InvalidInput(f"{file} is not an export of an audit log") from error


def _parsed(lines: "Sequence[str]") -> "tuple[list[str], list[AuditEntry]]":
    """Return whose each row is, and the rows; ValueError, KeyError, AttributeError or TypeError for what is none."""
    from sagacity.domain.audit import AuditEntry  # noqa: PLC0415  lazy like the rest

    rows: list[dict[str, object]] = [json.loads(line) for line in lines if line.strip()]
    return [str(row.pop("org_id")) for row in rows], [AuditEntry.model_validate(row) for row in rows]


def _drawn(found: "Verified", *, is_known: bool) -> Render:
    told: dict[str, object] = {"rows": found.rows, "last hash": found.head}
    if found.broken is not None:
        told["broken at row"] = f"{found.broken.seq}: {found.broken.why}"
    if not is_known:
        told["missing"] = "no row has the hash that was known: rows were cut off, or replaced"
    if found.broken is None and is_known:
        told["chain"] = "whole"
    return facts(told)
