"""
A real Sagacity server in a child process, as an operator runs it: `python -m sagacity serve --port 0`.

    with running_server(tmp_path) as server:      # `server.url` answers by now
        httpx.get(f"{server.url}/health/ready")
        server.kill()                             # SIGKILL; or stop(), which is SIGTERM and returns the exit code
    with running_server(tmp_path) as server:      # the same home: the same database
        ...

Several servers may run side by side, each on a port of its own. What a server wrote is in `server.logs`.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.forked import Forked, start

READY = re.compile(r"listening on (http://\S+)\s")
START_SECONDS, STOP_SECONDS = 60.0, 30.0


@dataclass(frozen=True)
class ChildProcess:
    """The program in a process of its own."""

    process: subprocess.Popen[bytes] | Forked
    log_path: Path

    @property
    def logs(self) -> str:
        """All that it wrote so far, both streams."""
        return self.log_path.read_text(errors="replace")

    def stop(self) -> int:
        """Ask it to end (SIGTERM) and wait; returns its exit code."""
        self.process.terminate()
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """End it at once (SIGKILL), as a power cut would."""
        self.process.kill()
        self.process.wait(STOP_SECONDS)


@dataclass(frozen=True)
class ServerProcess(ChildProcess):
    """One server; it answers at `url` from the moment you hold this."""

    url: str


def clean_environment(home: Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without Sagacity's settings and models' keys, then *env*."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SAGACITY_") and not name.endswith("_API_KEY")
    }
    own = {
        "SAGACITY_HOME": str(home),
        "SAGACITY_STRATEGY_TIMEOUT_SECONDS": "60",  # a busy machine is no defect
        "OMP_NUM_THREADS": "1",
        "NO_COLOR": "1",
        "PYTHONWARNINGS": "default",
    }
    return kept | own | dict(env or {})


def start_server(
    home: Path,
    env: Mapping[str, str] | None = None,
    *,
    arguments: Sequence[str] = ("--port", "0"),
    fresh: bool = False,
) -> ServerProcess:
    """Start one and wait until it listens. The caller has to end it; `running_server` does."""
    home.mkdir(parents=True, exist_ok=True)
    process, log_path = start_program(["serve", *arguments], home, env, fresh=fresh)
    try:
        return ServerProcess(process, log_path, _wait_for_url(process, log_path))
    except BaseException:
        process.kill()
        process.wait(STOP_SECONDS)
        raise


def start_program(
    arguments: Sequence[str], home: Path, env: Mapping[str, str] | None, *, fresh: bool = False
) -> tuple[subprocess.Popen[bytes] | Forked, Path]:
    """Start the program, with what it writes in a file of *home*; *fresh* is a new interpreter, not a fork."""
    log_path, environment = home / f"{arguments[0]}-{time.time_ns()}.log", clean_environment(home, env)
    with log_path.open("wb") as log:
        if not fresh:
            return start(arguments, env=environment, stdout=log), log_path
        process = subprocess.Popen(
            [sys.executable, "-m", "sagacity", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        return process, log_path


@contextmanager
def running_server(
    home: Path,
    env: Mapping[str, str] | None = None,
    *,
    arguments: Sequence[str] = ("--port", "0"),
    fresh: bool = False,
) -> Iterator[ServerProcess]:
    """
    Run a server over the data in *home*; it is stopped at the end, however the block ends.

    Args:
        home: becomes SAGACITY_HOME; the log file lies there too.
        env: further environment, such as SAGACITY_QUIET_SECONDS.
        arguments: of `sagacity serve`.
        fresh: whether it starts from nothing, in an interpreter of its own.
    """
    server = start_server(home, env, arguments=arguments, fresh=fresh)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            try:
                server.stop()
            except subprocess.TimeoutExpired:
                server.kill()


def _wait_for_url(process: subprocess.Popen[bytes] | Forked, log_path: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if found := READY.search(log_path.read_text(errors="replace")):
            return found.group(1)
        if process.poll() is not None:
            raise AssertionError(f"the server ended with {process.returncode}:\n{log_path.read_text()}")
        time.sleep(0.05)
    raise AssertionError(f"the server did not listen within {START_SECONDS} s:\n{log_path.read_text()}")
