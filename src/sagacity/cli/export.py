"""`sagacity export`: all that is stored of a user, or of an organisation, in one file."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.output import said, show
from sagacity.cli.steps import stepping
from sagacity.cli.tokens import DEFAULT_ORG
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.cli.steps import OnStep
    from sagacity.storage.portable.files import Exported


def export(
    context: typer.Context,
    *,
    user: Annotated[str | None, typer.Option("--user", help="Only this user's data.")] = None,
    org: Annotated[
        str | None,
        typer.Option("--org", help="The organisation; without --user, all of it is exported."),
    ] = None,
    target: Annotated[Path, typer.Option("--to", help="File to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """
    Export a user or an organisation into one file.

    The file holds JSON Lines, and gets its name only once it is complete. Servers may run meanwhile: it works on the
    configured database itself. Conversations are in it: protect it accordingly. Tokens, keys, accounts and
    configurations are not.

    Example: sagacity export --user ana --to ana.jsonl

    Example: sagacity export --org acme --to acme.jsonl
    """
    if user is None and org is None:
        raise InvalidInput("say what to export: --user USER_ID, or --org ORG for a whole organisation")
    if user is not None and not user.strip():
        raise InvalidInput("--user must not be blank")
    with stepping() as report:
        done = asyncio.run(
            _run(org or DEFAULT_ORG, user, target.expanduser().absolute(), report, force=force)
        )
    text = f"{done.path}: {counted(done.lines, 'line')}, {done.size_bytes:,} bytes"
    show(context, done, said(text))


async def _run(org: str, user: str | None, path: Path, report: "OnStep", *, force: bool) -> "Exported":
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.ids import OrgId, UserId  # noqa: PLC0415  with it
    from sagacity.domain.tenant import Tenant  # noqa: PLC0415  with it
    from sagacity.maintenance import export_file  # noqa: PLC0415  it loads the whole server

    user_id = None if user is None else UserId(user)
    return await export_file(load_settings(), Tenant(org_id=OrgId(org)), user_id, path, report, replace=force)
