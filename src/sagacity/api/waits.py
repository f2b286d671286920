"""Which routes may take longer than others, said beside them."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.routing import APIRoute

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_WAITS = "waits_for_answer"


def waits_for_answer(endpoint: Endpoint) -> Endpoint:
    """Mark an endpoint whose reply may wait for all of a model's answer, which takes longer than another call may."""
    vars(endpoint)[_WAITS] = True
    return endpoint


def waiting_of(routers: Iterable[tuple[str, APIRouter]]) -> frozenset[str]:
    """Return the marked calls by method and path such as `POST /api/chat/send`, of routers with their prefixes."""
    return frozenset(
        f"{method} {prefix}{route.path}"
        for prefix, router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and _WAITS in vars(route.endpoint)
        for method in route.methods or ()
    )
