"""All methods that a path allows, over all its routes; Starlette reports only those of the first."""

from collections.abc import Iterable, Mapping

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import compile_path

Paths = Mapping[str, frozenset[str]]
"""Path, with its parameters in braces → its methods."""


def paths_of(routers: Iterable[APIRouter]) -> Paths:
    """Return the paths of *routers* with their methods."""
    found: dict[str, frozenset[str]] = {}
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute):
                found[route.path] = found.get(route.path, frozenset()) | frozenset(route.methods or ())
    return found


def methods_of(path: str, paths: Paths) -> list[str]:
    """Return the methods of *path* by name; a path with a route of its own is no value of another's parameter."""
    if path in paths:
        return sorted(paths[path])
    return sorted(
        {method for known in paths if compile_path(known)[0].match(path) for method in paths[known]}
    )
