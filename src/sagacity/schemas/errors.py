"""The body of every reply that is not a success."""

from pydantic import JsonValue

from sagacity.schemas.base import Schema


class Problem(Schema):
    """What went wrong: a name to act on, a text to read, and for a bad body the list of its faults."""

    success: bool = False
    error: str
    message: str
    msg: str
    detail: JsonValue = None
    correlation_id: str | None = None
