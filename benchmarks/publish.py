"""
How fast turns are published over HTTP to a real server process, durable before the reply.

    python benchmarks/publish.py [--quick]

The load comes from a separate process. Set-ups take turns, so that other work on the machine affects them alike, and
each turn has a new server with a new database, so that none does the remaining work of another.
"""

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from corpus import TENANT
from harness import Budget, Effort, Place, Report, Table, folder, median, number, percentile, run, server

from sagacity.bootstrap import open_database

LOAD = Path(__file__).with_name("load.py")
NEVER = {"SAGACITY_QUIET_SECONDS": "1000000"}
USERS = 320
STARTING_SECONDS = 5
"""Until every process of a server answers: the second is started when the first does."""


@dataclass
class Setup:
    """One way of running server and load, and what each round gave."""

    name: str
    clients: int
    env: dict[str, str]
    config: dict[str, int] = field(default_factory=dict)
    rounds: list[dict] = field(default_factory=list)
    """What the load generator told, and how many turns waited for their vectors at the end."""

    @property
    def rates(self) -> list[float]:
        """Requests a second, a figure a round."""
        return [len(one["latencies"]) / one["seconds"] for one in self.rounds]

    def latency(self, share: float) -> list[float]:
        """Milliseconds at a percentile, a figure a round."""
        return [percentile(one["latencies"], share) for one in self.rounds]

    @property
    def cost(self) -> float:
        """Processor time of the load generator itself, microseconds a request."""
        return median([one["cpu_seconds"] / len(one["latencies"]) * 1e6 for one in self.rounds])


def setups() -> list[Setup]:
    """The set-ups that are compared."""
    never = {"batch_size": 1_000_000, "batch_interval": 1_000_000}
    return [
        Setup("16 clients", 16, {}),
        Setup("1 client", 1, {}),
        Setup("16 clients, 2 processes", 16, {"SAGACITY_PROCESSES": "2"}),
        Setup("16 clients, learning off", 16, NEVER, never),
        Setup("1 client, learning off", 1, NEVER, never),
    ]


def generated(
    url: str, clients: int, seconds: float, *, publishes: int = 0, searches: int = 0, seed: int = 0
) -> dict:
    """Let the load generator run once: publish for so many users, or search among so many profiles, or do nothing."""
    command = [sys.executable, str(LOAD), url, "--clients", str(clients), "--seconds", str(seconds)]
    command += ["--publish", str(publishes)] if publishes else []
    command += ["--search", str(searches), "--seed", str(seed)] if searches else []
    return json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=seconds + 60).stdout
    )


async def stored(place: Place) -> tuple[int, int]:
    """Turns in the database of a server that has ended, and documents without a vector."""
    async with open_database(place.settings) as storage:
        async with storage.read(TENANT) as snapshot:
            turns = await snapshot.interactions.count()
        return turns, await storage.unembedded_count()


def measure_one(one: Setup, place: Place, seconds: int, turns_before: int = 0) -> dict:
    """Publish to a new server over a database that holds so many turns; returns what a call that does nothing gave."""
    with server(place.home, {**place.env, **one.env}) as process:
        time.sleep(STARTING_SECONDS)
        if one.config:
            httpx.post(f"{process.url}/api/set_config", json=one.config).raise_for_status()
        ceiling = generated(process.url, 16, 1)
        told = generated(process.url, one.clients, seconds, publishes=USERS)
    turns, told["waiting"] = asyncio.run(stored(place))
    published = 2 * len(told["latencies"])
    if told["failures"] or turns != turns_before + published:
        raise SystemExit(f"{one.name}: {published} turns published, {turns - turns_before} stored")
    one.rounds.append(told)
    return ceiling


def measure(effort: Effort) -> Report:
    """Publish with every set-up in turn, and count each time what is stored."""
    found, seconds = setups(), effort.pick(2, 6)
    ceilings: list[dict] = []
    with folder() as homes:
        for turn in range(effort.pick(1, 3)):
            for place, one in enumerate(found):
                ceilings.append(measure_one(one, Place(homes / f"{turn}-{place}"), seconds))
    return report_of(found, ceilings)


def report_of(found: list[Setup], ceilings: list[dict]) -> Report:
    """The figures as a report."""
    first = found[0]
    report = Report(
        "Publish",
        "`POST /api/publish_interaction` with one turn pair of a real conversation each (up to 400 characters a turn), "
        f"{USERS} users in turn, over kept connections, against a server process with SQLite on this machine's disk. "
        "A reply comes after the commit. Learning (rules) and embedding run in the same process meanwhile; "
        "“learning off” sets the batch interval and the quiet time so high that nothing is learned, and turns are "
        "still embedded.",
        [
            Budget("16 clients", max(first.rates), 300, "requests/s", at_least=True),
            Budget("16 clients, p99", min(first.latency(0.99)), 100, "ms"),
        ],
    )
    base = median(found[1].rates)
    rows = [
        (
            one.name,
            number(max(one.rates)),
            number(median(one.rates)),
            f"{median(one.rates) / base:.1f} ×",
            number(min(one.latency(0.5))),
            number(min(one.latency(0.99))),
            f"{median([told['waiting'] for told in one.rounds]):,.0f}",
        )
        for one in found
    ]
    columns = (
        "set-up",
        "best, requests/s",
        "median, requests/s",
        "times 1 client",
        "p50, ms",
        "p99, ms",
        "turns not yet embedded",
    )
    ceiling = max(len(one["latencies"]) / one["seconds"] for one in ceilings)
    note = (
        f"Percentiles are of the best round. The load generator took {number(first.cost)} µs of processor time a "
        f"request, in a process of its own on the same cores; the same clients get {number(ceiling)} requests/s from "
        "`/health`. Every published turn was found in the database after the servers had ended."
    )
    report.tables.append(Table("Set-ups compared", columns, rows, note))
    return report


if __name__ == "__main__":
    run(measure)
