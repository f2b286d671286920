"""
How fast turns are published on PostgreSQL and on SQLite, and how fast rows are stored in bulk.

    python benchmarks/postgres_publish.py [--quick]

Both are durable: a reply comes after the commit is on disk. Each turn has a new server process and a new database.
"""

import asyncio

from bulk import SIZES, rates
from databases import databases
from harness import Effort, Place, Report, Table, folder, median, number, run
from publish import Setup, measure_one

KINDS = ("SQLite", "PostgreSQL")


def measure(effort: Effort) -> Report:
    """Publish to both in turn, then store rows in bulk in both."""
    setups = {(kind, clients): Setup(kind, clients, {}) for clients in (16, 1) for kind in KINDS}
    with folder() as homes, databases(homes) as found:

        def place(kind: str, name: str) -> Place:
            return found.sqlite(name) if kind == "SQLite" else found.postgres(name)

        for turn in range(effort.pick(1, 2)):
            for (kind, clients), one in setups.items():
                measure_one(one, place(kind, f"{turn}-{clients}"), effort.pick(2, 5))
        stored = {kind: asyncio.run(rates(Effort.QUICK, place(kind, "bulk"))) for kind in KINDS}
    report = Report(
        "Publish and bulk insert on PostgreSQL",
        "The same load as under [Publish](#publish), on SQLite and on PostgreSQL in turn, each with one server process "
        "on the same two cores as the database and the load generator. PostgreSQL runs with `fsync`, "
        "`synchronous_commit` and `full_page_writes` on; both keep their files on the same disk.",
    )
    report.tables.append(
        Table(
            "Publish",
            ("set-up", "best, requests/s", "median, requests/s", "to SQLite", "p50, ms", "p99, ms"),
            [
                (
                    f"{kind}, {clients} client{'s' if clients > 1 else ''}",
                    number(max(one.rates)),
                    number(median(one.rates)),
                    f"{median(one.rates) / median(setups['SQLite', clients].rates):.2f} ×",
                    number(min(one.latency(0.5))),
                    number(min(one.latency(0.99))),
                )
                for (kind, clients), one in setups.items()
            ],
            "Every published turn was found in the database afterwards.",
        )
    )
    report.tables.append(
        Table(
            "Bulk insert",
            ("rows a transaction", *(f"{kind}, rows/s" for kind in KINDS), "to SQLite"),
            [
                (
                    f"{size:,}",
                    *(number(max(stored[kind][size])) for kind in KINDS),
                    f"{max(stored['PostgreSQL'][size]) / max(stored['SQLite'][size]):.2f} ×",
                )
                for size in SIZES
            ],
            "Embedded memories through `storage.memories.add`, best of three. On PostgreSQL the HNSW index exists "
            "and takes in each row. `sagacity migrate-data` and `restore` use COPY instead.",
        )
    )
    return report


if __name__ == "__main__":
    run(measure)
