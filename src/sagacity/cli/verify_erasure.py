"""`sagacity verify-erasure`: check that a report is genuine and that the user is still gone."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from sagacity.cli.output import Render, conclude, facts
from sagacity.domain.erasure import FORMAT, ErasureReport
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import UserId

if TYPE_CHECKING:
    from sagacity.maintenance import ErasureCheck


def verify_erasure(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A report: `sagacity users report ID --output FILE`.")],
    *,
    user_id: Annotated[
        str | None,
        typer.Option(
            "--user-id", "-u", help="The user: then texts and the database's files are searched too."
        ),
    ] = None,
) -> None:
    """
    Check a report on an erasure, and search once more.

    The signature is checked, and the configured database is searched. The exit code is 1 if
    the report is not genuine, or something of the user is found.

    Example: sagacity verify-erasure erasure.json --user-id ana
    """
    report = _read(file.expanduser())
    found = asyncio.run(_verify(report, None if user_id is None else UserId(user_id)))
    conclude(context, found, _drawn(found, searched=user_id is not None), ok=found.holds)


def _read(file: Path) -> ErasureReport:
    try:
        report = ErasureReport.model_validate_json(file.read_bytes())
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise InvalidInput(f"{file} is no report of an erasure") from error
    if report.format != FORMAT:
        raise InvalidInput(f"{file} has the format {report.format!r}, and this release reads {FORMAT!r}")
    return report


async def _verify(report: ErasureReport, user_id: UserId | None) -> "ErasureCheck":
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.maintenance import verify_erasure as verify  # noqa: PLC0415  it loads the whole server

    return await verify(load_settings(), report, user_id)


def _drawn(found: "ErasureCheck", *, searched: bool) -> Render:
    if not found.is_genuine:
        return facts(
            {"signature": "not genuine: the report was changed, or another installation's key signed it"}
        )
    told: dict[str, object] = {
        "signature": "genuine",
        "found": ", ".join(found.found) or "nothing",
        "texts and files": "searched" if searched else "not searched: pass --user-id",
        "mentioned in": ", ".join(found.mentions) or "nothing",
    }
    if found.is_user_back:
        told["note"] = "a user of that id has been stored again since; those rows are not counted"
    return facts(told)
