# Generated from the API's description by scripts/sdk; change it there.
"""Whether the server works; open to everyone."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.schemas.health import Health, Readiness, Version


async def health(connection: AsyncConnection) -> Health:
    """Say that the process answers; nothing is asked of its parts."""
    return await connection.get("/health", Health)


async def ready(connection: AsyncConnection) -> Readiness:
    """Ask every part whether it works; the status is 503 unless all do that the server cannot do without."""
    return await connection.get("/health/ready", Readiness)


async def version(connection: AsyncConnection) -> Version:
    """Say which release answers, and which clients it understands."""
    return await connection.get("/meta/version", Version)
