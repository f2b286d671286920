"""A route that knows the names of its parameters: others are refused, or named in the reply to a write."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any

from fastapi import APIRouter, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import Match
from starlette.types import Scope

from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.suggest import unknown_field
from sagacity.schemas.base import MOST_WARNINGS, WriteBody

PREFIX = "/api"
_REQUEST = "request_with_names"


def operation_id(route: APIRoute) -> str:
    """Return the name of the call in every client."""
    return route.name


class Route(APIRoute):
    """
    Refuses unknown query parameters.

    A mistyped filter would otherwise select everything, to read or to delete. A write is carried out nevertheless,
    because a newer client may send more than this server knows; its reply lists in `warnings` what was ignored.
    """

    def __init__(self, path: str, endpoint: Callable[..., Awaitable[object]], **options: Any) -> None:
        known: list[str] = []
        super().__init__(path, _checking_names(endpoint, known), **options)
        known += _query_names(self.dependant)
        self._begins = path.partition("{")[0]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether the route matches. Two hundred may be tried; the path's beginning rules out most."""
        return super().matches(scope) if self._begins in scope["path"] else (Match.NONE, {})


def resource(tag: str, *, path: str = "", prefix: str = PREFIX) -> APIRouter:
    """
    Return a router for the routes of a resource, each with its full path.

    The application takes the routes as they are: to include a router, FastAPI works out its routes once more, and looks
    for the route of a call twice.
    """
    return APIRouter(
        prefix=prefix + path, tags=[tag], route_class=Route, generate_unique_id_function=operation_id
    )


def _refuse_longer_path(http_request: Request) -> None:
    """
    Refuse a path with a slash within a value, which could otherwise be read as another value, such as a user's id.

    Raises:
        NotFound: a slash within a value was not sent as `%2F`.
    """
    within = sum(str(value).count("/") for value in http_request.path_params.values())
    raw: bytes = http_request.scope.get("raw_path") or b""
    if within and raw.count(b"/") != http_request.scope["path"].count("/") - within:
        raise NotFound("there is no such route; a slash within an id is sent as %2F")


def _query_names(dependant: Dependant) -> list[str]:
    """Return the names of an endpoint's query parameters, including those of its dependencies."""
    inner = [name for one in dependant.dependencies for name in _query_names(one)]
    return [field.alias for field in dependant.query_params] + inner


def _checking_names(
    endpoint: Callable[..., Awaitable[object]], known: Sequence[str]
) -> Callable[..., Awaitable[object]]:
    """
    Return *endpoint* with a look at the names of the query and of the body, once the caller is known.

    Args:
        endpoint: what answers the call.
        known: the names of its query parameters; complete when the first call comes.
    """

    @wraps(endpoint)
    async def checked(**given: Any) -> object:
        http_request: Request = given.pop(_REQUEST)
        _refuse_longer_path(http_request)
        body = next((one for one in given.values() if isinstance(one, WriteBody)), None)
        unknown = [
            unknown_field(name, known)
            for name in list(dict.fromkeys(http_request.query_params))[:MOST_WARNINGS]
            if name not in known
        ]
        if unknown and body is None:
            raise InvalidInput(f"query: {unknown[0]}")
        reply = await endpoint(**given)
        if body is None or not isinstance(reply, BaseModel) or not (left_out := [*unknown, *body.warnings]):
            return reply
        return reply.model_copy(update={"warnings": (*(getattr(reply, "warnings", None) or ()), *left_out)})

    signature = inspect.signature(endpoint)
    request = inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request)
    checked.__signature__ = signature.replace(parameters=[*signature.parameters.values(), request])  # pyright: ignore[reportAttributeAccessIssue]  # read by FastAPI
    return checked
