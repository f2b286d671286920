"""What tests have the compute process do: it imports this, as it imports what it does for the server."""

import os
import re
import threading
import time
from pathlib import Path
from typing import NamedTuple


class Where(NamedTuple):
    """Where work is done."""

    pid: int
    niceness: int


def where() -> Where:
    return Where(os.getpid(), os.nice(0))


def where_at_the_second_try(begun: Path) -> Where:
    """Begin, and never end; but where it was begun before."""
    if not begun.exists():
        begun.touch()
        time.sleep(600)
    return where()


def divided(a: int, b: int) -> float:
    return a / b


def unfit_result() -> threading.Lock:
    return threading.Lock()


def unfit_error() -> None:
    raise ValueError("a lock", threading.Lock())


def endless() -> object:
    return re.match(r"(a+)+$", "a" * 60 + "b")


def ending(tries: Path) -> None:
    with tries.open("a") as file:
        file.write("x")
    os._exit(1)


def cut_short(tries: Path) -> None:
    with tries.open("a") as file:
        file.write("x")
    raise EOFError("too short")
