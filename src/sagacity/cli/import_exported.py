"""The part of `sagacity import` that restores a file of `sagacity export`."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from pydantic import JsonValue
from rich.console import Console

from sagacity.cli.output import Render, facts, said, show
from sagacity.cli.steps import stepping
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.cli.steps import OnStep
    from sagacity.storage.portable.arriving import Imported


_BEGINNING = b'{"manifest":{"format":"sagacity-export"'


def is_exported(path: Path) -> bool:
    """
    Return whether a file begins as `sagacity export` begins one, whatever else it holds.

    Raises:
        InvalidInput: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error


def import_exported(context: typer.Context, path: Path, org: str, *, preview: bool) -> None:
    """Read the file into an organisation of the configured database; *preview*: only check it."""
    with stepping() as report:
        done = asyncio.run(_run(org, path.absolute(), report, preview=preview))
    shown: dict[str, JsonValue] = {"is_preview": preview, **done.model_dump(mode="json")}
    show(context, shown, _drawn(done, org, preview=preview))


async def _run(org: str, path: Path, report: "OnStep", *, preview: bool) -> "Imported":
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.ids import OrgId  # noqa: PLC0415  with it
    from sagacity.domain.tenant import Tenant  # noqa: PLC0415  with it
    from sagacity.maintenance import import_file  # noqa: PLC0415  it loads the whole server

    return await import_file(load_settings(), Tenant(org_id=OrgId(org)), path, report, preview=preview)


def _drawn(done: "Imported", org: str, *, preview: bool) -> Render:
    counts = facts({name: f"{count:,} rows" for name, count in done.rows.items() if count})
    rows = counted(sum(done.rows.values()), "row")
    if preview:
        text = f"the file is whole and valid; would be stored in {org}: {rows}"
    elif done.was_complete:
        text = f"all of it is in {org} already; nothing was changed"
    else:
        went_on = ", going on where an earlier import stopped" if done.went_on else ""
        text = f"stored in {org}: {rows}{went_on}"
    if done.embeds_again:
        text += "; another model made its vectors, so the server computes them again"

    def render(console: Console) -> None:
        counts(console)
        said(text)(console)

    return render
