"""The announcement that a user was erased, on which every process clears its caches."""

import hashlib

from sagacity.domain.ids import OrgId

_SUBJECT = "erased "


def erased_news(org_id: OrgId, user_id: str) -> str:
    """Return what is spread: it names nobody to whom does not know the name."""
    return (
        _SUBJECT
        + hashlib.sha256(f"{len(org_id)}:{org_id}{user_id}".encode("utf-8", "surrogatepass")).hexdigest()
    )


def is_erased_news(subject: str) -> bool:
    """Return whether news is of this kind."""
    return subject.startswith(_SUBJECT)
