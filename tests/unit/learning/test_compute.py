"""The compute process: what it answers, and what is left when it, or who started it, ends."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sagacity.learning.compute import ComputeError, ComputeProcess
from unit.learning import compute_work as work


@pytest.fixture
def compute():
    process = ComputeProcess()
    yield process
    process.close()


async def test_work_is_done_in_another_process(compute: ComputeProcess) -> None:
    """One that stays, and that calls go before."""
    first = await compute.run(work.where)
    assert first == await compute.run(work.where)
    assert first.pid == compute.pid != os.getpid()
    assert first.niceness == min(os.nice(0) + 5, 19)  # the highest there is


async def test_no_process_of_another_release_is_started(tmp_path: Path) -> None:
    """One that runs goes on; what would be started after an upgrade is refused, with what to do."""
    program = tmp_path / "compute.py"
    program.write_text("the release that runs")
    compute = ComputeProcess(file=program)
    assert await compute.run(work.divided, 6, 3) == 2
    os.utime(program, ns=(1, 1))
    assert compute.is_replaced
    assert await compute.run(work.divided, 6, 3) == 2
    compute.close()
    with pytest.raises(ComputeError, match="restart it"):
        await compute.run(work.divided, 6, 3)
    program.unlink()
    with pytest.raises(ComputeError, match="restart it"):
        await compute.run(work.divided, 6, 3)
    assert compute.pid is None


async def test_error_is_raised_here_and_tells_where(compute: ComputeProcess) -> None:
    """It is that of the work, and the process goes on."""
    with pytest.raises(ZeroDivisionError) as caught:
        await compute.run(work.divided, 1, 0)
    assert "in divided" in caught.value.__notes__[0]
    assert await compute.run(work.divided, 6, 3) == 2


async def test_error_of_the_work_is_not_taken_for_the_end_of_the_process(
    compute: ComputeProcess, tmp_path: Path
) -> None:
    """It would be done once more, and told as something else."""
    with pytest.raises(EOFError, match="too short"):
        await compute.run(work.cut_short, tmp_path / "tries")
    assert (tmp_path / "tries").read_text() == "x"


@pytest.mark.parametrize("unfit", [work.unfit_result, work.unfit_error])
async def test_answer_that_cannot_be_sent_is_an_error(
    compute: ComputeProcess, unfit: Callable[[], object]
) -> None:
    """Not a call that waits for ever."""
    with pytest.raises((ComputeError, TypeError), match="lock"):
        await compute.run(unfit)
    assert await compute.run(work.divided, 6, 3) == 2


async def test_argument_that_cannot_be_sent_is_an_error(compute: ComputeProcess) -> None:
    """The process goes on."""
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        await compute.run(work.divided, lambda: 1, 0)
    assert await compute.run(work.divided, 6, 3) == 2


async def test_killed_process_is_started_again(compute: ComputeProcess, tmp_path: Path) -> None:
    """Whether it was idle or at work: what it was asked for is done by the next one."""
    first = await compute.run(work.where)
    os.kill(first.pid, signal.SIGKILL)
    second = await compute.run(work.where)
    assert second.pid != first.pid
    asked = asyncio.ensure_future(compute.run(work.where_at_the_second_try, tmp_path / "begun"))
    while not (tmp_path / "begun").exists():
        await asyncio.sleep(0.01)
    os.kill(second.pid, signal.SIGKILL)
    assert (await asked).pid not in (first.pid, second.pid)


async def test_work_that_ends_the_process_is_tried_twice(compute: ComputeProcess, tmp_path: Path) -> None:
    """Then it is an error, and other work is done."""
    with pytest.raises(ComputeError, match="ended twice"):
        await compute.run(work.ending, tmp_path / "tries")
    assert (tmp_path / "tries").read_text() == "xx"
    assert await compute.run(work.divided, 6, 3) == 2


async def test_endless_work_is_given_up() -> None:
    """A pattern that never ends, say. What waits behind it has its turn."""
    compute = ComputeProcess(longest_seconds=1)
    try:
        endless = asyncio.ensure_future(compute.run(work.endless))
        behind = asyncio.ensure_future(compute.run(os.getpid))
        with pytest.raises(ComputeError, match="endless took more than 1 s"):
            await endless
        assert await behind != os.getpid()
    finally:
        compute.close()


async def test_interrupt_of_the_terminal_leaves_it_alone(compute: ComputeProcess) -> None:
    """The server finishes what it is at, and ends it then."""
    first = await compute.run(work.where)
    os.kill(first.pid, signal.SIGINT)
    assert (await compute.run(work.where)).pid == first.pid


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, None])
def test_it_ends_with_who_started_it(how: signal.Signals | None) -> None:
    """However that ends: by a signal, or by itself."""
    starter = subprocess.Popen(
        [sys.executable, "-c", _STARTER, "" if how else "leave"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    if how:
        starter.send_signal(how)
    starter.communicate(timeout=60)
    ends = time.monotonic() + 60
    while _is_alive(pid):
        assert time.monotonic() < ends, f"process {pid} is still there"
        time.sleep(0.05)


_STARTER = """
import asyncio, os, sys, time
from sagacity.learning.compute import COMPUTE
print(asyncio.run(COMPUTE.run(os.getpid)), flush=True)
if not sys.argv[1]:
    time.sleep(600)
"""


def test_it_does_without_a_priority_where_none_may_be_chosen() -> None:
    """The service of systemd in `deploy/` may not."""
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_PRIORITIES],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "refused, 3.0\n"


_WITHOUT_PRIORITIES = """
import asyncio, ctypes, os, struct, sys
from sagacity.learning.compute import COMPUTE
from unit.learning import compute_work

number = {"x86_64": 141, "aarch64": 140}[os.uname().machine]  # of the system call `setpriority`
load, if_equal, answer, allow, refuse = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000 | 1
program = b"".join(
    struct.pack("HBBI", *line)
    for line in [(load, 0, 0, 0), (if_equal, 0, 1, number), (answer, 0, 0, refuse), (answer, 0, 0, allow)]
)
lines = ctypes.create_string_buffer(program, len(program))

class Filter(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("lines", ctypes.c_void_p)]

system = ctypes.CDLL(None, use_errno=True)
assert system.prctl(38, 1, 0, 0, 0) == 0  # no new privileges
assert system.prctl(22, 2, ctypes.byref(Filter(4, ctypes.addressof(lines))), 0, 0) == 0, ctypes.get_errno()
try:
    os.nice(1)
except PermissionError:
    print("refused", end=", ")
print(asyncio.run(COMPUTE.run(compute_work.divided, 6, 2)))
"""


def _is_alive(pid: int) -> bool:
    """Whether a process is there, and more than a dead one that nobody asked about."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
