"""How many connections are in use."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool

from sagacity.domain.backlog import ConnectionUse


def in_use(*engines: AsyncEngine | sa.Engine) -> ConnectionUse:
    """Return the connections of engines with queue pools."""
    pools = [engine.pool for engine in engines if isinstance(engine.pool, QueuePool)]
    return ConnectionUse(
        limit=sum(pool.size() for pool in pools), in_use=sum(pool.checkedout() for pool in pools)
    )
