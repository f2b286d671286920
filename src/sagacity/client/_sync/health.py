# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Whether the server works; open to everyone."""

from sagacity.client._sync.connection import Connection
from sagacity.schemas.health import Health, Readiness, Version


def health(connection: Connection) -> Health:
    """Say that the process answers; nothing is asked of its parts."""
    return connection.get("/health", Health)


def ready(connection: Connection) -> Readiness:
    """Ask every part whether it works; the status is 503 unless all do that the server cannot do without."""
    return connection.get("/health/ready", Readiness)


def version(connection: Connection) -> Version:
    """Say which release answers, and which clients it understands."""
    return connection.get("/meta/version", Version)
