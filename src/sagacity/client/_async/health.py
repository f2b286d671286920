# Generated from the API's description by scripts/sdk; change it there.
"""Whether the server works; open to everyone."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.schemas.health import Health, Readiness, Version


async def health(connection: AsyncConnection) -> Health:
    """Return that the process answers, without checking its parts."""
    return await connection.get("/health", Health)


async def ready(connection: AsyncConnection) -> Readiness:
    """Check every part of the server; the status is 503 unless all required parts work."""
    return await connection.get("/health/ready", Readiness)


async def version(connection: AsyncConnection) -> Version:
    """Return the server's release and the oldest client that it supports."""
    return await connection.get("/meta/version", Version)
