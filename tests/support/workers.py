"""
A real worker in a child process, as an operator runs it: `python -m sagacity worker`.

    with running_workers(home, env, count=2) as workers:      # all are ready by now
        workers[0].kill()                                     # SIGKILL; or stop(), which is SIGTERM
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.server import START_SECONDS, ChildProcess, start_program


@dataclass(frozen=True)
class WorkerProcess(ChildProcess):
    """One worker."""


def start_worker(home: Path, env: Mapping[str, str]) -> WorkerProcess:
    """Start one; it is not ready yet. The caller has to end it."""
    home.mkdir(parents=True, exist_ok=True)
    return WorkerProcess(*start_program(["worker"], home, env))


@contextmanager
def running_worker(home: Path, env: Mapping[str, str]) -> Iterator[WorkerProcess]:
    """Run one that need not be ready when the block begins; it is ended when the block ends."""
    worker = start_worker(home, env)
    try:
        yield worker
    finally:
        if worker.process.poll() is None:
            worker.kill()


@contextmanager
def running_workers(home: Path, env: Mapping[str, str], *, count: int) -> Iterator[list[WorkerProcess]]:
    """Run so many workers; all are ready when the block begins, and ended when it ends."""
    workers = [start_worker(home, env) for _ in range(count)]
    try:
        deadline = time.monotonic() + START_SECONDS
        for worker in workers:
            while "worker is ready" not in worker.logs:
                assert worker.process.poll() is None, worker.logs
                assert time.monotonic() < deadline, worker.logs
                time.sleep(0.05)
        yield workers
    finally:
        for worker in workers:
            if worker.process.poll() is None:
                worker.kill()
