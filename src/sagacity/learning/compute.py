"""
A separate process for learning without a model, which would otherwise hold the interpreter's lock and block all calls.

It is started when it is first needed, and ends with the process that started it, however that ends. Work is a
module-level function with its arguments; arguments and result are pickled.
"""

import asyncio
import atexit
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair
from typing import Any, Final, TypeVar

T = TypeVar("T")

REPLACED: Final = (
    "another release of Sagacity was installed below this process, which cannot learn by rules: restart it"
)

_FILE: Final = Path(__file__)
_LONGEST_SECONDS: Final = 300.0
"""
Work that takes longer is given up: otherwise a text on which a pattern never ends would stop all learning.

The longest turns that a publish may have are read in seconds.
"""
_PROGRAM: Final = f"from {__name__} import serve; serve()"
_NICE: Final = 5
"""Calls come first if processors are scarce: at this niceness, Linux gives it a third of the time of a process at 0."""


class ComputeError(Exception):
    """The work took too long, the process does not start, or it ended twice during the work."""


class ReplacedError(ComputeError):
    """Another release was installed below this process, so a new compute process would run other code."""


def _written_at(file: Path) -> int | None:
    """Return when *file* was written, in nanoseconds; None if it is gone."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None


class ComputeProcess:
    """A process that runs one function at a time, in order of request."""

    def __init__(self, *, longest_seconds: float = _LONGEST_SECONDS, file: Path = _FILE) -> None:
        """
        Prepare the process, without starting it.

        Args:
            longest_seconds: how long work may take.
            file: a file of the program that an upgrade writes.
        """
        self._longest_seconds = longest_seconds
        self._file, self._since = file, _written_at(file)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="compute")
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    @property
    def is_replaced(self) -> bool:
        """Whether another release was installed below this process, so a new compute process would run other code."""
        return _written_at(self._file) != self._since

    @property
    def pid(self) -> int | None:
        """The process id; None while there is none."""
        return None if self._process is None else self._process.pid

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """
        Return the result of *work* in that process.

        Raises:
            ComputeError: the work took too long, or the process does not start, or it ended twice.
            ReplacedError: the process can no longer be started.
            Exception: what *work* raised, with a note that says where.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work, arguments)

    def close(self) -> int | None:
        """
        End the process at once; later work starts another one.

        Returns:
            Its exit code, or the negated signal that had ended it already; None if there was no process.
        """
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if process is None or connection is None:
            return None
        connection.close()
        process.kill()
        return process.wait()

    def _run(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        try:
            result, error = self._asked(work, arguments)
        except (EOFError, OSError):  # the system or a person ended it
            try:
                result, error = self._asked(work, arguments)
            except (EOFError, OSError) as gone:
                raise ComputeError(
                    "the compute process does not start, or ended twice at this work"
                ) from gone
        if error is not None:
            raise error
        return result

    def _asked(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> tuple[T, Exception | None]:
        """Return the result of *work*, or its error."""
        connection = self._connection or self._started()
        try:
            connection.send((work, arguments))
            answer: tuple[T, Exception | None] = connection.recv()
        except (EOFError, OSError):
            if self.close() == -signal.SIGALRM:
                raise ComputeError(f"{work.__name__} took more than {self._longest_seconds:g} s") from None
            raise
        return answer

    def _started(self) -> Connection:
        if self.is_replaced:
            raise ReplacedError(REPLACED)
        ours, other = socketpair()
        connection = Connection(ours.detach())
        with other:
            self._process = subprocess.Popen(  # noqa: S603  this Python and this file
                [sys.executable, "-P", "-c", _PROGRAM, str(other.fileno()), str(self._longest_seconds)],
                env={"PYTHONPATH": os.pathsep.join(sys.path)},  # no secrets: it reads strangers' texts
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._connection = connection
        return connection


def serve() -> None:
    """Serve requests until the pipe closes; this is all that the process does."""
    # Ctrl+C in a terminal is meant for the server, which finishes its work.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(PermissionError):  # as in a service of systemd that may not choose priorities
        os.nice(_NICE)
    connection, longest_seconds = Connection(int(sys.argv[1])), float(sys.argv[2])
    with suppress(EOFError, OSError):
        while True:
            request = connection.recv_bytes()
            # The system must end it then: while matching a pattern, Python handles no signals and runs no other thread.
            signal.setitimer(signal.ITIMER_REAL, longest_seconds)
            answer = _answer(request)
            signal.setitimer(signal.ITIMER_REAL, 0)
            connection.send_bytes(answer)


def _answer(request: bytes) -> bytes:
    """Return the pickled result, or the error."""
    try:
        work, arguments = pickle.loads(request)  # noqa: S301  the server's own
        return pickle.dumps((work(*arguments), None))
    except Exception as error:  # noqa: BLE001  reported to the caller
        error.add_note("In the compute process:\n" + "".join(traceback.format_tb(error.__traceback__)))
        return _pickled(error)


def _pickled(error: Exception) -> bytes:
    try:
        answer = pickle.dumps((None, error))
        pickle.loads(answer)  # noqa: S301  some errors can be pickled and not made again
    except Exception:  # noqa: BLE001  their classes may raise anything
        return pickle.dumps((None, ComputeError(f"{type(error).__name__}: {error}")))
    return answer


COMPUTE: Final = ComputeProcess()
"""The compute process of this process."""
atexit.register(COMPUTE.close)
