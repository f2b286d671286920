"""The command `sagacity demo` itself."""

import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.output import show
from sagacity.cli.progress import stderr, working

if TYPE_CHECKING:
    from sagacity.client import Sagacity

SOME, EVERYTHING = 4, 10_000


def demo(
    context: typer.Context,
    *,
    data: Annotated[Path | None, typer.Option("--data", help="Folder of the example conversations.")] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show all that was learned.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the database.")] = False,
) -> None:
    """
    Show what Sagacity learns from real conversations.

    Starts a server of its own in a temporary folder, publishes support conversations and personal chats, shows
    what it learned from which words, and searches it. It uses no model key, and does not touch your data.

    Example: sagacity demo
    """
    from sagacity.cli.demo.conversations import data_folder, load_script  # noqa: PLC0415  not for `--help`
    from sagacity.cli.demo.draw import draw  # noqa: PLC0415  not for `--help`
    from sagacity.cli.demo.story import play  # noqa: PLC0415  not for `--help`

    script = load_script(data_folder(data))
    stderr().print("A server of its own, no model key, real conversations.", style="dim")
    started = time.monotonic()
    with _home(keep=keep) as home, _server(home) as client:
        story = play(client, script)
    outcome = story.model_copy(update={"seconds": round(time.monotonic() - started, 1)})
    kept = str(home) if keep else None
    show(
        context,
        outcome,
        lambda console: draw(console, outcome, limit=EVERYTHING if show_all else SOME, kept=kept),
        kept=kept,
    )


@contextmanager
def _home(*, keep: bool) -> Generator[Path]:
    if keep:
        yield Path(tempfile.mkdtemp(prefix="sagacity-demo-"))
        return
    with tempfile.TemporaryDirectory(prefix="sagacity-demo-") as folder:
        yield Path(folder)


@contextmanager
def _server(home: Path) -> "Generator[Sagacity]":
    from sagacity.cli.demo.server import OwnServer  # noqa: PLC0415  not for `--help`
    from sagacity.client import Sagacity  # noqa: PLC0415  not for `--help`

    with OwnServer(home) as server:
        with working("starting a server"):
            url = server.url()
        with Sagacity(url) as client:
            yield client
