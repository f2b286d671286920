"""
How long unified search takes over HTTP, including the embedding of the question, as the data grows.

    python benchmarks/search.py [--quick | --full]

Every size has a server and a database of its own. One client asks all in turn, so that other work on the machine
affects them alike.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from urllib.parse import urlsplit

from corpus import SHARED, Corpus, Scope, fill, fill_graph
from harness import Budget, Effort, Place, Report, Table, folder, median, number, percentile, run, server
from steps import EVERY_WAY, Steps, asking, table_of, take_apart

from sagacity.bootstrap import open_database
from sagacity.domain.memory import MemoryKind
from sagacity.providers.embedders.minilm import MiniLM

AGENT_PLAYBOOKS = 1_000


@dataclass
class Size:
    """How much one database holds, and what each round gave in milliseconds."""

    name: str
    users: int
    profiles: int
    playbooks: int
    first: float = 0
    rounds: list[list[float]] = field(default_factory=list)
    cached: list[float] = field(default_factory=list)
    steps: Steps = field(default_factory=Steps)

    def scopes(self) -> list[Scope]:
        """Its rows: of each user, and of all."""
        names = [f"user-{place}" for place in range(self.users)]
        return [
            Scope(MemoryKind.AGENT_PLAYBOOK, [SHARED], AGENT_PLAYBOOKS),
            Scope(MemoryKind.PROFILE, names, self.profiles),
            Scope(MemoryKind.USER_PLAYBOOK, names, self.playbooks),
        ]

    def best(self, share: float) -> float:
        """The percentile in the best round."""
        return min(percentile(times, share) for times in self.rounds)

    def ratio(self, base: "Size") -> float:
        """Median over the rounds of its median against that of *base* in the same round."""
        pairs = zip(self.rounds, base.rounds, strict=True)
        return median([median(own) / median(others) for own, others in pairs])


class Client:
    """One client over one kept connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = HTTPConnection(parts.hostname or "", parts.port)

    def ask(self, query: str, user: str) -> float:
        """Search for *query* as a user, in every way that there is; returns milliseconds."""
        body = json.dumps({"query": query, "user_id": user, "strategies": EVERY_WAY})
        started = time.perf_counter()
        try:
            reply = self._post(body)
        except (BrokenPipeError, ConnectionResetError, RemoteDisconnected):
            # The server ends connections that were silent while the other sizes were asked.
            self._connection.close()
            started = time.perf_counter()
            reply = self._post(body)
        found = reply.read()
        took = (time.perf_counter() - started) * 1000
        if reply.status != 200 or b'"success":true' not in found:
            raise SystemExit(f"search answered {reply.status}: {found[:200]!r}")
        return took

    def _post(self, body: str) -> HTTPResponse:
        self._connection.request("POST", "/api/search", body, {"Content-Type": "application/json"})
        return self._connection.getresponse()

    def floor(self) -> float:
        """Milliseconds of a call that does nothing."""
        started = time.perf_counter()
        self._connection.request("GET", "/health")
        self._connection.getresponse().read()
        return (time.perf_counter() - started) * 1000


def sizes(effort: Effort) -> list[Size]:
    """What is measured; the first is what the others are compared with."""
    many, large = effort.pick(100, 1_000), effort.pick(4_500, 24_500)
    found = [
        Size("3,000 rows of one user", 1, 1_000, 1_000),
        Size(f"{many * 99 + AGENT_PLAYBOOKS:,} rows, {many:,} users", many, 50, 49),
        Size(f"{2 * large + AGENT_PLAYBOOKS:,} rows, one user", 1, large, large),
    ]
    if effort is Effort.FULL:
        found.append(Size("1,000,000 rows, 10,000 users", 10_000, 50, 50))
    return found


async def load(found: list[Size], places: Sequence[Place]) -> float:
    """Fill a database for each size; returns rows a second."""
    embedder = MiniLM()
    corpus = await Corpus.load(embedder)
    started, rows = time.perf_counter(), 0
    for size, place in zip(found, places, strict=True):
        async with open_database(place.settings) as storage:
            await storage.claim_index(embedder.model, embedder.dimension)
            rows += await fill(storage, corpus, size.scopes())
    rows_a_second = rows / (time.perf_counter() - started)
    for size, place in zip(found, places, strict=True):
        async with open_database(place.settings) as storage:
            await fill_graph(storage, [f"user-{number}" for number in range(size.users)])
    return rows_a_second


def ask_all(found: list[Size], places: Sequence[Place], effort: Effort) -> list[float]:
    """Ask every size in turn, distinct questions and then one that is known; returns what a call costs at least."""
    floors: list[float] = []
    questions = [asking(17 + place, size.users, size.profiles) for place, size in enumerate(found)]
    with ExitStack() as stack:
        clients = [Client(stack.enter_context(server(place.home, place.env)).url) for place in places]
        for size, client, question in zip(found, clients, questions, strict=True):
            size.first = client.ask(*question())
            for _ in range(20):
                client.ask(*question())
        for _ in range(effort.pick(2, 5)):
            for size in found:
                size.rounds.append([])
            for _ in range(effort.pick(30, 100)):
                for size, client, question in zip(found, clients, questions, strict=True):
                    text, user = question()
                    size.rounds[-1].append(client.ask(text, user))
                    size.cached.append(client.ask("what do I like", user))
                    floors.append(client.floor())
    return floors


def measure(effort: Effort) -> Report:
    """Fill, ask over HTTP, then ask in process."""
    found = sizes(effort)
    with folder() as homes:
        places = [Place(homes / str(number)) for number in range(len(found))]
        rows_a_second = asyncio.run(load(found, places))
        floors = ask_all(found, places, effort)
        for size, place in zip(found, places, strict=True):
            size.steps = asyncio.run(take_apart(place, size.users, size.profiles, effort.pick(20, 100)))
    return report_of(found, floors, rows_a_second)


def report_of(found: list[Size], floors: list[float], rows_a_second: float) -> Report:
    """The figures as a report."""
    base, large = found[0], found[2]
    report = Report(
        "Search",
        "`POST /api/search` (profiles, user playbooks and agent playbooks; five of each, by all five strategies) by "
        "one client over one connection, each question new, so that it is embedded each time, and naming somebody "
        "in the user's graph; a tenth of the profiles connect people. Rows hold half sentences of real "
        "conversations and vectors that cluster like them; 1,000 rows of each size are agent playbooks, which all "
        f"users share. The databases were filled at {number(rows_a_second)} rows/s.",
        [
            Budget("3,000 rows, p50", base.best(0.5), 20, "ms"),
            Budget("3,000 rows, p95", base.best(0.95), 40, "ms"),
            *(
                Budget(f"{size.name}: p50 against 3,000 rows", size.ratio(base), 1.5, "×")
                for size in found
                if size.users > 1
            ),
            Budget(f"{large.name}, p95", large.best(0.95), 80, "ms"),
        ],
    )
    rows = [
        (
            size.name,
            number(size.best(0.5)),
            number(size.best(0.95)),
            f"{size.ratio(base):.2f} ×",
            number(median(size.cached)),
            number(size.first),
        )
        for size in found
    ]
    columns = (
        "data",
        "p50, ms",
        "p95, ms",
        "p50 to 3,000 rows",
        "known question p50, ms",
        "first question, ms",
    )
    report.tables.append(
        Table(
            "Over HTTP",
            columns,
            rows,
            "Percentiles are of the best round; the ratio is the median over rounds in which all sizes took turns. "
            f"A call that does nothing (`/health`) takes {number(median(floors))} ms, part of it the client's own.",
        )
    )
    report.tables.append(table_of({size.name: size.steps for size in found}))
    return report


if __name__ == "__main__":
    run(measure)
