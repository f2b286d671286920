"""A digest that two publishes of a request share if they say the same."""

import hashlib
from typing import Any

from sagacity.domain.interaction import NewRequest

_NOT_CONTENT: Any = {
    **dict.fromkeys(("request_id", "force_extraction", "skip_aggregation"), True),
    "interactions": {"__all__": {"happened_at"}},
}


def digest_of(request: NewRequest) -> str:
    """
    Return the SHA-256 of what was sent, by which a repeated request is told from another with its id.

    Not of when turns happened: some clients stamp them again when they resend.
    """
    body = request.model_dump_json(exclude=_NOT_CONTENT, exclude_defaults=True)
    return hashlib.sha256(body.encode()).hexdigest()
