"""What the server says of itself."""

from sagacity.schemas.base import Schema


class Welcome(Schema):
    """Where to go from the root."""

    service: str
    docs: str
    health: str


class Health(Schema):
    """The process answers."""

    status: str = "healthy"


class Check(Schema):
    """One part of the server: whether it works, why not, and whether the server can do without."""

    name: str
    ok: bool
    detail: str = ""
    required: bool = True


class Readiness(Schema):
    """Whether every part that the server cannot do without works."""

    status: str
    checks: tuple[Check, ...]


class Version(Schema):
    """Which release answers, and which clients it understands."""

    server_version: str
    api_version: str
    min_client_version: str
