"""Check the tenant of rows that others reference by number, which a foreign key does not."""

from collections.abc import Collection

import sqlalchemy as sa

from sagacity.domain.ids import MemoryId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import memories
from sagacity.storage.statements.array_params import among


async def own_memories(scope: Scope, ids: Collection[MemoryId]) -> set[MemoryId]:
    """Return those of *ids* that are memories of the tenant."""
    if not ids:
        return set()
    found = sa.select(memories.c.memory_id).where(
        among(memories.c.memory_id, "numbers"), scope.owns(memories)
    )
    return {row.memory_id for row in await scope.all(found, {"numbers": sorted(ids)})}
