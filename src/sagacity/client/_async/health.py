# Generated from the API's description by scripts/sdk; change it there.
"""Whether the server works; open to everyone."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.schemas.health import DetailedHealth, Health, Liveness, Readiness, Version


async def health(connection: AsyncConnection) -> Health:
    """Return that the process answers, without checking its parts."""
    return await connection.get("/health", Health)


async def live(connection: AsyncConnection) -> Liveness:
    """Return that the process is alive: if this fails, restart it."""
    return await connection.get("/health/live", Liveness)


async def ready(connection: AsyncConnection) -> Readiness:
    """Check every part of the server; the status is 503 unless all required parts work."""
    return await connection.get("/health/ready", Readiness)


async def detailed_health(connection: AsyncConnection) -> DetailedHealth:
    """
    Check every part of the server and report each one; the status is always 200.

    Names, response times and reasons of failures are shown only to callers with an API token.
    """
    return await connection.get("/health/detailed", DetailedHealth)


async def version(connection: AsyncConnection) -> Version:
    """Return the server's release and the oldest client that it supports."""
    return await connection.get("/meta/version", Version)
