"""
How long a search takes on PostgreSQL and on SQLite over the same rows, and how fast turns are published there.

    python benchmarks/postgres_search.py [--quick | --full]

Each database has a server process of its own; all are asked in turn by one client.
"""

import asyncio
import time

from databases import copied, databases, settled
from harness import Effort, Place, Report, Table, folder, median, number, run
from publish import Setup, measure_one
from search import Size, ask_all, load, sizes

from sagacity.providers.embedders.minilm import MiniLM


async def copy_all(sources: list[Place], targets: list[Place]) -> list[tuple[int, float]]:
    """Copy each database; returns rows and seconds."""
    found: list[tuple[int, float]] = []
    for source, target in zip(sources, targets, strict=True):
        started = time.perf_counter()
        rows = await copied(source, target, dimension=MiniLM().dimension)
        found.append((rows, time.perf_counter() - started))
    return found


def publish_all(found: list[Size], places: list[Place], effort: Effort) -> list[Setup]:
    """Publish to every database that *found* fills, in turn."""
    setups = [Setup(size.name, 16, {}) for size in found]
    for _ in range(effort.pick(1, 2)):
        for one, place in zip(setups, places, strict=True):
            published = sum(len(told["latencies"]) for told in one.rounds)
            measure_one(one, place, effort.pick(2, 5), turns_before=2 * published)
    return setups


def measure(effort: Effort) -> Report:
    """Fill SQLite, copy to PostgreSQL, ask both over HTTP, and publish to both."""
    lite, large = sizes(effort), sizes(effort)
    names = [str(place) for place in range(len(lite))]
    with folder() as homes, databases(homes) as found:
        sources, targets = [found.sqlite(name) for name in names], [found.postgres(name) for name in names]
        asyncio.run(load(lite, sources))
        moved = asyncio.run(copy_all(sources, targets))
        settled(found, names)
        ask_all([*lite, *large], [*sources, *targets], effort)
        published = publish_all([*lite, *large], [*sources, *targets], effort)
    report = report_of(lite, large, moved)
    report.tables.append(table_of_publishes(published[: len(lite)], published[len(lite) :]))
    return report


def table_of_publishes(lite: list[Setup], large: list[Setup]) -> Table:
    """How fast each size takes more, and how that differs from the smallest."""
    return Table(
        "Publish, 16 clients",
        (
            "data",
            "SQLite, requests/s",
            "p99, ms",
            "PostgreSQL, requests/s",
            "p99, ms",
            "to SQLite",
            "SQLite to its fewest rows",
            "PostgreSQL to its",
        ),
        [
            (
                own.name,
                number(median(base.rates)),
                number(min(base.latency(0.99))),
                number(median(own.rates)),
                number(min(own.latency(0.99))),
                f"{median(own.rates) / median(base.rates):.2f} ×",
                f"{median(base.rates) / median(lite[0].rates):.2f} ×",
                f"{median(own.rates) / median(large[0].rates):.2f} ×",
            )
            for base, own in zip(lite, large, strict=True)
        ],
        "Into the databases above, with learning and embedding beside it: the median of the rounds, and the p99 of the "
        "best.",
    )


def report_of(lite: list[Size], large: list[Size], moved: list[tuple[int, float]]) -> Report:
    """The figures as a report."""
    report = Report(
        "Search on PostgreSQL",
        "The same rows, questions and server settings as under [Search](#search), on SQLite and on PostgreSQL in turn. "
        "The rows were copied from one to the other by COPY, and the HNSW index was built afterwards; "
        + "; ".join(f"{rows:,} rows of all tables in {number(took)} s" for rows, took in moved)
        + ".",
    )
    report.tables.append(
        Table(
            "Over HTTP, compared with SQLite",
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
