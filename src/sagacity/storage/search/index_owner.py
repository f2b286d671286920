"""The embedder and the analyzer that made the search index: one of each for the whole database."""

import sqlalchemy as sa

from sagacity.domain.errors import IndexMismatch
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import search_index
from sagacity.storage.search.keywords import ANALYZER


async def made_by(scope: Scope) -> tuple[str, int] | None:
    """Return the embedder that made the index, and its dimension; None if there is no index yet."""
    rows = await scope.all(sa.select(search_index))
    return (rows[0].embedder, rows[0].dimension) if rows else None


async def claim_index(scope: Scope, embedder: str, dimension: int) -> None:
    """
    Claim the search index for an embedder, or check that the same one made it.

    Raises:
        IndexMismatch: another embedder or analyzer made it.
    """
    rows = await scope.all(sa.select(search_index))
    if not rows:  # of several processes that start on a new database at once, one records it, and all compare
        await _insert(scope, embedder, dimension)
        rows = await scope.all(sa.select(search_index))
    row = rows[0]
    if (row.embedder, row.dimension, row.analyzer) != (embedder, dimension, ANALYZER):
        raise IndexMismatch(
            f"the search index was made with {row.embedder} ({row.dimension} dimensions, analyzer "
            f"{row.analyzer}), and this server uses {embedder} ({dimension}, {ANALYZER}). "
            "Run `sagacity reindex` to rebuild it, or configure the former embedder."
        )


async def record_index(scope: Scope, embedder: str, dimension: int) -> None:
    """Record what made the search index, replacing the former record."""
    await scope.run(sa.delete(search_index))
    await _insert(scope, embedder, dimension)


async def _insert(scope: Scope, embedder: str, dimension: int) -> None:
    values = {
        "index_id": 1,
        "embedder": embedder,
        "dimension": dimension,
        "analyzer": ANALYZER,
        "created_at": scope.clock.now(),
    }
    await scope.run(scope.insert(search_index).values(values).on_conflict_do_nothing())
