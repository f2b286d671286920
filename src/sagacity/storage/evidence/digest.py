"""The digest of a publish, which is equal for publishes with the same content."""

import hashlib
from typing import Any

from sagacity.domain.interaction import NewRequest

_NOT_CONTENT: Any = {
    **dict.fromkeys(("request_id", "force_extraction", "skip_aggregation"), True),
    "interactions": {"__all__": {"happened_at"}},
}


def digest_of(request: NewRequest) -> str:
    """
    Return the SHA-256 of a request's content, which tells a repeated request from another with the same id.

    The turns' times are left out, because some clients set them anew when they resend.
    """
    body = request.model_dump_json(exclude=_NOT_CONTENT, exclude_defaults=True)
    return hashlib.sha256(body.encode()).hexdigest()
