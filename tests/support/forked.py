"""
The program in processes of its own that need not import it first: a fork of one that did.

    process = start(["serve", "--port", "0"], env=..., stdout=log)      # like subprocess.Popen: poll, wait, kill, ...
    PATH = commands()                                                    # a folder with `sagacity` and `python` in it

To import a server takes some four seconds of a processor, and each command of the command line one; the tests start
several hundred. What runs is `python -m sagacity` in a process with its own environment, streams, signals and exit
code. Only that it starts from nothing is not shown: `support.server` and `support.program` do that where they are told
`fresh=True`.
"""

import atexit
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

SOURCE = Path(__file__).with_name("fork_server.py")
START_SECONDS = 120.0
_RUN = "PYTEST_XDIST_TESTRUNUID"
"""Is there where processes share a run, and is the same for all of them."""
COMMAND = """#!{python} -IS
import json, os, signal, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect({address!r})
call = {{"argv": [{name!r}, *sys.argv[1:]], "env": dict(os.environ), "cwd": os.getcwd()}}
words = json.dumps(call).encode()
socket.send_fds(link, [len(words).to_bytes(4, "big")], [0, 1, 2])
link.sendall(words)
said = link.makefile("r")
pid = int(said.readline())
for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(one, lambda number, frame: os.kill(pid, number))
code = int(said.readline())
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""
"""What stands in a folder of the PATH: hands its streams over and ends as the program ends."""


class Forked:
    """A process that `start` started."""

    def __init__(self, link: socket.socket, arguments: Sequence[str]) -> None:
        self._link = link
        self._said = b""
        self._arguments = arguments
        self.returncode: int | None = None
        self.pid = self._read(None) or 0

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """
        Wait until it ends; returns its exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs.
        """
        if self.returncode is None:
            self.returncode = self._read(timeout)
            self._link.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def _read(self, timeout: float | None) -> int:
        """Read the next number that the fork server says."""
        until = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._said:
            self._link.settimeout(None if until is None else max(until - time.monotonic(), 1e-6))
            try:
                more = self._link.recv(64)
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(self._arguments, timeout or 0) from None
            assert more, "the fork server is gone"
            self._said += more
        number, _, self._said = self._said.partition(b"\n")
        return int(number)


def start(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes],
    stderr: IO[bytes] | None = None,
) -> Forked:
    """Start `sagacity` with *arguments*. Without *stdin* there is nothing to read, without *stderr* it is *stdout*."""
    with Path(os.devnull).open("rb") as nothing:
        streams = [stream.fileno() for stream in (stdin or nothing, stdout, stderr or stdout)]
        link = _call(_folder() / "socket", ["sagacity", *arguments], env, streams)
    return Forked(link, arguments)


def commands() -> Path:
    """A folder for the PATH, with `sagacity` and a `python` for programs in files."""
    return _folder() / "bin"


def _call(address: Path, argv: Sequence[str], env: Mapping[str, str], streams: list[int]) -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.connect(str(address))
    words = json.dumps({"argv": argv, "env": dict(env), "cwd": str(Path.cwd())}).encode()
    socket.send_fds(link, [len(words).to_bytes(4, "big")], streams)
    link.sendall(words)
    return link


@cache
def _folder() -> Path:
    """Start the process that imports everything, once for all processes of a run; it ends with the last of them."""
    run = os.environ.get(_RUN, str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"sagacity-fork-{run}"
    folder.mkdir(exist_ok=True)
    address = folder / "socket"
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not address.exists():
            _start(address)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(_call(address, [], {}, []).close)  # until then this process keeps the server there
    return folder


def _start(address: Path) -> None:
    folder = address.with_name("bin")
    folder.mkdir()
    for name in ("sagacity", "python"):
        command = folder / name
        command.write_text(COMMAND.format(python=sys.executable, address=str(address), name=name))
        command.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SAGACITY_")}
    # No Popen: that warns of what outlives this process, as the server does while another process of the run is there.
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, str(SOURCE), str(address), *(["models"] if _RUN in os.environ else [])],
        kept | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "default"},
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)],
        setsid=True,
    )
    until = time.monotonic() + START_SECONDS
    while not address.exists():
        assert os.waitpid(pid, os.WNOHANG) == (0, 0)
        assert time.monotonic() < until
        time.sleep(0.02)
