"""The body of every reply that is not a success."""

from pydantic import JsonValue

from sagacity.schemas.base import Schema


class FieldFault(Schema):
    """One fault of an input."""

    field: str
    """Where, with dots between the names, such as `interaction_data_list.0.content`; `body`: the whole."""
    message: str
    """What is wrong."""
    type: str
    """The kind of fault, for programs to compare."""


class Problem(Schema):
    """What went wrong: a name for programs, a message for people and, for an invalid body, the list of faults."""

    success: bool = False
    error: str
    message: str
    msg: str
    detail: JsonValue = None
    errors: tuple[FieldFault, ...] | None = None
    """What is wrong with the input, field by field."""
    retry_after: int | None = None
    """Seconds to wait before a retry, if one can help."""
    challenge: str | None = None
    """Of `CodeNeeded`: to be sent with a code of the account's authenticator app, once, within five minutes."""
    request_id: str | None = None
    """Identifies the call in the server's log, like the header `X-Request-ID`."""
    correlation_id: str | None = None
    """The same as `request_id`."""
