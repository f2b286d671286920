# Generated from _async by scripts/unasync; edit it there.
"""Whether the server works, and which release it is."""

from sagacity.client._sync.connection import Connection
from sagacity.schemas.health import Health, Readiness, Version


def health(connection: Connection) -> Health:
    """Return whether the process answers."""
    return connection.get("/health", Health)


def ready(connection: Connection) -> Readiness:
    """Return whether every part of the server works, each by name."""
    return connection.get("/health/ready", Readiness)


def version(connection: Connection) -> Version:
    """Return which release answers, and which clients it understands."""
    return connection.get("/meta/version", Version)
