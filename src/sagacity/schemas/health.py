"""What the server says of itself."""

from sagacity.schemas.base import Schema


class Welcome(Schema):
    """Where to find the documentation and the health check."""

    service: str
    docs: str
    health: str


class Health(Schema):
    """The process answers."""

    status: str = "healthy"


class Check(Schema):
    """One part of the server: whether it works, if not why, and whether it is required."""

    name: str
    ok: bool
    detail: str = ""
    required: bool = True


class Readiness(Schema):
    """Whether every required part of the server works."""

    status: str
    checks: tuple[Check, ...]


class Version(Schema):
    """The server's release, and the oldest client that it supports."""

    server_version: str
    api_version: str
    min_client_version: str
