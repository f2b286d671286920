"""
What grows with an organisation on PostgreSQL: the same calls in a small organisation and in one a hundred times larger.

    python benchmarks/postgres_size.py [--quick]

Both are in one database and are asked in turn over HTTP. Processor times are those of the server and of PostgreSQL.
"""

import asyncio
import json
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np
import psycopg
from corpus import Corpus, queries
from databases import Databases, databases, settled
from harness import UNLIMITED, Effort, Place, Report, Table, folder, median, number, run

from sagacity.bootstrap import open_database
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import Tenant
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.postgres.vectors import index_name
from support.large_organisation import drop_pool, make_pool, plant
from support.server import running_server
from support.tokens import with_token

DATABASE, USER = "size", "user-7"
A_USER = 100
"""Memories of a user."""
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
Call = Callable[[], tuple[str, str, dict[str, object]]]
"""Gives method, path and what is asked, anew each time."""


@dataclass
class Organisation:
    """One that is measured."""

    org_id: str
    memories: int
    secret: str = field(default_factory=lambda: f"sgc_{secrets.token_hex(16)}")

    @property
    def tenant(self) -> Tenant:
        """Whose data it is."""
        return Tenant(org_id=OrgId(self.org_id))


@dataclass
class Taken:
    """Milliseconds that one call took in one organisation: on the clock each time, of the processors on average."""

    times: list[float] = field(default_factory=list)
    server: float = 0
    database: float = 0

    def per_call(self, total: float) -> float:
        """The share of one call."""
        return total / len(self.times)


def calls() -> dict[str, Call]:
    """What is asked: of a user first, then of the organisation."""
    words, half_a_year_ago = queries(71), (datetime.now(UTC) - timedelta(days=182)).isoformat()

    def get(path: str, **given: object) -> Call:
        return lambda: ("GET", f"{path}?{urlencode(given)}", {})

    def post(path: str, **given: object) -> Call:
        return lambda: ("POST", path, given)

    def search(path: str, **given: object) -> Call:
        return lambda: ("POST", path, {"query": next(words)} | given)

    return {
        "a user: context": search("context", user_id=USER),
        "a user: search": search("search", user_id=USER),
        "a user: words": search("search", user_id=USER, search_mode="fts"),
        "a user: profiles": post("get_profiles", user_id=USER, top_k=20),
        "a user: playbooks": post("get_user_playbooks", user_id=USER, limit=20),
        "a user: turns": post("get_interactions", user_id=USER, top_k=20),
        "a user: requests": post("get_requests", user_id=USER, top_k=20),
        "all: profiles": get("get_all_profiles", limit=20),
        "all: profiles of half a year ago": get("get_all_profiles", limit=20, end_time=half_a_year_ago),
        "all: pending profiles": get("get_all_profiles", limit=20, status_filter="pending"),
        "all: playbooks": post("get_user_playbooks", limit=20),
        "all: playbooks of half a year ago": post("get_user_playbooks", limit=20, end_time=half_a_year_ago),
        "all: turns": get("get_all_interactions", limit=20),
        "all: requests": post("get_requests", top_k=20),
        "all: requests from the 200th on": post("get_requests", top_k=20, offset=200),
        "all: statistics of profiles": get("get_profile_statistics"),
        "all: dashboard of 30 days": post("get_dashboard_stats", days_back=30),
        "all: dashboard by version": get("v1/dashboard/series", days=30, by="agent_version"),
        "all: words in playbooks": search("search_user_playbooks", search_mode="fts"),
        "all: common words in playbooks": post(
            "search_user_playbooks", query="help me make coffee", search_mode="fts"
        ),
        "all: words in profiles": lambda: (
            "GET",
            f"get_all_profiles?{urlencode({'query': next(words), 'limit': 20})}",
            {},
        ),
    }


async def make(place: Place, organisations: list[Organisation], embedder: MiniLM) -> None:
    """Make the database, and the organisations with a token each."""
    async with open_database(place.settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        for one in organisations:
            async with storage.begin(one.tenant) as transaction:
                await transaction.organisation.ensure()
                await with_token(transaction, "benchmark", secret=one.secret)


def fill(found: Databases, organisations: list[Organisation], texts: int) -> None:
    """Plant the rows of each organisation."""
    embedder, place = MiniLM(), found.postgres(DATABASE)
    asyncio.run(make(place, organisations, embedder))
    found.execute(DATABASE, f"DROP INDEX {index_name(embedder.dimension)}")  # no call below walks the graph
    corpus = asyncio.run(Corpus.load(embedder))
    with psycopg.connect(place.owner, autocommit=True) as connection:
        kept = make_pool(connection, *corpus.rows(texts, np.random.default_rng(19)))
        for one in organisations:
            users = one.memories // A_USER
            plant(
                connection, one.org_id, users=users, memories=one.memories, texts=kept, now=datetime.now(UTC)
            )
        drop_pool(connection)
    settled(found, [DATABASE])


def ticks_of(process: Path) -> tuple[int, int]:
    """The parent of a process, and the ticks that it and the children that it waited for took so far."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return int(fields[1]), sum(map(int, fields[11:15]))


def cpu_of_children(parent: int) -> float:
    """Milliseconds of processor time that a process and its children took so far."""
    total = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                of, ticks = ticks_of(process)
            except (FileNotFoundError, ProcessLookupError):
                continue
            total += ticks if parent in (of, int(process.name)) else 0
    return total * TICK_MS


class Client:
    """One connection for one organisation."""

    def __init__(self, url: str, secret: str) -> None:
        parts = urlsplit(url)
        self._connection = HTTPConnection(parts.hostname or "", parts.port)
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {secret}"}

    def connect(self) -> None:
        """Connect anew: the server ends connections that were silent while others were asked."""
        self._connection.close()
        self._connection.connect()

    def ask(self, asked: Call) -> float:
        """Make a call; returns milliseconds."""
        method, path, body = asked()
        started = time.perf_counter()
        sent = json.dumps(body) if method == "POST" else None
        self._connection.request(method, f"/api/{path}", sent, self._headers)
        reply = self._connection.getresponse()
        found = reply.read()
        took = (time.perf_counter() - started) * 1000
        if reply.status != 200 or b"failed" in found[-400:]:
            raise SystemExit(f"{path} answered {reply.status}: {found[-400:]!r}")
        return took


Figures = dict[tuple[str, str], Taken]
"""By call and organisation."""


def ask_all(
    url: str, processes: tuple[int, int], organisations: list[Organisation], effort: Effort
) -> Figures:
    """Ask everything of each in turn, some times each after the others, having asked it once before."""
    clients = {one.org_id: Client(url, one.secret) for one in organisations}
    found: Figures = {}
    for name, asked in calls().items():
        for client in clients.values():
            client.connect()
            client.ask(asked)
            client.ask(asked)
        for _ in range(effort.pick(2, 5)):
            for org_id, client in clients.items():
                client.connect()
                taken = found.setdefault((name, org_id), Taken())
                before = [cpu_of_children(one) for one in processes]
                taken.times += [client.ask(asked) for _ in range(effort.pick(2, 8))]
                server_ms, database_ms = (
                    cpu_of_children(one) - then for one, then in zip(processes, before, strict=True)
                )
                taken.server += server_ms
                taken.database += database_ms
    return found


def measure(effort: Effort) -> Report:
    """Fill the database and ask both organisations."""
    small = Organisation("small-0", effort.pick(500, 2_500))
    large = Organisation("large", effort.pick(20_000, 250_000))
    others = [Organisation(f"small-{number}", small.memories) for number in range(1, effort.pick(3, 20))]
    with folder() as homes, databases(homes) as found:
        fill(found, [small, large, *others], effort.pick(2_000, 50_000))
        place = found.postgres(DATABASE)
        [[data]] = found.execute(DATABASE, "SHOW data_directory")
        postmaster = int((Path(str(data)) / "postmaster.pid").read_text().split()[0])
        env = UNLIMITED | dict(
            Place(place.home, place.url).env
        )  # without its owner it makes no graph of vectors
        with running_server(place.home, env, fresh=True) as process:
            figures = ask_all(process.url, (process.process.pid, postmaster), [small, large], effort)
    return report_of(figures, small, large, 1 + len(others))


def report_of(figures: Figures, small: Organisation, large: Organisation, count: int) -> Report:
    """The figures as a report."""
    report = Report(
        "Large organisations on PostgreSQL",
        f"One database holds an organisation of {large.memories:,} memories and {2 * large.memories // 5:,} turns, and "
        f"{count} of {small.memories:,} memories each; a user has about {A_USER} memories, over a year. "
        "One client makes each call in the large organisation and in a small one in turn. “PostgreSQL” and “server” "
        "are the processor time that a call took there; the clock ticks every "
        f"{number(TICK_MS)} ms, and each figure is the mean of {len(next(iter(figures.values())).times)} calls.",
    )
    rows = [
        (
            name,
            number(median(base.times)),
            number(median(own.times)),
            f"{median(own.times) / median(base.times):.1f} ×",
            *(number(one.per_call(one.server)) for one in (base, own)),
            *(number(one.per_call(one.database)) for one in (base, own)),
        )
        for name in dict.fromkeys(name for name, _ in figures)
        for base, own in [(figures[name, small.org_id], figures[name, large.org_id])]
    ]
    columns = (
        "call",
        "small p50, ms",
        "large p50, ms",
        "large to small",
        "server: small, ms",
        "large",
        "PostgreSQL: small, ms",
        "large",
    )
    report.tables.append(Table("What a call takes", columns, rows))
    return report


if __name__ == "__main__":
    run(measure)
