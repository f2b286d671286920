"""Whether the server works; open to everyone, and says nothing about data."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.metadata import version

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from sagacity.api.checks import AWAY, Checked, checked
from sagacity.api.dependencies import AdministersOrNobody, Caller, RuntimeDep
from sagacity.api.errors import RETRY_SECONDS
from sagacity.api.route import operation_id
from sagacity.api.sdk import sdk
from sagacity.bootstrap import Runtime
from sagacity.schemas.health import (
    Check,
    DetailedHealth,
    DetailedState,
    Health,
    Liveness,
    Readiness,
    ServiceState,
    Version,
    Welcome,
)

router = APIRouter(tags=["health"], generate_unique_id_function=operation_id)
API_VERSION = "v1"
MIN_CLIENT_VERSION = "0.1.0"
PACKAGE = "sagacity"
_NAME = "Sagacity"
_SERVICES: Mapping[str, str] = {
    "storage": "database",
    "disk": "disk",
    "vector store": "vectors",
    "shared": "cache",
    "embedder": "embeddings",
    "dispatcher": "dispatcher",
    "workers": "workers",
    "tokens": "tokens",
    "program": "program",
}
"""The names of the checks in the list of services."""


@cache
def server_version() -> str:
    """Return the version of the installed package."""
    return version(PACKAGE)


@router.get("/", response_model=Welcome, openapi_extra=sdk(generated=False))
async def root(http_request: Request) -> Welcome | Response:
    """Return where to find the documentation and the health check; a browser is sent to the documentation."""
    if "text/html" in http_request.headers.get("accept", ""):
        return RedirectResponse(f"{http_request.scope.get('root_path', '')}/docs")
    return Welcome(service=_NAME, name=_NAME, version=server_version(), docs="/docs", health="/health")


@router.get("/health", openapi_extra=sdk())
async def health(http_request: Request) -> Health:
    """Return that the process answers, without checking its parts."""
    return Health(
        timestamp=http_request.app.state.clock.now(),
        version=server_version(),
        environment=http_request.app.state.settings.environment,
        services={"api": ServiceState(status="healthy")},
    )


@router.get("/health/live", openapi_extra=sdk())
async def live(http_request: Request) -> Liveness:
    """Return that the process is alive: if this fails, restart it."""
    return Liveness(timestamp=http_request.app.state.clock.now())


@router.get(
    "/health/ready",
    responses={503: {"model": Readiness, "description": "A required part does not work"}},
    openapi_extra=sdk(),
)
async def ready(http_request: Request, response: Response) -> Readiness:
    """Check every part of the server; the status is 503 unless all required parts work."""
    state = http_request.app.state
    parts = await checked(state.runtime) if hasattr(state, "runtime") else [AWAY]
    found = readiness_of(parts, state.clock.now())
    if not found.ready:
        response.status_code = 503
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return found


def readiness_of(found: Sequence[Checked], now: datetime) -> Readiness:
    """Return the overall status: whether all required parts work."""
    is_ready = all(one.ok or not one.required for one in found)
    return Readiness(
        status="ready" if is_ready else "not ready",
        ready=is_ready,
        timestamp=now,
        checks=tuple(
            Check(name=one.name, ok=one.ok, detail=one.detail, required=one.required) for one in found
        ),
    )


@router.get("/health/detailed", response_model_exclude_none=True, openapi_extra=sdk())
async def detailed_health(runtime: RuntimeDep, caller: AdministersOrNobody) -> DetailedHealth:
    """
    Check every part of the server and report each one; the status is always 200.

    Names, response times and reasons of failures are shown only to callers with an API token.
    """
    found = await checked(runtime)
    return DetailedHealth(
        status="healthy" if all(one.ok for one in found) else "degraded",
        timestamp=runtime.clock.now(),
        version=server_version(),
        environment=runtime.settings.environment,
        services=_services(runtime, found, caller),
    )


def _services(runtime: Runtime, found: Sequence[Checked], caller: Caller | None) -> dict[str, DetailedState]:
    states = {_SERVICES[one.name]: _state(one) for one in found}
    if "vectors" not in states:  # the database searches them
        states["vectors"] = states["database"]
    if caller is None:
        return {name: DetailedState(status=state.status) for name, state in states.items()}
    kinds = {
        "database": runtime.storage.kind,
        "vectors": runtime.storage.kind if runtime.storage.vector_store is None else "qdrant",
        "cache": "redis" if runtime.settings.redis_url else "memory",
        "dispatcher": "workers" if runtime.settings.redis_url else "local",
    }
    told = {name: state.model_copy(update={"kind": kinds.get(name)}) for name, state in states.items()}
    embedder = {"model": runtime.embedder.model, "dimensions": runtime.embedder.dimension}
    told["embeddings"] = told["embeddings"].model_copy(update=embedder)
    return told


def _state(one: Checked) -> DetailedState:
    return DetailedState(
        status="healthy" if one.ok else "unhealthy",
        latency_ms=round(one.milliseconds, 3),
        message=one.detail or None,
    )


@router.get("/meta/version", operation_id="version")
async def meta_version() -> Version:
    """Return the server's release and the oldest client that it supports."""
    return Version(
        server_version=server_version(), api_version=API_VERSION, min_client_version=MIN_CLIENT_VERSION
    )
