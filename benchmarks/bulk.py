"""
How fast embedded memories are stored: many per transaction, and one by one.

    python benchmarks/bulk.py [--quick]
"""

import asyncio
import time

import numpy as np
from corpus import TENANT, Corpus, Scope
from harness import Budget, Effort, Place, Report, Table, folder, median, number, run

from sagacity.bootstrap import open_database
from sagacity.domain.memory import MemoryKind, NewMemory
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage

ROUNDS = 3
SIZES = (1, 10, 100, 1_000, 5_000)
Rows = list[tuple[NewMemory, Vectors]]


async def rate(storage: Storage, rows: Rows, size: int) -> float:
    """Return the rows stored per second with *size* rows per transaction."""
    started = time.perf_counter()
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        async with storage.begin(TENANT) as transaction:
            await transaction.memories.add(
                [memory for memory, _ in part], vectors={memory.uid: vector for memory, vector in part}
            )
    return len(rows) / (time.perf_counter() - started)


async def rates(effort: Effort, place: Place) -> dict[int, list[float]]:
    """Return the rows per second by size, one figure per round; each round has every size once."""
    embedder = MiniLM()
    corpus = await Corpus.load(embedder)
    most, rng = effort.pick(2_000, 10_000), np.random.default_rng(5)
    found: dict[int, list[float]] = {size: [] for size in SIZES}
    async with open_database(place.settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        for number_of_round in range(ROUNDS):
            for size in SIZES:
                scope = Scope(MemoryKind.PROFILE, [f"user-{number_of_round}-{size}"], min(most, size * 200))
                rows = list(scope.memories(corpus, rng))
                found[size].append(await rate(storage, rows, size))
    return found


def measure(effort: Effort) -> Report:
    """Store rows in transactions of several sizes."""
    with folder() as home:
        found = asyncio.run(rates(effort, Place(home)))
    best = {size: max(values) for size, values in found.items()}
    top = max(best.values())
    report = Report(
        "Bulk insert",
        "Profiles with text, terms and vector through `storage.memories.add` into one SQLite database that grows as "
        f"rows arrive; in process, with the vectors given. {ROUNDS} rounds, each with all sizes in turn.",
    )
    report.budgets.append(Budget("bulk insert of embedded memories", top, 3_000, "rows/s", at_least=True))
    report.tables.append(
        Table(
            "Rows a transaction",
            ("rows a transaction", "best, rows/s", "median, rows/s", "times one by one"),
            [
                (
                    f"{size:,}",
                    number(best[size]),
                    number(median(found[size])),
                    f"{median(found[size]) / median(found[1]):.1f} ×",
                )
                for size in SIZES
            ],
        )
    )
    return report


if __name__ == "__main__":
    run(measure)
