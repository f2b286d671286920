"""SQLite and PostgreSQL for the benchmarks: a real server that writes to disk, and the same rows in both."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
from corpus import TENANT
from harness import Place

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from sagacity.storage.open import open_file
from sagacity.storage.postgres.backend import Postgres
from sagacity.storage.schema.tables import organisations
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.rows import TABLES, Part, Snapshot
from support.local_servers import PostgresServer, running_postgres

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
MEMORY = {"shared_buffers": "1GB", "maintenance_work_mem": "1GB", "max_wal_size": "4GB", "jit": "off"}
PROGRAM = "sagacity_app"


@dataclass
class Databases:
    """A PostgreSQL server and a folder."""

    server: PostgresServer
    homes: Path
    names: dict[str, str] = field(default_factory=dict)

    def sqlite(self, name: str) -> Place:
        """The SQLite database of that name."""
        return Place(self.homes / name)

    def postgres(self, name: str) -> Place:
        """The PostgreSQL database of that name; made when it is asked for first."""
        if name not in self.names:
            self.names[name] = self.server.new_database()
        database = self.names[name]
        return Place(
            self.homes / f"{name}-postgres",
            self.server.url_of(database, PROGRAM),
            self.server.url_of(database),
        )

    def execute(self, name: str, statement: str) -> list[tuple[object, ...]]:
        """Run a statement in the PostgreSQL database of that name, as the superuser."""
        return self.server.execute(statement, database=self.names[name])


@contextmanager
def databases(homes: Path) -> Iterator[Databases]:
    """A server that writes every commit to disk, as one with 4 GB of memory would be set up."""
    with running_postgres(**DURABLE, **MEMORY) as server:
        yield Databases(server, homes)


def backend_of(place: Place, *, owner: bool = False) -> Postgres:
    """A PostgreSQL backend without the check of its role, for a database whose policies are off."""
    return Postgres(sa.make_url(place.url), owner=sa.make_url(place.owner) if owner else None)


def storage_over(backend: Postgres) -> Storage:
    """A storage over *backend*."""
    return Storage(backend, clock=SystemClock(), ids=TimeOrderedIds())


async def copied(source: Place, target: Place, *, dimension: int, org_id: str = TENANT.org_id) -> int:
    """Copy every row of an SQLite database by COPY, then make the large index; returns how many rows there were."""
    backend, into = await open_file(source.home / "sagacity.db"), backend_of(target, owner=True)
    await into.migrate()
    rows = 0
    async with backend.read(None) as connection:
        snapshot = Snapshot(backend, connection)
        made = await snapshot.index(org_id)
        for table in TABLES:
            part = Part(table, org_id)
            async for page in snapshot.pages(part, limit=await snapshot.count(part)):
                async with into.write(org_id) as writing:
                    await into.load(writing, table, page)
                rows += len(page) if table is not organisations else 0
    async with into.write(org_id) as writing:
        await into.renumber(writing)
    storage = storage_over(into)
    await storage.claim_index(str(made["embedder"]) if made else "", dimension)
    await storage.close()
    await backend.close()
    return rows


def settled(found: Databases, names: Sequence[str]) -> None:
    """Let the planner know what the databases hold, as autovacuum does after a while."""
    for name in names:
        found.execute(name, "VACUUM ANALYZE")
