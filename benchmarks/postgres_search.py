"""
How long a search takes on PostgreSQL beside SQLite over the same rows.

    python benchmarks/postgres_search.py [--quick | --full]

Each database has a server process of its own; all are asked in turn by one client.
"""

import asyncio
import time

from databases import copied, databases, settled
from harness import Effort, Place, Report, Table, folder, number, run
from search import Size, ask_all, load, sizes

from sagacity.providers.minilm import MiniLM


async def copy_all(sources: list[Place], targets: list[Place]) -> list[tuple[int, float]]:
    """Copy each database; returns rows and seconds."""
    found: list[tuple[int, float]] = []
    for source, target in zip(sources, targets, strict=True):
        started = time.perf_counter()
        rows = await copied(source, target, dimension=MiniLM().dimension)
        found.append((rows, time.perf_counter() - started))
    return found


def measure(effort: Effort) -> Report:
    """Fill SQLite, copy to PostgreSQL, and ask both over HTTP."""
    lite, large = sizes(effort), sizes(effort)
    names = [str(place) for place in range(len(lite))]
    with folder() as homes, databases(homes) as found:
        sources, targets = [found.sqlite(name) for name in names], [found.postgres(name) for name in names]
        asyncio.run(load(lite, sources))
        moved = asyncio.run(copy_all(sources, targets))
        settled(found, names)
        ask_all([*lite, *large], [*sources, *targets], effort)
    return report_of(lite, large, moved)


def report_of(lite: list[Size], large: list[Size], moved: list[tuple[int, float]]) -> Report:
    """The figures as a report."""
    report = Report(
        "Search on PostgreSQL",
        "The same rows, questions and server settings as under [Search](#search), on SQLite and on PostgreSQL in turn. "
        "The rows went from one to the other by COPY, and the HNSW index was made after; "
        + "; ".join(f"{rows:,} rows of all tables in {number(took)} s" for rows, took in moved)
        + ".",
    )
    report.tables.append(
        Table(
            "Over HTTP, beside SQLite",
            ("data", "SQLite p50, ms", "p95, ms", "PostgreSQL p50, ms", "p95, ms", "p50 to SQLite"),
            [
                (
                    own.name,
                    number(base.best(0.5)),
                    number(base.best(0.95)),
                    number(own.best(0.5)),
                    number(own.best(0.95)),
                    f"{own.ratio(base):.2f} ×",
                )
                for base, own in zip(lite, large, strict=True)
            ],
        )
    )
    return report


if __name__ == "__main__":
    run(measure)
