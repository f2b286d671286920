"""Progress on stderr: a spinner or a bar on a terminal, plain lines elsewhere."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE_SECONDS = 2.0
Advance = Callable[[int, int], None]
"""Says how many of how many are done."""
Tell = Callable[[int, int, str], None]
"""Says how many of how many are done, and what else there is to say of it."""


def stderr() -> Console:
    """Return the console for everything that is not a result."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def working(text: str) -> Generator[None]:
    """Say what is being done: at once on a terminal, elsewhere only if it takes longer than two seconds."""
    console = stderr()
    if console.is_terminal:
        with console.status(f"[dim]{text}…[/dim]"):
            yield
        return
    timer = threading.Timer(PATIENCE_SECONDS, console.print, [f"{text} …"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def advancing(text: str) -> Generator[Advance]:
    """Show how far something is; elsewhere than on a terminal a line every two seconds, and the last."""
    with detailing(text) as tell:
        yield lambda done, total: tell(done, total, "")


@contextmanager
def detailing(text: str) -> Generator[Tell]:
    """Show how far something is, with what else there is to say of it, as `advancing` does."""
    console = stderr()
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(text, total=None)

            def move(done: int, total: int, detail: str) -> None:
                description = f"{text} ({detail})" if detail else text
                bar.update(task, description=description, completed=done, total=total)

            yield move
        return
    yield _lines(console, text)


def _lines(console: Console, text: str) -> Tell:
    said_at, said = time.monotonic(), ""

    def move(done: int, total: int, detail: str) -> None:
        nonlocal said_at, said
        line = f"{text}: {done} of {total}" + (f", {detail}" if detail else "")
        if line != said and (done == total or time.monotonic() - said_at >= PATIENCE_SECONDS):
            console.print(line)
            said_at, said = time.monotonic(), line

    return move
