"""Replies about the server's health."""

from datetime import datetime
from typing import Literal

from sagacity.schemas.base import Schema

State = Literal["healthy", "unhealthy"]


class Welcome(Schema):
    """Where to find the documentation and the health check."""

    service: str
    name: str
    """What answers here, as older clients read it."""
    version: str
    """The release of the server."""
    status: Literal["operational"] = "operational"
    """Always `operational`: it answers."""
    docs: str
    health: str


class ServiceState(Schema):
    """Whether one part of the server works."""

    status: State
    """`healthy` if it works."""


class Health(Schema):
    """The process answers."""

    status: Literal["healthy"] = "healthy"
    """Always `healthy`: the process answers. Its parts are not checked."""
    timestamp: datetime
    """The server's time."""
    version: str
    """The release of the server."""
    environment: str
    """The installation's environment: `development`, `staging` or `production`."""
    services: dict[str, ServiceState]
    """The API itself."""


class Liveness(Schema):
    """The process answers."""

    alive: Literal[True] = True
    """Always true."""
    timestamp: datetime
    """The server's time."""


class Check(Schema):
    """One part of the server: whether it works, if not why, and whether it is required."""

    name: str
    ok: bool
    detail: str = ""
    required: bool = True


class Readiness(Schema):
    """Whether every required part of the server works."""

    status: str
    ready: bool
    """The same, for programs to compare."""
    timestamp: datetime
    """The server's time."""
    checks: tuple[Check, ...]


class DetailedState(ServiceState):
    """One part of the server; all but its status is only for administrators."""

    kind: str | None = None
    """Its implementation, such as `postgresql` or `qdrant`."""
    latency_ms: float | None = None
    """Response time in milliseconds."""
    message: str | None = None
    """Why it does not work, or what replaces it meanwhile."""
    model: str | None = None
    """The model that makes vectors."""
    dimensions: int | None = None
    """The dimension of its vectors."""


class DetailedHealth(Schema):
    """Every part of the server, checked now."""

    status: Literal["healthy", "degraded"]
    """`degraded` if any part does not work."""
    timestamp: datetime
    """The server's time."""
    version: str
    """The release of the server."""
    environment: str
    """The installation's environment: `development`, `staging` or `production`."""
    services: dict[str, DetailedState]
    """By name: `database`, `vectors`, `cache`, `embeddings`, `dispatcher`; in self-host mode `tokens`, too."""


class Version(Schema):
    """The server's release, and the oldest client that it supports."""

    server_version: str
    api_version: str
    min_client_version: str
