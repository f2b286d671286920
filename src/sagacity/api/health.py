"""Whether the server works; open to everyone, and silent about data."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib.metadata import version

from fastapi import APIRouter, Response

from sagacity.api.dependencies import RuntimeDep
from sagacity.domain.errors import SagacityError
from sagacity.schemas.health import Check, Health, Readiness, Version, Welcome

router = APIRouter(tags=["health"])
API_VERSION = "v1"
MIN_CLIENT_VERSION = "0.1.0"
PACKAGE = "sagacity"
_CHECK_SECONDS = 5.0


def server_version() -> str:
    """Return the version of the package that is installed."""
    return version(PACKAGE)


@router.get("/")
async def root() -> Welcome:
    """Say where to go from here."""
    return Welcome(service="Sagacity", docs="/docs", health="/health")


@router.get("/health")
async def health() -> Health:
    """Say that the process answers; nothing is asked of its parts."""
    return Health()


@router.get("/health/ready", responses={503: {"model": Readiness, "description": "A part does not work"}})
async def ready(runtime: RuntimeDep, response: Response) -> Readiness:
    """Ask every part whether it works; the status is 503 unless all do."""
    checks = await asyncio.gather(
        _check("storage", runtime.storage.check),
        _check("embedder", lambda: runtime.embedder.embed(["ready"])),  # cached: asked often, computed once
        _check("dispatcher", lambda: _alive(is_running=runtime.dispatcher.is_running)),
    )
    if all(check.ok for check in checks):
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


async def _alive(*, is_running: bool) -> None:
    if not is_running:
        raise SagacityError("the dispatcher stopped")


@router.get("/meta/version")
async def meta_version() -> Version:
    """Say which release answers, and which clients it understands."""
    return Version(
        server_version=server_version(), api_version=API_VERSION, min_client_version=MIN_CLIENT_VERSION
    )
