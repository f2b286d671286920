"""What a call is told that no route takes: the nearest path, or the methods that its path has."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import compile_path

Paths = Mapping[str, frozenset[str]]
"""Path, with its parameters in braces → the methods that it has."""
_CONVERTER = re.compile(r":\w+(?=})")
_LONGEST = 100
"""A path that is longer resembles none, and is not repeated."""


def paths_of(routers: Iterable[tuple[str, APIRouter]]) -> Paths:
    """Return what is served by routers, each with the prefix of its paths."""
    found: dict[str, frozenset[str]] = {}
    for prefix, router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute):
                path = prefix + route.path
                found[path] = found.get(path, frozenset()) | frozenset(route.methods or ())
    return found


def methods_of(path: str, paths: Paths) -> list[str]:
    """Return the methods that *path* has, by name."""
    return sorted(
        {method for known in paths if compile_path(known)[0].match(path) for method in paths[known]}
    )


def no_route(path: str, paths: Paths) -> str:
    """Return that there is nothing at *path*, and what comes nearest to it."""
    if len(path) > _LONGEST or not path.isprintable():
        return "there is no such route; GET /docs shows all of them"
    near = get_close_matches(path, paths, n=1)
    hint = f"did you mean {_CONVERTER.sub('', near[0])}? " if near else ""
    return f"there is no route {path}; {hint}GET /docs shows all of them"
