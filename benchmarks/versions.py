"""
How fast this checkout publishes and searches compared with another one, such as the previous commit.

    git worktree add --detach ../before COMMIT
    python benchmarks/versions.py ../before [--postgres] [--rounds 3] [--page]

Each checkout runs its own server, over a database that its own code filled. They take turns, so that other work on the
machine affects both alike; compare the ratios, not the figures. Processor time is that of the server and of the
processes that it started, without a PostgreSQL server.
"""

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from databases import databases
from harness import ROOT, UNLIMITED, Effort, Place, Report, Table, folder, median, number, percentile
from publish import USERS, generated
from run import PAGE, machine, put
from search import Client, sizes
from steps import asking

from support.server import READY, clean_environment

BEFORE, NOW = "before", "now"
WARM_SECONDS, PUBLISH_SECONDS, SEARCH_SECONDS = 1.5, 5.0, 3.0
START_SECONDS = 60.0
FILL = """
import asyncio, sys
from pathlib import Path
import search
from harness import Effort, Place
asyncio.run(search.load(search.sizes(Effort.QUICK)[:1], [Place(Path(sys.argv[1]), *sys.argv[2:])]))
"""
"""Run with a checkout's own benchmarks: 3,000 rows of one user."""
ABOUT = (
    "`POST /api/publish_interaction` and `POST /api/search` as above, of this version (“now”) and of {before}: each "
    "with its own server over a database that its own code filled, in turns in one run. Searches are new questions "
    "among 3,000 rows of one user. Processor time is the server's, and of the processes that it started, a call; what "
    "it does in the background meanwhile is in it."
)


@dataclass(frozen=True)
class Server:
    """One server that runs."""

    url: str
    pid: int

    @property
    def cpu_seconds(self) -> float:
        """Processor time so far, of its children too."""
        return sum(map(_cpu_seconds, _family(self.pid)))


@dataclass
class Figures:
    """What each round gave: one kind of call, by so many clients, to one version."""

    rates: list[float] = field(default_factory=list)
    latencies: list[list[float]] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, latencies: list[float], seconds: float, cpu_seconds: float) -> None:
        """Add a round."""
        self.rates.append(len(latencies) / seconds)
        self.latencies.append(latencies)
        self.cpu.append(cpu_seconds / len(latencies) * 1000)

    def best(self, share: float) -> float:
        """The percentile in the best round, in milliseconds."""
        return min(percentile(one, share) for one in self.latencies)


Kind = tuple[str, str]
"""Of a database, and of a call."""
Found = dict[tuple[Kind, str], Figures]


@contextmanager
def serving(tree: Path, place: Place) -> Iterator[Server]:
    """A server of one checkout, which answers by now."""
    env = clean_environment(place.home, UNLIMITED | dict(place.env)) | {"PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-m", "sagacity", "serve", "--port", "0"]
    place.home.mkdir(parents=True, exist_ok=True)
    said = place.home / "server.log"
    with said.open("w") as log, subprocess.Popen(command, env=env, stdout=log, stderr=log) as process:
        try:
            yield Server(_url(process, said), process.pid)
        finally:
            process.terminate()


def _url(process: subprocess.Popen[bytes], said: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := READY.search(said.read_text()):
            return found[1]
        time.sleep(0.1)
    raise SystemExit(f"the server did not start:\n{said.read_text()}")


def _family(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _family(int(child))


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def publish(figures: Figures, tree: Path, place: Place, clients: int) -> None:
    """Publish to a new server with a new database."""
    with serving(tree, place) as server:
        generated(server.url, clients, WARM_SECONDS, publishes=USERS)
        before = server.cpu_seconds
        told = generated(server.url, clients, PUBLISH_SECONDS, publishes=USERS)
        if told["failures"]:
            raise SystemExit(f"{tree}: {told['failures']} publishes failed")
        figures.add(told["latencies"], told["seconds"], server.cpu_seconds - before)


def filled(tree: Path, place: Place) -> None:
    """Fill a database with what is searched, by a checkout's own code."""
    paths = os.pathsep.join(str(tree / part) for part in ("src", "benchmarks", "tests"))
    arguments = [str(place.home), *filter(None, (place.url, place.owner))]
    subprocess.run(
        [sys.executable, "-c", FILL, *arguments],
        env=clean_environment(place.home) | {"PYTHONPATH": paths},
        check=True,
    )


def search(figures: Figures, server: Server, questions: Sequence[Callable[[], tuple[str, str]]]) -> None:
    """Search with a client for each source of *questions*, each asking again when answered."""
    latencies: list[float] = []
    before, started = server.cpu_seconds, time.perf_counter()

    def ask(question: Callable[[], tuple[str, str]]) -> None:
        client = Client(server.url)
        while time.perf_counter() < started + SEARCH_SECONDS:
            latencies.append(client.ask(*question()))

    threads = [threading.Thread(target=ask, args=(question,)) for question in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures.add(latencies, time.perf_counter() - started, server.cpu_seconds - before)


def measure(other: Path, *, rounds: int, with_postgres: bool) -> Found:
    """Publish to both versions in turn, then search both in turn, on each database."""
    trees = {BEFORE: other, NOW: ROOT}
    found: Found = {}

    def figures(database: str, call: str, version: str) -> Figures:
        return found.setdefault(((database, call), version), Figures())

    with folder() as homes, ExitStack() as stack:
        places: dict[str, Callable[[str], Place]] = {"SQLite": lambda name: Place(homes / name)}
        if with_postgres:
            places["PostgreSQL"] = stack.enter_context(databases(homes)).postgres
        for database, place in places.items():
            for turn in range(rounds):
                for clients in (16, 1):
                    for version, tree in trees.items():
                        call = f"publish, {clients} client{'s' if clients > 1 else ''}"
                        name = f"{version}-{clients}-{turn}"
                        publish(figures(database, call, version), tree, place(name), clients)
        for database, place in places.items():
            for version, tree in trees.items():
                filled(tree, place(f"{version}-search"))
            with ExitStack() as servers:
                running = {
                    version: servers.enter_context(serving(tree, place(f"{version}-search")))
                    for version, tree in trees.items()
                }
                searched(running, rounds, lambda call, version, of=database: figures(of, call, version))
    return found


def searched(running: dict[str, Server], rounds: int, figures: Callable[[str, str], Figures]) -> None:
    """Search two servers in turn, by one client and by eight."""
    size = sizes(Effort.QUICK)[0]
    seeds = iter(range(10_000))

    def sources(count: int) -> list[Callable[[], tuple[str, str]]]:
        return [asking(next(seeds), size.users, size.profiles) for _ in range(count)]

    for server in running.values():
        search(Figures(), server, sources(2))  # fills caches
    for _ in range(rounds):
        for clients in (1, 8):
            for version, server in running.items():
                call = f"search, {clients} client{'s' if clients > 1 else ''}"
                search(figures(call, version), server, sources(clients))


def report_of(found: Found, before: str) -> Report:
    """The figures as a report."""
    report = Report("Before and now", ABOUT.format(before=before))
    kinds = dict.fromkeys(kind for kind, _ in found)
    for database in dict.fromkeys(of for of, _ in kinds):
        rows = [
            _row(call, found[(of, call), BEFORE], found[(of, call), NOW])
            for of, call in kinds
            if of == database
        ]
        columns = ("call", "calls/s", "p50, ms", "p95, ms", "p99, ms", "CPU, ms a call", "rate", "CPU")
        note = (
            "Before → now: rates and processor times are medians over the rounds, percentiles those of the best "
            "round. “rate” and “CPU” are the medians of now to before, round by round."
        )
        report.tables.append(Table(database, columns, rows, note))
    return report


def _row(call: str, before: Figures, now: Figures) -> tuple[str, ...]:
    def both(of: Callable[[Figures], float]) -> str:
        return f"{number(of(before))} → {number(of(now))}"

    def ratio(of: Callable[[Figures], list[float]]) -> str:
        return f"{median([b / a for a, b in zip(of(before), of(now), strict=True)]):.2f} ×"

    return (
        call,
        both(lambda one: median(one.rates)),
        *(both(lambda one, share=share: one.best(share)) for share in (0.5, 0.95, 0.99)),
        both(lambda one: median(one.cpu)),
        ratio(lambda one: one.rates),
        ratio(lambda one: one.cpu),
    )


def main() -> None:
    """Measure, print, and keep what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--name", default="", help="what to call it; by default its commit")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, too")
    parser.add_argument("--page", action="store_true", help=f"put the figures into {PAGE.name}")
    parser.add_argument("--date", default="", help="the day to put on the page")
    arguments = parser.parse_args()
    other = arguments.other.resolve()
    commit = subprocess.check_output(["git", "log", "-1", "--format=%h"], cwd=other, text=True).strip()
    found = measure(other, rounds=arguments.rounds, with_postgres=arguments.postgres)
    report = report_of(found, arguments.name or f"commit {commit}")
    print(report.markdown())
    if arguments.page:
        day = f"Taken on {arguments.date}" if arguments.date else "Taken"
        text = f"{report.markdown()}\n{day} with `python benchmarks/versions.py` on {machine()}"
        PAGE.write_text(put(PAGE.read_text(), "versions", text))


if __name__ == "__main__":
    main()
