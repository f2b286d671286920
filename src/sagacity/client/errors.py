"""The errors of failed calls: those of `sagacity.domain.errors`, made from the reply, and three more."""

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from sagacity.domain.errors import (
    CodeNeeded,
    CodeUnavailable,
    ConfigError,
    Conflict,
    CopyMismatch,
    Forbidden,
    IndexMismatch,
    InvalidInput,
    MalformedOutput,
    NotConfirmed,
    NotFound,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    QuotaExceeded,
    RateLimited,
    SagacityError,
    SchemaMismatch,
    StorageError,
    StorageUnavailable,
    TooLarge,
    Unauthorized,
    VectorStoreError,
    WrongCredentials,
)

CORRELATION_HEADER = "X-Correlation-ID"


class Unreachable(SagacityError):
    """No reply came. Start the server with `sagacity serve`, or correct SAGACITY_URL, its address."""


class ServerError(SagacityError):
    """The server failed, or something else answered in its place. Its note helps to find the log lines."""


class WaitedTooLong(SagacityError):
    """What was waited for has not happened in time. It goes on; ask again later."""


_NAMED: dict[str, type[SagacityError]] = {
    kind.__name__: kind
    for kind in (
        CodeNeeded,
        CodeUnavailable,
        ConfigError,
        Conflict,
        CopyMismatch,
        Forbidden,
        IndexMismatch,
        InvalidInput,
        MalformedOutput,
        NotConfirmed,
        NotFound,
        ProviderError,
        ProviderRefused,
        ProviderTimeout,
        QuotaExceeded,
        RateLimited,
        SchemaMismatch,
        StorageError,
        StorageUnavailable,
        TooLarge,
        Unauthorized,
        VectorStoreError,
        WrongCredentials,
    )
}
_BY_STATUS: dict[int, type[SagacityError]] = {
    400: InvalidInput,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    422: InvalidInput,
    429: RateLimited,
}


class _ErrorBody(BaseModel):
    model_config = ConfigDict(extra="ignore")

    error: str = ""
    message: str = ""
    challenge: str = ""


def error_of(response: httpx.Response) -> SagacityError:
    """Return the error that a reply stands for; its note carries the correlation id."""
    try:
        body = _ErrorBody.model_validate_json(response.content)
    except ValidationError:
        body = _ErrorBody()
    kind = _NAMED.get(body.error) or _BY_STATUS.get(response.status_code, ServerError)
    error = kind(
        body.message or f"{response.request.url.copy_with(query=None)} answered {response.status_code}"
    )
    if isinstance(error, CodeNeeded):
        error.challenge = body.challenge
    if correlation_id := response.headers.get(CORRELATION_HEADER):
        error.add_note(f"correlation id: {correlation_id}")
    return error
