"""Whether the server works, and which release it is."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.schemas.health import Health, Readiness, Version


async def health(connection: AsyncConnection) -> Health:
    """Return whether the process answers."""
    return await connection.get("/health", Health)


async def ready(connection: AsyncConnection) -> Readiness:
    """Return whether every part of the server works, each by name."""
    return await connection.get("/health/ready", Readiness)


async def version(connection: AsyncConnection) -> Version:
    """Return which release answers, and which clients it understands."""
    return await connection.get("/meta/version", Version)
