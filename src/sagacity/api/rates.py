"""How often a route may be called, said beside it."""

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.routing import APIRoute

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_RATE = "rate"


class Rate(IntEnum):
    """Calls a minute, for each route and caller."""

    GENERATE = 5
    RUN = 10
    WRITE = 60
    SEARCH = 120


def limited(rate: Rate) -> Callable[[Endpoint], Endpoint]:
    """Return what marks an endpoint as limited; one that is not marked has no limit."""

    def mark(endpoint: Endpoint) -> Endpoint:
        vars(endpoint)[_RATE] = rate
        return endpoint

    return mark


def limits_of(routers: Iterable[tuple[str, APIRouter]]) -> dict[str, int]:
    """Return calls a minute by method and path such as `POST /api/search`, of routers with their prefixes."""
    return {
        f"{method} {prefix}{route.path}": int(vars(route.endpoint)[_RATE])
        for prefix, router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and _RATE in vars(route.endpoint)
        for method in route.methods or ()
    }
