"""Replies about the audit log."""

from datetime import datetime

from sagacity.domain.audit import AuditAction, AuditEntry, Detail
from sagacity.schemas.base import Reply, Schema


class AuditView(Schema):
    """A change of access or configuration."""

    seq: int
    """Number of the row within the organisation, from 1 without gaps."""
    at: datetime
    """When it was done."""
    actor: str
    """Who did it: `token:ID`, `user:PSEUDONYM`, `local` (this machine, without a token), `operator` or `system`."""
    action: AuditAction
    """What was done."""
    target: str
    """Its object: the id of a token, an account's pseudonym, an operation, a quarantine."""
    details: dict[str, Detail]
    """Details; never secrets or texts of users."""
    hash: str
    """SHA-256 over the hash of the row before and this row, in hexadecimal."""


class AuditPage(Reply):
    """Rows of the audit log."""

    org_id: str
    """Whose log it is; the hashes cover it."""
    entries: tuple[AuditView, ...] = ()
    """Newest first, or oldest first if `after` was sent."""
    next: int | None = None
    """Send it as `before`, or as `after`, to get the next page; null at the end."""


def audit_view(entry: AuditEntry) -> AuditView:
    """Show a row."""
    return AuditView(**entry.model_dump())
