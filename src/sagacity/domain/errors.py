"""
Every error that Sagacity raises on purpose.

    SagacityError
    ├── NotFound            the thing named is not there (or is another tenant's)
    ├── Conflict            it is there already, in another form
    │   └── QuotaExceeded   the organisation may have no more of it
    ├── InvalidInput        a user's mistake
    │   ├── NotConfirmed    much would be deleted, and the call does not say that it is meant
    │   └── WrongCredentials   a password that was asked for again, or a code, is wrong
    ├── TooLarge            the body is over the limit
    ├── Unauthorized        no valid token
    │   └── CodeNeeded      the password is right, and the account asks for a code, too
    ├── Forbidden           a valid token that may not do this
    ├── RateLimited         too many calls
    ├── ConfigError         a setting that stops start-up
    │   └── CodeUnavailable   the secrets of authenticator apps cannot be read
    ├── ProviderError       a model provider did not do its part
    │   ├── ProviderTimeout
    │   ├── ProviderRefused
    │   └── MalformedOutput
    └── StorageError        the database did not do its part
        ├── SchemaMismatch
        ├── IndexMismatch
        ├── CopyMismatch
        └── VectorStoreError
"""


class SagacityError(Exception):
    """The root of the tree. Its text is written for the person who reads the reply."""

    advice: str = ""
    """What to do, if it differs from the class's advice."""


class NotFound(SagacityError):
    """The thing named does not exist in this organisation. Check the id."""


class Conflict(SagacityError):
    """The thing is there already in another form, or is worked on. Do what the message says, and send it again."""


class QuotaExceeded(Conflict):
    """The organisation has as much as its quota admits. Delete some, or ask the operator for a higher limit."""

    def __init__(self, message: str, *, quota: str = "") -> None:
        super().__init__(message)
        self.quota = quota


class InvalidInput(SagacityError):
    """The input breaks a rule that the message names. Correct it and try again."""


class NotConfirmed(InvalidInput):
    """Much would be deleted, and the call does not say that this is meant. Send it again with `confirm=true`."""


class WrongCredentials(InvalidInput):
    """A password that was asked for again, or a code, is wrong or was used. Nothing was changed."""


class TooLarge(SagacityError):
    """The body is over the server's limit. Send it in smaller parts."""


class Unauthorized(SagacityError):
    """No valid API token came with the call. Send `Authorization: Bearer <token>`."""


class CodeNeeded(Unauthorized):
    """The password is right, and the account asks for a code of its authenticator app. Send it with the challenge."""

    def __init__(self, message: str, *, challenge: str = "") -> None:
        super().__init__(message)
        self.challenge = challenge


class Forbidden(SagacityError):
    """The token is valid and may not do this. Use a token that may: its scopes and its user decide."""


class RateLimited(SagacityError):
    """Too many calls in a short time. Wait for the time in `Retry-After`."""

    def __init__(self, message: str, *, retry_after_seconds: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class ConfigError(SagacityError):
    """A setting is wrong and the server does not start. Correct the setting that the message names."""


class CodeUnavailable(ConfigError):
    """Secrets of authenticator apps cannot be read. Use a recovery code; the operator runs `sagacity doctor`."""


class ProviderError(SagacityError):
    """A model provider failed. Ask again; learning does so by itself, until it gives up: see the dead letters."""

    retryable = True


class ProviderTimeout(ProviderError):
    """The provider gave no answer in time. It is tried again."""


class ProviderRefused(ProviderError):
    """The provider refused the call (key, quota, model name). Correct the configuration; no retry helps before."""

    retryable = False


class MalformedOutput(ProviderError):
    """
    The model's output did not parse, also after it was shown the error, or says what no source does.

    Try another model or prompt.
    """


class StorageError(SagacityError):
    """The database failed. The transaction was rolled back and nothing was stored."""


class StorageUnavailable(StorageError):
    """The database cannot be reached, or others wrote the same rows at the same moment. Do it again."""


class SchemaMismatch(StorageError):
    """The database is not of this release. Do what the message says; nothing was changed."""


class IndexMismatch(StorageError):
    """The search index was made by another embedder. Run `sagacity reindex`."""


class CopyMismatch(StorageError):
    """A copy differs from its source. Empty the target and copy again while nothing writes to the source."""


class VectorStoreError(StorageError):
    """The copy of the vectors failed. Searches use the database, and the copy catches up; see `sagacity doctor`."""
