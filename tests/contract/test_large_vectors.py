"""Embedders of many dimensions: kept and searched on every database, with an index where there can be one."""

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from conftest import PROGRAM
from sagacity.storage.open import PostgresOptions, open_storage
from support.local_servers import PostgresServer
from support.parts import ORG, CountingIds, StoppedClock, new_memory, unit_rows
from support.vector_copies import PROFILES

MOST = 16_000


@pytest.mark.parametrize(("dimension", "indexed"), [(4_000, 1), (4_001, 0), (MOST, 0)])
async def test_vectors_of_many_numbers_are_searched_without_an_index(
    postgres: PostgresServer, migrated_database: str, dimension: int, indexed: int
) -> None:
    """The owner makes the index up to what pgvector allows, says once that there is none, and search is exact."""
    name = postgres.new_database(template=migrated_database)
    options = PostgresOptions(owner_url=postgres.url_of(name))
    storage = await open_storage(
        postgres.url_of(name, PROGRAM), clock=StoppedClock(), ids=CountingIds(), postgres=options
    )
    try:
        with capture_logs() as logs:
            await storage.claim_index("large", dimension)
        assert [line["event"] for line in logs] == ["vectors.without_index"] * (1 - indexed)
        async with storage.begin(ORG) as tx:
            await tx.organisation.ensure()
            rows = unit_rows(3, dimension)
            new = [new_memory(f"memory {number}", uid=f"m{number}") for number in range(3)]
            stored = await tx.memories.add(new, vectors={f"m{number}": rows[number] for number in range(3)})
        async with storage.read(ORG) as snapshot:
            nearest = await snapshot.search.by_vector(PROFILES, rows[1], 1)
        assert [hit.owner_id for hit in nearest.hits] == [stored[1].memory_id]
        async with storage.backend.read(ORG.org_id) as connection:
            count = sa.text("select count(*) from pg_class where relname like 'ix_search_documents_hnsw_%'")
            assert (await connection.execute(count)).scalar_one() == indexed
    finally:
        await storage.close()
        postgres.drop_database(name)
