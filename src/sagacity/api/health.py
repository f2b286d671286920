"""Whether the server works; open to everyone, and silent about data."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib.metadata import version

from fastapi import APIRouter, Response

from sagacity.api.dependencies import RuntimeDep
from sagacity.api.sdk import sdk
from sagacity.coordination.base import SharedState
from sagacity.domain.errors import SagacityError
from sagacity.schemas.health import Check, Health, Readiness, Version, Welcome

router = APIRouter(tags=["health"])
API_VERSION = "v1"
MIN_CLIENT_VERSION = "0.1.0"
PACKAGE = "sagacity"
_CHECK_SECONDS = 5.0
_ALONE = "Redis does not answer; limits are counted in each process, changes of configuration take 5 s"
_DATABASE = "no answer; searches use the database, and the copy catches up by itself"


def server_version() -> str:
    """Return the version of the package that is installed."""
    return version(PACKAGE)


@router.get("/", openapi_extra=sdk(generated=False))
async def root() -> Welcome:
    """Return where to find the documentation and the health check."""
    return Welcome(service="Sagacity", docs="/docs", health="/health")


@router.get("/health")
async def health() -> Health:
    """Return that the process answers, without checking its parts."""
    return Health()


@router.get(
    "/health/ready", responses={503: {"model": Readiness, "description": "A required part does not work"}}
)
async def ready(runtime: RuntimeDep, response: Response) -> Readiness:
    """Check every part of the server; the status is 503 unless all required parts work."""
    checks = await asyncio.gather(
        _check("storage", runtime.storage.check),
        _check("embedder", lambda: runtime.embedder.embed(["ready"])),  # cached: asked often, computed once
        _check("dispatcher", lambda: _alive(is_running=runtime.dispatcher.is_running)),
        _shared(runtime.shared),
        *([_vector_store(store.check)] if (store := runtime.storage.vector_store) else []),
    )
    if all(check.ok or not check.required for check in checks):
        return Readiness(status="ready", checks=tuple(checks))
    response.status_code = 503
    return Readiness(status="not ready", checks=tuple(checks))


async def _check(name: str, ask: Callable[[], Awaitable[object]]) -> Check:
    try:
        await asyncio.wait_for(ask(), _CHECK_SECONDS)
    except TimeoutError:
        return Check(name=name, ok=False, detail=f"no answer within {_CHECK_SECONDS:g} s")
    except SagacityError as error:
        return Check(name=name, ok=False, detail=type(error).__name__)
    return Check(name=name, ok=True)


async def _shared(shared: SharedState) -> Check:
    """Ask what the processes share; without it each goes on alone, so it keeps none of them from serving."""
    ok = await shared.check()
    return Check(name="shared", ok=ok, detail="" if ok else _ALONE, required=False)


async def _vector_store(ask: Callable[[], Awaitable[object]]) -> Check:
    """Ask the vector store; without it the database searches by itself, so it keeps no server from serving."""
    check = await _check("vector store", ask)
    return check.model_copy(update={"required": False, "detail": "" if check.ok else _DATABASE})


async def _alive(*, is_running: bool) -> None:
    if not is_running:
        raise SagacityError("the dispatcher stopped")


@router.get("/meta/version", operation_id="version")
async def meta_version() -> Version:
    """Return the server's release and the oldest client that it supports."""
    return Version(
        server_version=server_version(), api_version=API_VERSION, min_client_version=MIN_CLIENT_VERSION
    )
