"""Turn errors into replies: one table from error to status, and one shape of body."""

import re
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
    CodeNeeded,
    CodeUnavailable,
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
    WrongCredentials,
)
from sagacity.schemas.errors import FieldFault, Problem
from sagacity.schemas.fault_words import in_words

CORRELATION_HEADER = "X-Correlation-ID"
REQUEST_HEADER = "X-Request-ID"
"""The same value under the header that many proxies and clients use."""
STATUS: Mapping[type[SagacityError], int] = {
    NotFound: 404,
    Conflict: 409,
    NotConfirmed: 400,
    WrongCredentials: 400,
    InvalidInput: 422,
    TooLarge: 413,
    Unauthorized: 401,
    Forbidden: 403,
    RateLimited: 429,
    ProviderTimeout: 504,
    ProviderError: 502,
    StorageError: 503,
    CodeUnavailable: 503,
    ConfigError: 500,
    SagacityError: 500,
}
"""The most specific class counts."""
_NAMES = {400: "InvalidInput", 404: "NotFound", 405: "MethodNotAllowed", 413: "TooLarge", 422: "InvalidInput"}
MOST_FAULTS = 100
"""How many faults are reported: a million wrong list members would otherwise make a reply of 100 MB."""
_TOLD = 5
"""How many faults the message contains; the others are in the detail."""
_LONGEST_TYPE = 100
_TOO_SHORT = "too_short"
_OF_SETS = frozenset({"enum", "literal_error"})
_SET = re.compile(r"(?:str-enum|enum|literal)\[.*\]")
"""How pydantic names a set of words, in a place that the caller did not send."""
_ADD_TYPE = "add the header `Content-Type: application/json`"
RETRY_SECONDS = 1
"""When to retry after a temporary failure."""
_DATABASE = "The database failed and nothing was stored. The log has the details under the correlation id."
_INTERNAL = "Something went wrong on the server. Its log has the details under the correlation id."

_log = structlog.get_logger(__name__)


def status_of(error: SagacityError) -> int:
    """Return the HTTP status of *error*."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def correlation_id() -> str | None:
    """Return this call's id in the log."""
    bound = structlog.contextvars.get_contextvars().get("correlation_id")
    return None if bound is None else str(bound)


def problem_response(
    status: int,
    name: str,
    message: str,
    *,
    detail: JsonValue = None,
    faults: Sequence[JsonValue] = (),
    retry_after: int | None = None,
    challenge: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """
    Build the reply to a failed call.

    Args:
        status: the HTTP status.
        name: the error's name.
        message: a text for people.
        detail: more than the message, if anything; *faults* take its place.
        faults: what is wrong with an input; see `faults_of`.
        retry_after: seconds to wait before a retry, if one can help.
        challenge: what a second step of signing in needs.
        headers: additional headers of the reply.
    """
    longer = list(faults) or detail
    body = Problem(
        error=name,
        message=message,
        msg=message,
        detail=message if longer is None else longer,
        errors=tuple(map(_field_fault, faults)) or None,
        retry_after=retry_after,
        challenge=challenge,
        request_id=correlation_id(),
        correlation_id=correlation_id(),
    )
    return JSONResponse(
        body.model_dump(mode="json", exclude_none=True), status, None if headers is None else dict(headers)
    )


def error_response(
    error: SagacityError, *, retry_after: int | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return the reply to one of our own errors; *retry_after* is in seconds, for a temporary one."""
    more = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else {}
    if retry_after is None and isinstance(error, RateLimited):
        retry_after = error.retry_after_seconds
    if retry_after is None and isinstance(error, StorageError | RateLimited):
        retry_after = RETRY_SECONDS
    if retry_after is not None:
        more["Retry-After"] = str(retry_after)
    text = _DATABASE if isinstance(error, StorageError) else str(error)
    return problem_response(
        status_of(error),
        type(error).__name__,
        text,
        retry_after=retry_after,
        challenge=error.challenge if isinstance(error, CodeNeeded) else None,
        headers=more | dict(headers or {}),
    )


def crash_response() -> JSONResponse:
    """Return the reply to an unforeseen error; it only says where to look."""
    return problem_response(500, "InternalError", _INTERNAL)


def faults_of(errors: Sequence[object]) -> list[JsonValue]:
    """
    Return the faults of an input, without the input itself, which may contain secrets.

    A word that is in none of several sets is one fault, which names the words of all of them.
    """
    found: list[JsonValue] = []
    sets: dict[tuple[object, ...], dict[str, JsonValue]] = {}
    faults = [cast("Mapping[str, object]", error) for error in errors[:MOST_FAULTS]]
    within = {tuple(place[:size]) for place in map(_place, faults) for size in range(len(place))}
    for fault in faults:
        place = _place(fault)
        if fault["type"] == _TOO_SHORT and tuple(place) in within:
            continue  # it is too short only because of what is wrong within
        is_of_set = fault["type"] in _OF_SETS and _SET.fullmatch(str(place[-1])) is not None
        sent = tuple(place[:-1] if is_of_set else place)
        text = in_words(fault)
        if is_of_set and sent in sets:
            sets[sent]["msg"] = f"{sets[sent]['msg']}, or {text.removeprefix('must be ')}"
            continue
        told: dict[str, JsonValue] = {
            "type": str(fault["type"]),
            "loc": [part if isinstance(part, int) else str(part) for part in sent],
            "msg": text,
        }
        found.append(told)
        if is_of_set:
            sets[sent] = told
    return found


def _place(fault: Mapping[str, object]) -> Sequence[object]:
    return cast("Sequence[object]", fault["loc"])


def _field_fault(fault: JsonValue) -> FieldFault:
    """Return a fault with its location as one text, such as `interaction_data_list.0.content`."""
    parts = cast("dict[str, object]", fault)
    place = [str(part) for part in cast("list[object]", parts["loc"]) if part != "body"]
    return FieldFault(field=".".join(place) or "body", message=str(parts["msg"]), type=str(parts["type"]))


def _message(fault: JsonValue) -> str:
    told = _field_fault(fault)
    return f"{told.field}: {told.message}"


async def foreseen_response(http_request: Request, error: Exception) -> JSONResponse:
    """Return the reply to one of this program's own errors; those that are not the caller's fault are logged."""
    assert isinstance(error, SagacityError)  # noqa: S101  it is registered for no other
    if status_of(error) >= 500:  # noqa: PLR2004  HTTP's own border
        own = isinstance(error.__cause__, SagacityError)  # the words of others may quote what was said
        cause = {"cause": str(error.__cause__)} if own else {}
        _log.error(
            "request.failed", path=http_request.url.path, error=type(error).__name__, text=str(error), **cause
        )
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
    return problem_response(422, "InvalidInput", message, faults=faults)


def not_json(fault: str) -> RequestValidationError:
    """Return the error for a body that is not JSON because of *fault*."""
    return RequestValidationError(
        [{"type": "json_invalid", "loc": ("body",), "msg": fault, "ctx": {"error": fault}}]
    )


def _not_declared(http_request: Request) -> JSONResponse:
    """Explain the missing header to a caller whose body is not declared as JSON, as with `curl -d`."""
    given = http_request.headers.get("Content-Type", "")
    known = given if 0 < len(given) <= _LONGEST_TYPE and given.isprintable() else "another type, or none"
    text = f"the body must be JSON, but was sent as {known}; {_ADD_TYPE}"
    fault: JsonValue = {"type": "content_type", "loc": ["header", "Content-Type"], "msg": text}
    return problem_response(422, "InvalidInput", text, faults=[fault])


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


def install_errors(app: FastAPI, paths: Paths) -> None:
    """
    Make *app* answer every foreseen error in the same shape; `middleware/crash.py` does so for others.

    Args:
        app: the application.
        paths: its paths and their methods.
    """

    async def http(http_request: Request, error: Exception) -> JSONResponse:
        return _http(http_request, error, paths)

    app.add_exception_handler(SagacityError, foreseen_response)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, http)
