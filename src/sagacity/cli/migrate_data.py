"""`sagacity migrate-data`: move everything to another database, of the same kind or another."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli.output import Render, facts, said, show
from sagacity.cli.steps import stepping
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from sagacity.storage.transfer.copy import Copied, Step


def migrate_data(
    context: typer.Context,
    *,
    target: Annotated[str, typer.Option("--to", help="URL of the database to fill; must be empty.")],
    source: Annotated[
        str, typer.Option("--from", help="URL of the database to read; default: the configured one.")
    ] = "",
    verify_only: Annotated[
        bool, typer.Option("--verify-only", help="Only compare the two databases.")
    ] = False,
) -> None:
    """
    Copy everything into another database, and verify it.

    Stop the servers first: what they write meanwhile is not copied. If interrupted, run the same command again:
    it continues where it stopped. The source is not changed. Rows are verified by count and checksum, table by
    table.

    Example: sagacity migrate-data --to postgresql://sagacity_app@db.example/sagacity

    Example: sagacity migrate-data --from sqlite:////data/sagacity.db --to sqlite:////data/copy.db
    """
    with stepping() as report:
        tables = asyncio.run(_run(source, target, report, verify_only=verify_only))
    rows = sum(table.rows for table in tables)
    meta = {"rows": rows, "verified": True}
    show(context, tables, _drawn(tables, rows, verify_only=verify_only), **meta)


async def _run(
    source: str, target: str, report: "Callable[[Step], None]", *, verify_only: bool
) -> "list[Copied]":
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  with it
    from sagacity.maintenance import open_whole  # noqa: PLC0415  it loads the whole server
    from sagacity.storage.open import is_same  # noqa: PLC0415  with it
    from sagacity.storage.transfer.copy import compare, copy  # noqa: PLC0415  with it

    settings = load_settings()
    source = source or settings.storage_url
    if is_same(source, target):
        raise InvalidInput("--from and --to name the same database")
    async with (
        open_whole(settings, source, as_found=True) as read,
        open_whole(settings, target, as_found=verify_only) as written,
    ):
        if verify_only:
            return await compare(read, written, report)
        return await copy(read, written, report, now=SystemClock().now())


def _drawn(tables: "list[Copied]", rows: int, *, verify_only: bool) -> Render:
    did = "equal" if verify_only else "copied and verified"
    counts = facts({table.table: f"{table.rows:,} rows" for table in tables if table.rows})
    total = said(f"{rows:,} rows are {did}")

    def render(console: Console) -> None:
        counts(console)
        total(console)

    return render
