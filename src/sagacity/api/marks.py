"""Marks that a route carries beside its endpoint; they are read when the application is built."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.routing import APIRoute

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def mark(name: str, value: object) -> Callable[[Endpoint], Endpoint]:
    """Return a decorator that gives an endpoint the mark *name*."""

    def marked_with(endpoint: Endpoint) -> Endpoint:
        vars(endpoint)[name] = value
        return endpoint

    return marked_with


def marked(routers: Iterable[APIRouter], name: str) -> dict[str, Any]:
    """Return the values of the mark *name* by method and path, such as `POST /api/search`."""
    return {
        f"{method} {route.path}": vars(route.endpoint)[name]
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and name in vars(route.endpoint)
        for method in route.methods or ()
    }
