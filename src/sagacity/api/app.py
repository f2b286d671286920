"""The HTTP application: routers, middleware and errors around one runtime."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI
from fastapi_offline import FastAPIOffline
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.types import Scope

from sagacity.api import (
    accounts,
    agent_playbooks,
    aggregation,
    analytics,
    audit,
    chat,
    config,
    context,
    dead_letters,
    diffs,
    entities,
    evaluations,
    generation,
    health,
    history,
    interactions,
    invitations,
    members,
    memories,
    memory_health,
    metrics,
    model_calls,
    oidc,
    operations,
    organizations,
    profile,
    profiles,
    prompts,
    quarantines,
    quotas,
    receipts,
    review_queue,
    search,
    site,
    skills,
    tokens,
    totp,
    usage,
    user_playbooks,
    users,
    versions,
)
from sagacity.api.allowed_methods import paths_of
from sagacity.api.cookies import CSRF_HEADER, is_secure
from sagacity.api.dependencies import allowance_of
from sagacity.api.errors import CORRELATION_HEADER, REQUEST_HEADER, install_errors
from sagacity.api.middleware.body import BodyMiddleware
from sagacity.api.middleware.correlation import CorrelationMiddleware
from sagacity.api.middleware.crash import CrashMiddleware
from sagacity.api.middleware.metrics import MetricsMiddleware
from sagacity.api.middleware.rate_limit import RATE_HEADERS, RateLimitMiddleware
from sagacity.api.middleware.request_log import TIME_HEADER, RequestLogMiddleware
from sagacity.api.middleware.security_headers import SecurityHeadersMiddleware
from sagacity.api.middleware.timeout import TimeoutMiddleware
from sagacity.api.middleware.tracing import TracingMiddleware
from sagacity.api.middleware.waiting import WaitingMiddleware
from sagacity.api.openapi import install_openapi
from sagacity.api.opening import Unwatched, Watcher, opening
from sagacity.api.rates import limits_of
from sagacity.api.route import PREFIX
from sagacity.api.vocabulary import OLDER_ROUTES, older_routes
from sagacity.api.waits import waiting_of
from sagacity.bootstrap import Runtime
from sagacity.config.settings import Settings
from sagacity.coordination.base import Limiter
from sagacity.domain.clock import Clock, SystemClock
from sagacity.domain.ids import TimeOrderedIds
from sagacity.observability.metrics import Metrics
from sagacity.observability.tracing import Tracer

_PAGES = ("/docs", "/redoc", "/static-offline-docs")
"""The pages of the API's documentation, with their scripts."""
ROUTERS: tuple[APIRouter, ...] = (
    search.router,  # the busiest first: routes are tried in their order
    interactions.router,
    context.router,
    chat.router,
    receipts.router,
    profiles.router,
    user_playbooks.router,
    agent_playbooks.router,
    aggregation.router,
    generation.router,
    versions.router,
    diffs.router,
    operations.router,
    history.router,
    review_queue.router,
    memory_health.router,
    skills.router,
    entities.router,
    analytics.router,
    usage.router,
    memories.router,
    profile.router,
    users.router,
    quarantines.router,
    evaluations.router,
    dead_letters.router,
    model_calls.router,
    prompts.router,
    config.router,
    site.router,
    quotas.router,
    tokens.router,
    audit.router,
    accounts.router,
    accounts.public,
    oidc.router,
    totp.router,
    totp.public,
    oidc.public,
    oidc.pages,
    members.router,
    invitations.router,
    organizations.router,
)
SERVED: tuple[APIRouter, ...] = (
    *ROUTERS,
    health.router,
    metrics.router,
    accounts.root,
    older_routes(ROUTERS),
)
"""Every router."""


def create_app(settings: Settings, *, clock: Clock | None = None, watcher: Watcher | None = None) -> FastAPI:
    """
    Return the application; it opens its runtime when it starts and closes it when it stops.

    Args:
        settings: of this process.
        clock: tells when things were stored, are due and expire; the system clock if omitted.
        watcher: notified about opening the runtime.
    """
    clock = clock or SystemClock()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        def hold(runtime: Runtime) -> None:
            app.state.runtime = runtime

        async with opening(settings, watcher or Unwatched(), hold, clock=clock):
            yield

    app = FastAPIOffline(
        title="Sagacity",
        swagger_ui_parameters={"docExpansion": "none", "filter": True},  # two hundred routes, by resource
        redirect_slashes=False,  # it would send callers to whatever their `Host` header names
        routes=[route for router in SERVED for route in router.routes],
        lifespan=lifespan,
        middleware=_middleware(settings),
    )
    app.state.settings, app.state.clock = settings, clock
    install_errors(app, paths_of(SERVED))
    install_openapi(app)
    return app


def _middleware(settings: Settings) -> list[Middleware]:
    """Return the middleware, outermost first."""
    layers = [
        Middleware(CorrelationMiddleware, ids=TimeOrderedIds()),
        Middleware(SecurityHeadersMiddleware, is_https=is_secure(settings), pages=_PAGES),
        *([Middleware(TracingMiddleware, tracer_of=_tracer_of)] if settings.traces_url else []),
        Middleware(RequestLogMiddleware),
        Middleware(MetricsMiddleware, metrics_of=_metrics_of),
    ]
    if settings.cors_origins:  # without any, other sites' pages are told nothing
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=settings.cors_origins,
                allow_credentials=settings.cors_credentials,
                allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
                allow_headers=[
                    "Authorization",
                    "Content-Type",
                    "Last-Event-ID",
                    CORRELATION_HEADER,
                    REQUEST_HEADER,
                    CSRF_HEADER,
                ],
                expose_headers=[CORRELATION_HEADER, REQUEST_HEADER, TIME_HEADER, *RATE_HEADERS],
            )
        )
    layers += [
        Middleware(CrashMiddleware),
        Middleware(WaitingMiddleware, is_open=_is_open),
        Middleware(
            TimeoutMiddleware,
            seconds=settings.request_timeout_seconds,
            wait_seconds=settings.wait_timeout_seconds,
            waiting=waiting_of(ROUTERS),
        ),
    ]
    if settings.rate_limits:
        older = {PREFIX + path: PREFIX + successor for path, (successor, _) in OLDER_ROUTES.items()}
        limits = {
            call: max(1, round(per_minute * settings.rate_limit_factor))
            for call, per_minute in limits_of((accounts.root, *ROUTERS)).items()
        }
        layers.append(
            Middleware(
                RateLimitMiddleware,
                limiter_of=_limiter_of,
                allowance_of=allowance_of,
                limits=limits,
                older=older,
            )
        )
    layers.append(Middleware(BodyMiddleware, max_bytes=settings.max_body_bytes))
    return layers


def _is_open(scope: Scope) -> bool:
    return hasattr(scope["app"].state, "runtime")


def _limiter_of(scope: Scope) -> Limiter:
    """Return what counts calls; it is there once the application has started."""
    return scope["app"].state.runtime.shared.limiter


def _metrics_of(scope: Scope) -> Metrics | None:
    """Return what counts calls for the operator; it is there once the application has started."""
    runtime: Runtime | None = getattr(scope["app"].state, "runtime", None)
    return None if runtime is None else runtime.metrics


def _tracer_of(scope: Scope) -> Tracer | None:
    """Return what records spans; it is there once the application has started."""
    runtime: Runtime | None = getattr(scope["app"].state, "runtime", None)
    return None if runtime is None else runtime.tracer
