"""The announcement that a user was erased, on which every process clears its caches."""

import hashlib

from sagacity.domain.ids import OrgId

_SUBJECT = "erased "


def erased_news(org_id: OrgId, user_id: str) -> str:
    """Return the subject to announce, which identifies the user only to those who know the id."""
    return (
        _SUBJECT
        + hashlib.sha256(f"{len(org_id)}:{org_id}{user_id}".encode("utf-8", "surrogatepass")).hexdigest()
    )


def is_erased_news(subject: str) -> bool:
    """Return whether a subject announces an erasure."""
    return subject.startswith(_SUBJECT)
