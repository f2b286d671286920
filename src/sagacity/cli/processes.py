"""Several server processes on one port: start them, start another for one that ends, and end them all."""

import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

from sagacity.cli.serve import say_on_stderr

CHILD_OPTION: Final = "--child"
"""Hidden option of `sagacity serve`: the file descriptors of the listening socket and of the link to the parent."""
_READY, _WAITING = b"r", b"w"

_END_SECONDS: Final = 15.0
"""How long children may take to finish their calls; a server itself waits 10 s for them."""
_LONGEST_PAUSE_SECONDS: Final = 30.0
_LIVED_SECONDS: Final = 60.0
"""A child that lived so long is replaced at once; others after a pause that doubles each time."""
_METRICS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where the Prometheus client keeps counters that processes share; it reads this as it is imported."""


class Link:
    """A child's end of the link to its parent."""

    def __init__(self, descriptor: int) -> None:
        self._link = socket.socket(fileno=descriptor)

    def tell_waiting(self) -> None:
        """Tell the parent that this process listens, and waits for its database."""
        self._tell(_WAITING)

    def tell_ready(self) -> None:
        """Tell the parent that this process answers calls."""
        self._tell(_READY)

    def _tell(self, message: bytes) -> None:
        with suppress(OSError):  # the parent has ended, which `end_with_parent` notices
            self._link.sendall(message)

    def end_with_parent(self) -> None:
        """End this process, as SIGTERM would, when the parent ends in whatever way."""

        def watch() -> None:
            while self._link.recv(1):
                pass
            while True:  # while a server starts, a signal can come to nothing
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(1)

        threading.Thread(target=watch, daemon=True, name="parent").start()


def child_of(option: str) -> tuple[socket.socket, Link]:
    """Return the listening socket and the link that a parent passed as `CHILD_OPTION`."""
    listener, link = map(int, option.split(","))
    return socket.socket(fileno=listener), Link(link)


def run_processes(
    count: int,
    listener: socket.socket,
    arguments: list[str],
    *,
    announce: Callable[[bool], None],
) -> int:
    """
    Run *count* server processes until a signal ends this one.

    The first one starts alone, as it may have to make the database; the others follow once it answers calls. One that
    ends is replaced.

    Args:
        count: how many.
        listener: the socket that all accept connections from.
        arguments: of `sagacity serve`.
        announce: called when the first one listens, with whether it still waits for the database.

    Returns:
        The exit code: 0 after a signal, that of the first process if it never answered a call.
    """
    with _shared_metrics() as environment, _signals() as signals:
        return _Processes(count, listener, arguments, environment, announce).run(signals)


class _Child:
    """One server process, and this end of its link."""

    def __init__(self, listener: socket.socket, arguments: list[str], environment: Mapping[str, str]) -> None:
        self.link, other = socket.socketpair()
        with other:
            descriptors = (listener.fileno(), other.fileno())
            self.process = subprocess.Popen(  # noqa: S603  this Python and this program
                [
                    *(sys.executable, "-P", "-m", "sagacity", *arguments),
                    *(CHILD_OPTION, ",".join(map(str, descriptors))),
                ],
                env=environment,
                pass_fds=descriptors,
                start_new_session=True,  # Ctrl-C in a terminal is for this process, which passes it on once
            )
        self.started_at = time.monotonic()


class _Processes:
    """The children, and what to do when one of them says something or ends."""

    def __init__(
        self,
        count: int,
        listener: socket.socket,
        arguments: list[str],
        environment: Mapping[str, str],
        announce: Callable[[bool], None],
    ) -> None:
        self._count = count
        self._make = lambda: _Child(listener, arguments, environment)
        self._announce = announce
        self._selector = selectors.DefaultSelector()
        self._children: list[_Child] = []
        self._has_listened = self._has_answered = False
        self._quick_ends = 0
        self._next_at = 0.0

    def run(self, signals: socket.socket) -> int:
        """Run until a signal comes; returns the exit code."""
        self._selector.register(signals, selectors.EVENT_READ)
        try:
            while True:
                wait = self._start_missing()
                for key, _ in self._selector.select(wait):
                    if key.fileobj is signals:
                        return 0
                    code = self._hear(key.data)
                    if code is not None:
                        return code
        finally:
            self._end_all()
            self._selector.close()

    def _start_missing(self) -> float | None:
        """Start what is missing; returns the seconds until there is more to start, None if nothing is missing."""
        wanted = self._count if self._has_answered else 1
        while len(self._children) < wanted:
            left = self._next_at - time.monotonic()
            if left > 0:
                return left
            child = self._make()
            self._children.append(child)
            self._selector.register(child.link, selectors.EVENT_READ, child)
        return None

    def _hear(self, child: _Child) -> int | None:
        """Take what *child* says; returns an exit code if this process is to end."""
        said = child.link.recv(64)
        if not said:
            return self._ended(child)
        if not self._has_listened:
            self._has_listened = True
            self._announce(said.startswith(_WAITING))
        self._has_answered = self._has_answered or _READY in said
        return None

    def _ended(self, child: _Child) -> int | None:
        code = child.process.wait()
        self._selector.unregister(child.link)
        child.link.close()
        self._children.remove(child)
        if not self._has_answered:
            return max(code, 1)  # it has said why
        lived = time.monotonic() - child.started_at
        self._quick_ends = 0 if lived > _LIVED_SECONDS else self._quick_ends + 1
        pause = min(2.0 ** (self._quick_ends - 1), _LONGEST_PAUSE_SECONDS) if self._quick_ends else 0.0
        self._next_at = time.monotonic() + pause
        say_on_stderr(
            f"A server process ended with exit code {code}; another one starts"
            + (f" in {pause:.0f} s" if pause else "")
        )
        return None

    def _end_all(self) -> None:
        """Ask all children to end, and kill those that do not."""
        for child in self._children:
            child.process.terminate()
        deadline = time.monotonic() + _END_SECONDS
        for child in self._children:
            try:
                child.process.wait(max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()
            child.link.close()


@contextmanager
def _shared_metrics() -> Generator[Mapping[str, str]]:
    """Give the children's environment, with a folder in which they add up their metrics."""
    environment = dict(os.environ)  # noqa: TID251  what a child process starts with
    if _METRICS_FOLDER in environment:
        yield environment
        return
    with tempfile.TemporaryDirectory(prefix="sagacity-metrics-") as folder:
        yield environment | {_METRICS_FOLDER: folder}


@contextmanager
def _signals() -> Generator[socket.socket]:
    """Give a socket that can be read once SIGINT or SIGTERM has come."""
    ours, other = socket.socketpair()
    other.setblocking(False)

    def came(number: int, frame: object) -> None:
        """Do nothing here: the signal's number is written to the socket."""

    former = {number: signal.signal(number, came) for number in (signal.SIGINT, signal.SIGTERM)}
    woken = signal.set_wakeup_fd(other.fileno(), warn_on_full_buffer=False)
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in former.items():
            signal.signal(number, handler)
        ours.close()
        other.close()
