"""What a worker answers over HTTP, if it is given a port: health and metrics, nothing else."""

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sagacity.api.checks import AWAY, checked
from sagacity.api.connections import limited_protocol
from sagacity.api.dependencies import is_local
from sagacity.api.errors import RETRY_SECONDS, foreseen_response
from sagacity.api.health import readiness_of, server_version
from sagacity.api.metrics import metrics_reply
from sagacity.api.middleware.body import BodyMiddleware
from sagacity.api.middleware.correlation import CorrelationMiddleware
from sagacity.api.middleware.crash import CrashMiddleware
from sagacity.api.middleware.request_log import RequestLogMiddleware
from sagacity.api.middleware.security_headers import SecurityHeadersMiddleware
from sagacity.api.middleware.timeout import TimeoutMiddleware
from sagacity.auth.tokens import bearer, hash_token
from sagacity.bootstrap import WorkerRuntime
from sagacity.config.settings import Settings
from sagacity.domain.clock import SystemClock
from sagacity.domain.errors import SagacityError, StorageUnavailable, Unauthorized
from sagacity.domain.ids import TimeOrderedIds
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import Tenant
from sagacity.schemas.health import Health, Liveness, ServiceState

_BODY_BYTES = 1_024
_SECONDS = 30.0
_CONNECTIONS = 50
"""Maximum simultaneous connections: only probes and Prometheus call."""


class DoorServer(uvicorn.Server):
    """A server within a process that handles signals itself."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_open = asyncio.Event()
        """Set once it accepts connections."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, and set `is_open`."""
        await super().startup(sockets=sockets)
        self.is_open.set()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signal handlers alone."""
        yield


RuntimeOf = Callable[[], WorkerRuntime | None]
"""Returns the worker's runtime; None while it is not open."""


def door_server(settings: Settings, runtime_of: RuntimeOf) -> DoorServer:
    """Return the server of a worker's routes, for `DoorServer.serve` with its socket."""
    config = uvicorn.Config(
        worker_app(settings, runtime_of),
        log_config=None,
        access_log=False,
        lifespan="off",
        http=limited_protocol(most=_CONNECTIONS, head_seconds=settings.header_timeout_seconds),
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return DoorServer(config)


def worker_app(settings: Settings, runtime_of: RuntimeOf) -> Starlette:
    """Return the routes of a worker."""
    clock = SystemClock()

    async def health(_request: Request) -> Response:
        """Return that the process answers, without checking its parts."""
        state = Health(
            timestamp=clock.now(),
            version=server_version(),
            environment=settings.environment,
            services={"worker": ServiceState(status="healthy")},
        )
        return JSONResponse(state.model_dump(mode="json"))

    async def live(_request: Request) -> Response:
        """Return that the process is alive."""
        return JSONResponse(Liveness(timestamp=clock.now()).model_dump(mode="json"))

    async def ready(_request: Request) -> Response:
        """Check every part of the worker; the status is 503 unless all required parts work."""
        runtime = runtime_of()
        found = readiness_of([AWAY] if runtime is None else await checked(runtime), clock.now())
        headers = {} if found.ready else {"Retry-After": str(RETRY_SECONDS)}
        return JSONResponse(
            found.model_dump(mode="json"), status_code=200 if found.ready else 503, headers=headers
        )

    async def metrics(http_request: Request) -> PlainTextResponse:
        """Return this worker's metrics, for operators."""
        runtime = runtime_of()
        if runtime is None:
            raise StorageUnavailable("the worker waits for its database")
        await _require_operator(http_request, runtime)
        return await metrics_reply(runtime)

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/health/live", live),
            Route("/health/ready", ready),
            Route("/metrics", metrics),
        ],
        middleware=[
            Middleware(CorrelationMiddleware, ids=TimeOrderedIds()),
            Middleware(SecurityHeadersMiddleware, is_https=False, pages=()),
            Middleware(RequestLogMiddleware),
            Middleware(CrashMiddleware),
            Middleware(TimeoutMiddleware, seconds=_SECONDS, wait_seconds=_SECONDS, waiting=()),
            Middleware(BodyMiddleware, max_bytes=_BODY_BYTES),
        ],
        exception_handlers={SagacityError: foreseen_response},
    )


async def _require_operator(http_request: Request, runtime: WorkerRuntime) -> None:
    """
    Make sure that the caller runs the installation, as for the server's `/metrics`.

    Raises:
        Unauthorized: the token is unknown, or missing although required.
        Forbidden: its token is another organisation's.
    """
    token = bearer(http_request.headers.get("authorization"))
    if token:
        found = await runtime.token_store.find(hash_token(token))
        Principal(tenant=Tenant(org_id=found.org_id)).require_operator()
        return
    client = http_request.client
    is_near = runtime.settings.is_worker_loopback and is_local(
        "" if client is None else client.host,
        host=http_request.headers.get("host", ""),
        origin=http_request.headers.get("origin"),
    )
    if not is_near or runtime.settings.knows_users or await runtime.token_store.any_made():
        raise Unauthorized("an API token is needed: send `Authorization: Bearer <token>`")
