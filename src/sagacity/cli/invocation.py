"""The global flags, and the connection that they describe."""

import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from sagacity.cli.progress import working
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.client import Sagacity


_RETRY_SECONDS = 2.0
"""How soon a user who forgot to start the server is told so."""


@dataclass(frozen=True)
class Invocation:
    """The global flags of one run."""

    as_json: bool = False
    is_wide: bool = False
    field: str | None = None
    """The field to print of each result."""
    server_url: str | None = None
    api_key: str | None = None
    allow_insecure: bool = False


def of(context: typer.Context) -> Invocation:
    """Return the flags of this run."""
    return context.ensure_object(Invocation)


@contextmanager
def connected(context: typer.Context, doing: str | None) -> Generator["Sagacity"]:
    """
    Connect to the server of the flags, and show on stderr what is being done if it takes long.

    Args:
        context: of the command.
        doing: shown meanwhile, such as "searching"; None if a bar is shown instead.
    """
    import logging  # noqa: PLC0415  with it

    from sagacity.client import Sagacity  # noqa: PLC0415  it loads the HTTP stack, and `--help` should not

    logging.getLogger("sagacity.client").addHandler(logging.NullHandler())  # commands print it themselves
    flags = of(context)
    with (
        Sagacity(
            flags.server_url,
            flags.api_key,
            retry_seconds=_RETRY_SECONDS,
            allow_insecure=flags.allow_insecure,
        ) as client,
        working(doing) if doing else nullcontext(),
    ):
        yield client


def confirm(context: typer.Context, question: str, *, yes: bool) -> None:
    """
    Ask before something is lost, unless *yes* was given.

    Raises:
        InvalidInput: there is no terminal to ask on.
        typer.Abort: the answer is no.
    """
    if yes:
        return
    if of(context).as_json or not sys.stdin.isatty():
        raise InvalidInput(f"{question} Pass --yes to answer yes without being asked.")
    typer.confirm(question, abort=True, err=True)
