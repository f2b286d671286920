"""
What a second server process gains: searches of one client and of several, over HTTP.

    python benchmarks/processes.py [--quick]

Both servers run over the same database, with 3,000 rows of one user, and are asked in turn.
"""

import asyncio
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

from corpus import SHARED, Corpus, Scope, fill, fill_graph
from harness import Budget, Effort, Place, Report, Table, folder, median, number, percentile, run, server
from publish import STARTING_SECONDS, generated

from sagacity.bootstrap import open_database
from sagacity.domain.memory import MemoryKind
from sagacity.providers.embedders.minilm import MiniLM

ROWS = 1_000
"""Of each kind: profiles and playbooks of the user, and agent playbooks."""
CLIENTS = 8


@dataclass
class Setup:
    """So many clients of a server of so many processes, and what each round gave."""

    processes: int
    clients: int
    rounds: list[dict] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What it is, as a row of the table."""
        return f"{self.clients} client{'s' * (self.clients > 1)}"

    @property
    def rate(self) -> float:
        """Calls a second: the median over the rounds."""
        return median([len(one["latencies"]) / one["seconds"] for one in self.rounds])

    def latency(self, share: float) -> float:
        """Milliseconds at a percentile: the median over the rounds."""
        return median([percentile(one["latencies"], share) for one in self.rounds])


async def load(place: Place) -> None:
    """Fill the database."""
    embedder = MiniLM()
    corpus = await Corpus.load(embedder)
    scopes = [
        Scope(MemoryKind.AGENT_PLAYBOOK, [SHARED], ROWS),
        Scope(MemoryKind.PROFILE, ["user-0"], ROWS),
        Scope(MemoryKind.USER_PLAYBOOK, ["user-0"], ROWS),
    ]
    async with open_database(place.settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        await fill(storage, corpus, scopes)
    async with open_database(place.settings) as storage:
        await fill_graph(storage, ["user-0"])


def measure(effort: Effort) -> Report:
    """Ask servers of one process and of two in turn."""
    found = [Setup(processes, clients) for clients in (1, CLIENTS) for processes in (1, 2)]
    seconds, seed = effort.pick(2, 5), 1
    with folder() as home, ExitStack() as stack:
        asyncio.run(load(Place(home)))
        urls = {
            processes: stack.enter_context(server(home, {"SAGACITY_PROCESSES": str(processes)})).url
            for processes in (1, 2)
        }
        time.sleep(STARTING_SECONDS)
        for url in urls.values():
            generated(url, CLIENTS, 2, searches=ROWS)
        for _ in range(effort.pick(1, 5)):
            for one in found:
                seed += 1
                told = generated(urls[one.processes], one.clients, seconds, searches=ROWS, seed=seed)
                one.rounds.append(told)
    return _report(found)


def _report(found: list[Setup]) -> Report:
    failures = sum(told["failures"] for one in found for told in one.rounds)
    alone, alone_of_two, one, two = found
    rows = [
        (
            first.name,
            *(number(each.rate) for each in (first, second)),
            f"{second.rate / first.rate:.2f} ×",
            *(number(each.latency(share)) for share in (0.5, 0.99) for each in (first, second)),
        )
        for first, second in ((alone, alone_of_two), (one, two))
    ]
    columns = (
        *("", "1 process, a second", "2 processes, a second", "gain"),
        *("1 process, p50 ms", "2 processes, p50 ms", "1 process, p99 ms", "2 processes, p99 ms"),
    )
    return Report(
        "Processes",
        "`sagacity serve --processes 2` beside a server of one process, over the same SQLite database of 3,000 rows of "
        "one user. Searches as in *Search*, each question new. The load comes from one process more, on the same two "
        "cores. Medians over rounds in which all took turns.",
        [
            Budget(
                f"{CLIENTS} clients of 2 processes, against 1 client of 1",
                two.rate / alone.rate,
                1.7,
                "×",
                at_least=True,
            ),
            Budget("1 client of 1 process, p50", alone.latency(0.5), 10, "ms"),
            Budget("calls that failed", failures, 0, ""),
        ],
        [Table("Rates and latencies", columns, rows)],
    )


if __name__ == "__main__":
    run(measure)
