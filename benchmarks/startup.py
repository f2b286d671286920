"""
How soon a server answers after its process starts, and how much memory it holds.

    python benchmarks/startup.py [--quick]
"""

import os
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import httpx
from corpus import queries
from harness import Budget, Effort, Report, Table, folder, median, number, run, server

LONGEST_SECONDS = 60


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answered_after(home: Path) -> float:
    """Seconds from the start of the process to its first healthy answer."""
    port = free_port()
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "sagacity", "serve", "--port", str(port)],
        env=os.environ | {"SAGACITY_HOME": str(home), "SAGACITY_LOG_LEVEL": "warning"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while time.perf_counter() - started < LONGEST_SECONDS:
            if is_ready(port):
                return time.perf_counter() - started
            time.sleep(0.01)
        raise SystemExit("the server did not answer")
    finally:
        process.terminate()
        process.wait()


def is_ready(port: int) -> bool:
    """Whether the server says that all its parts work."""
    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=1)
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == 200
    except OSError:
        return False


def resident_megabytes(pid: int) -> float:
    """Memory that a process holds, in units of a million bytes."""
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(home: Path, searches: int) -> tuple[float, float, float]:
    """Megabytes when ready, after some searches, and after some publishes."""
    with server(home) as process, httpx.Client(base_url=process.url) as client:
        time.sleep(1)
        idle = resident_megabytes(process.process.pid)
        asked = queries(41)
        for _ in range(searches):
            client.post("/api/search", json={"query": next(asked), "user_id": "u"}).raise_for_status()
        searched = resident_megabytes(process.process.pid)
        for _ in range(searches):
            turns = [{"role": "User", "content": next(asked)}]
            body = {"user_id": "u", "interaction_data_list": turns}
            client.post("/api/publish_interaction", json=body).raise_for_status()
        time.sleep(1)
        return idle, searched, resident_megabytes(process.process.pid)


def import_seconds() -> list[tuple[str, float]]:
    """What the server's imports cost, the largest packages first."""
    command = [sys.executable, "-X", "importtime", "-c", "import sagacity.api.app"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()
    own: dict[str, float] = {}
    for line in lines[1:]:
        alone, _, name = (part.strip() for part in line.removeprefix("import time:").split("|"))
        own[name.split(".")[0]] = own.get(name.split(".")[0], 0) + int(alone) / 1e6
    return sorted(own.items(), key=lambda item: -item[1])[:8]


def measure(effort: Effort) -> Report:
    """Start a server some times over the same database, then look at its memory."""
    with folder() as homes:
        first = answered_after(homes / "a")
        times = [answered_after(homes / "a") for _ in range(effort.pick(2, 7))]
        idle, searched, published = memory(homes / "b", effort.pick(50, 300))
    packages = import_seconds()
    report = Report(
        "Start and memory",
        "From the start of the process to the first 200 of `/health/ready`, which checks the database, the embedder "
        "and the dispatcher; the disk cache is warm, and the database exists. Memory is the resident set of the "
        "server's process.",
        [
            Budget("start to first healthy answer, best", min(times), 3, "s"),
            Budget("idle memory with the embedder loaded", idle, 400, "MB"),
        ],
    )
    rows = [
        ("first start, with a new database", f"{number(first)} s"),
        ("start, best", f"{number(min(times))} s"),
        ("start, median", f"{number(median(times))} s"),
        ("memory, ready", f"{number(idle)} MB"),
        ("memory after searches", f"{number(searched)} MB"),
        ("memory after publishes too", f"{number(published)} MB"),
    ]
    report.tables.append(Table("Figures", ("what", "measured"), rows))
    report.tables.append(
        Table(
            "What importing costs",
            ("package", "ms"),
            [(name, number(seconds * 1000)) for name, seconds in packages],
            "Time of each package's own modules, as measured by `python -X importtime`, which adds some time itself.",
        )
    )
    return report


if __name__ == "__main__":
    run(measure)
