# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Whether the server works; open to everyone."""

from sagacity.client._sync.connection import Connection
from sagacity.schemas.health import DetailedHealth, Health, Liveness, Readiness, Version


def health(connection: Connection) -> Health:
    """Return that the process answers, without checking its parts."""
    return connection.get("/health", Health)


def live(connection: Connection) -> Liveness:
    """Return that the process is alive: if this fails, restart it."""
    return connection.get("/health/live", Liveness)


def ready(connection: Connection) -> Readiness:
    """Check every part of the server; the status is 503 unless all required parts work."""
    return connection.get("/health/ready", Readiness)


def detailed_health(connection: Connection) -> DetailedHealth:
    """
    Check every part of the server and report each one; the status is always 200.

    Names, response times and reasons of failures are shown only to callers with an API token.
    """
    return connection.get("/health/detailed", DetailedHealth)


def version(connection: Connection) -> Version:
    """Return the server's release and the oldest client that it supports."""
    return connection.get("/meta/version", Version)
