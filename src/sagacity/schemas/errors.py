"""The body of every reply that is not a success."""

from pydantic import JsonValue

from sagacity.schemas.base import Schema


class Problem(Schema):
    """What went wrong: a name for programs, a message for people and, for an invalid body, the list of faults."""

    success: bool = False
    error: str
    message: str
    msg: str
    detail: JsonValue = None
    correlation_id: str | None = None
