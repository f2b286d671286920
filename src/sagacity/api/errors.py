"""Errors become replies: one table, error to status, and one shape of body."""

from collections.abc import Mapping, Sequence
from typing import cast

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import JsonValue
from starlette.exceptions import HTTPException

from sagacity.api.allowed_methods import Paths, methods_of
from sagacity.domain.errors import (
    ConfigError,
    Conflict,
    Forbidden,
    InvalidInput,
    NotConfirmed,
    NotFound,
    ProviderError,
    ProviderTimeout,
    RateLimited,
    SagacityError,
    StorageError,
    TooLarge,
    Unauthorized,
)
from sagacity.schemas.errors import Problem
from sagacity.schemas.fault_words import in_words

CORRELATION_HEADER = "X-Correlation-ID"
STATUS: Mapping[type[SagacityError], int] = {
    NotFound: 404,
    Conflict: 409,
    NotConfirmed: 400,
    InvalidInput: 422,
    TooLarge: 413,
    Unauthorized: 401,
    Forbidden: 403,
    RateLimited: 429,
    ProviderTimeout: 504,
    ProviderError: 502,
    StorageError: 503,
    ConfigError: 500,
    SagacityError: 500,
}
"""The nearest class counts."""
_NAMES = {400: "InvalidInput", 404: "NotFound", 405: "MethodNotAllowed", 413: "TooLarge", 422: "InvalidInput"}
MOST_FAULTS = 100
"""More of them help nobody, and a list of a million wrong members would be answered with a hundred megabytes."""
_TOLD = 5
"""So many are in the message; the others are in the detail."""
_LONGEST_TYPE = 100
_TOO_SHORT = "too_short"
_ADD_TYPE = "add the header `Content-Type: application/json`"
_DATABASE = "The database failed and nothing was stored. The log has the details under the correlation id."
_INTERNAL = "Something went wrong on the server. Its log has the details under the correlation id."

_log = structlog.get_logger(__name__)


def status_of(error: SagacityError) -> int:
    """Return the HTTP status of *error*."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def correlation_id() -> str | None:
    """Return the id under which the log knows this call."""
    bound = structlog.contextvars.get_contextvars().get("correlation_id")
    return None if bound is None else str(bound)


def problem_response(
    status: int,
    name: str,
    message: str,
    *,
    detail: JsonValue = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return the reply to a call that failed; *detail* is the message unless something longer is given."""
    body = Problem(
        error=name,
        message=message,
        msg=message,
        detail=message if detail is None else detail,
        correlation_id=correlation_id(),
    )
    return JSONResponse(
        body.model_dump(mode="json", exclude_none=True), status, None if headers is None else dict(headers)
    )


def error_response(error: SagacityError, *, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the reply to one of our own errors."""
    more = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else {}
    text = _DATABASE if isinstance(error, StorageError) else str(error)
    return problem_response(status_of(error), type(error).__name__, text, headers=more | dict(headers or {}))


def faults_of(errors: Sequence[object]) -> list[JsonValue]:
    """Return what is wrong with an input, fault by fault, without the input itself: it may hold secrets."""
    found: list[JsonValue] = []
    faults = [cast("Mapping[str, object]", error) for error in errors[:MOST_FAULTS]]
    within = {tuple(place[:size]) for place in map(_place, faults) for size in range(len(place))}
    for fault in faults:
        place = _place(fault)
        if fault["type"] == _TOO_SHORT and tuple(place) in within:
            continue  # it is too short only because of what is wrong within
        found.append(
            {
                "type": str(fault["type"]),
                "loc": [part if isinstance(part, int) else str(part) for part in place],
                "msg": in_words(fault),
            }
        )
    return found


def _place(fault: Mapping[str, object]) -> Sequence[object]:
    return cast("Sequence[object]", fault["loc"])


def _message(fault: JsonValue) -> str:
    parts = cast("dict[str, object]", fault)
    place = [str(part) for part in cast("list[object]", parts["loc"]) if part != "body"]
    return f"{'.'.join(place) or 'body'}: {parts['msg']}"


async def _ours(http_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, SagacityError)  # noqa: S101  it is registered for no other
    if status_of(error) >= 500:  # noqa: PLR2004  HTTP's own border
        _log.error("request.failed", path=http_request.url.path, error=type(error).__name__, text=str(error))
    return error_response(error)


async def _invalid(http_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101  it is registered for no other
    if isinstance(error.body, bytes):  # what came as JSON, or did not come at all, is no longer bytes here
        return _not_declared(http_request)
    errors = cast("Sequence[object]", error.errors())
    faults = faults_of(errors)
    message = "; ".join(_message(fault) for fault in faults[:_TOLD])
    if len(errors) > _TOLD:
        message += f"; and {len(errors) - _TOLD} more"
    return problem_response(422, "InvalidInput", message, detail=faults)


def _not_declared(http_request: Request) -> JSONResponse:
    """Tell whoever sent a body that does not say of itself to be JSON, as `curl -d` does, what to add."""
    given = http_request.headers.get("Content-Type", "")
    known = given if 0 < len(given) <= _LONGEST_TYPE and given.isprintable() else "another type, or none"
    text = f"the body must be JSON, but was sent as {known}; {_ADD_TYPE}"
    detail: JsonValue = [{"type": "content_type", "loc": ["header", "Content-Type"], "msg": text}]
    return problem_response(422, "InvalidInput", text, detail=detail)


def _http(http_request: Request, error: Exception, paths: Paths) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101  it is registered for no other
    if error.status_code == 404:  # noqa: PLR2004  no route of ours raises it: they raise NotFound
        return problem_response(404, "NotFound", "there is no such route; GET /docs lists all routes")
    path: str = http_request.scope["path"]
    if error.status_code == 405 and (methods := ", ".join(methods_of(path, paths))):  # noqa: PLR2004
        text = f"{path} takes {methods}, not {http_request.method}; GET /docs shows all routes"
        return problem_response(405, "MethodNotAllowed", text, headers={"Allow": methods})
    name = _NAMES.get(error.status_code, "InvalidInput" if error.status_code < 500 else "InternalError")  # noqa: PLR2004
    return problem_response(error.status_code, name, str(error.detail), headers=error.headers)


async def _unknown(http_request: Request, error: Exception) -> JSONResponse:
    """Tell the log everything, and the caller only where to look."""
    _log.error("request.crashed", path=http_request.url.path, exc_info=error)
    headers = {CORRELATION_HEADER: correlation_id() or ""}
    return problem_response(500, "InternalError", _INTERNAL, headers=headers)


def install_errors(app: FastAPI, paths: Paths) -> None:
    """
    Make *app* answer every error in the one shape.

    Args:
        app: the application.
        paths: what it serves.
    """

    async def http(http_request: Request, error: Exception) -> JSONResponse:
        return _http(http_request, error, paths)

    app.add_exception_handler(SagacityError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, _unknown)
