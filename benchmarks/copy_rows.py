"""
How fast a database is copied and verified: SQLite to SQLite, to PostgreSQL and back, and backed up.

    python benchmarks/copy_rows.py [--quick]
"""

import asyncio
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import numpy as np
from corpus import TENANT, Corpus, Scope
from harness import Effort, Report, Table, folder, number, run

from sagacity.bootstrap import open_database
from sagacity.config.settings import Settings
from sagacity.domain.memory import MemoryKind
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.open import PostgresOptions, open_backend, open_file
from sagacity.storage.transfer.backup import back_up
from sagacity.storage.transfer.copy import Copied, Step, compare, copy
from support.local_servers import PostgresServer, running_postgres

PROGRAM = "sagacity_app"
Result = TypeVar("Result")


def quiet(_: Step) -> None:
    """Tell nobody."""


async def timed(work: Awaitable[Result]) -> tuple[Result, float]:
    """What came of it, and how many seconds it took."""
    started = time.perf_counter()
    return await work, time.perf_counter() - started


async def fill(home: Path, memories: int) -> None:
    """Make the database that is copied: profiles of ten users, with terms and vectors."""
    embedder = MiniLM()
    corpus, rng = await Corpus.load(embedder), np.random.default_rng(5)
    async with open_database(Settings(home=home)) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        rows = list(
            Scope(MemoryKind.PROFILE, [f"user-{n}" for n in range(10)], memories // 10).memories(corpus, rng)
        )
        for start in range(0, len(rows), 1_000):
            part = rows[start : start + 1_000]
            async with storage.begin(TENANT) as transaction:
                await transaction.organisation.ensure()
                await transaction.memories.add(
                    [memory for memory, _ in part], vectors={memory.uid: vector for memory, vector in part}
                )


async def measured(home: Path, server: PostgresServer) -> list[tuple[str, int, float]]:
    """What was done, how many rows it went through, and the seconds."""
    name = server.new_database()
    postgres_url = server.url_of(name, PROGRAM)
    source = await open_file(home / "sagacity.db")
    sqlite = await open_file(home / "copy.db")
    postgres = await open_backend(postgres_url, postgres=PostgresOptions(owner_url=server.url_of(name)))
    back = await open_file(home / "back.db")
    found: list[tuple[str, int, float]] = []

    def keep(what: str, tables: list[Copied], seconds: float) -> None:
        found.append((what, sum(table.rows for table in tables), seconds))

    try:
        keep("SQLite → SQLite, copied and verified", *await timed(copy(source, sqlite, quiet)))
        keep("SQLite → PostgreSQL, copied and verified", *await timed(copy(source, postgres, quiet)))
        tables, seconds = await timed(copy(postgres, back, quiet))
        keep("PostgreSQL → SQLite, copied and verified", tables, seconds)
        keep("SQLite and PostgreSQL, only compared", *await timed(compare(source, postgres, quiet)))
        _, seconds = await timed(back_up(source, home / "kept.db", open_file, quiet))
        keep("`sagacity backup` of SQLite", tables, seconds)
        _, seconds = await timed(back_up(postgres, home / "kept-too.db", open_file, quiet))
        keep("`sagacity backup` of PostgreSQL", tables, seconds)
    finally:
        for backend in (source, sqlite, postgres, back):
            await backend.close()
    return found


def measure(effort: Effort) -> Report:
    """Copy memories with their search rows between databases on this machine."""
    memories = effort.pick(2_000, 20_000, 200_000)
    with (
        folder() as home,
        running_postgres(fsync="on", synchronous_commit="on", full_page_writes="on") as server,
    ):
        asyncio.run(fill(home, memories))
        size = (home / "sagacity.db").stat().st_size
        found = asyncio.run(measured(home, server))
    report = Report(
        "Copying a database",
        f"{memories:,} profiles with text, terms and vector: {found[0][1]:,} rows in all tables, "
        f"{size / 2**20:,.0f} MiB as SQLite. Both ends on this machine; PostgreSQL as the role that row-level security "
        "binds. Each done once, one after the other.",
    )
    report.tables.append(
        Table(
            "What takes how long",
            ("what", "seconds", "rows/s", "memories/s"),
            [
                (what, number(seconds), number(rows / seconds), number(memories / seconds))
                for what, rows, seconds in found
            ],
        )
    )
    return report


if __name__ == "__main__":
    run(measure)
