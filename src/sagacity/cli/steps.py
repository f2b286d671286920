"""Progress of work on a whole database: one bar per step on a terminal, occasional lines elsewhere."""

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from sagacity.cli.progress import PATIENCE_SECONDS, Advance, advancing, stderr

if TYPE_CHECKING:
    from sagacity.storage.transfer.copy import Step

    OnStep = Callable[[Step], None]


@contextmanager
def stepping() -> "Generator[OnStep]":
    """Show what is being done and how far it is; where that is no terminal, a line every two seconds."""
    console = stderr()
    if not console.is_terminal:
        yield _lines(console)
        return
    with ExitStack() as shown:
        yield _bars(shown)


def _bars(shown: ExitStack) -> "OnStep":
    bars: dict[str, Advance] = {}

    def move(step: "Step") -> None:
        if step.doing not in bars:
            shown.close()  # the former's
            bars.clear()
            bars[step.doing] = shown.enter_context(advancing(step.doing))
        bars[step.doing](step.done, step.total)

    return move


def _lines(console: Console) -> "OnStep":
    said_at = time.monotonic()

    def move(step: "Step") -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= PATIENCE_SECONDS:
            console.print(f"{step.doing}: {step.done:,} of {step.total:,}")
            said_at = time.monotonic()

    return move
