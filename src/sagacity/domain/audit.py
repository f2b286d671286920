"""
The audit log: who changed what in access and configuration, as rows of which each proves the ones before.

A row's hash is SHA-256 over the hash of the row before, a line feed, and the row as JSON with sorted keys and without
spaces. The first row follows 64 zeros. So a row that is changed, left out or put in breaks the chain from there on.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.ids import OrgId

GENESIS: Final = "0" * 64
"""The hash that the first row follows."""
SYSTEM: Final = "system"
"""The actor of the program's own actions."""
LOCAL: Final = "local"
"""The actor of calls from the server's machine without a token, while no token exists."""
OPERATOR: Final = "operator"
"""The actor of commands that open the database on the server's machine."""

Detail = str | int | bool | None | tuple[str, ...]


class AuditAction(StrEnum):
    """The action."""

    TOKEN_CREATED = "token.created"  # noqa: S105  an action, no secret
    TOKEN_REVOKED = "token.revoked"  # noqa: S105  likewise
    TOKEN_ROTATED = "token.rotated"  # noqa: S105  likewise
    CONFIG_CHANGED = "config.changed"
    CONFIG_COPIED = "config.copied"
    CONFIG_KEY_ROTATED = "config.key_rotated"
    SITE_VARIABLE_SET = "site_variable.set"
    SITE_VARIABLE_UNSET = "site_variable.unset"
    QUOTA_SET = "quota.set"
    ACCOUNT_SIGNED_UP = "account.signed_up"
    ACCOUNT_VERIFIED = "account.verified"
    ACCOUNT_LINKED = "account.linked"
    ACCOUNT_PASSWORD_CHANGED = "account.password_changed"  # noqa: S105  likewise
    ACCOUNT_PASSWORD_RESET = "account.password_reset"  # noqa: S105  likewise
    ACCOUNT_TOTP_ENABLED = "account.totp_enabled"
    ACCOUNT_TOTP_DISABLED = "account.totp_disabled"
    ACCOUNT_RECOVERY_CODES_RENEWED = "account.recovery_codes_renewed"
    ACCOUNT_RECOVERY_CODE_USED = "account.recovery_code_used"
    ACCOUNT_DELETED = "account.deleted"
    MEMBER_ADDED = "member.added"
    MEMBER_ROLE_CHANGED = "member.role_changed"
    MEMBER_REMOVED = "member.removed"
    INVITATION_CREATED = "invitation.created"
    INVITATION_SENT_AGAIN = "invitation.sent_again"
    INVITATION_REVOKED = "invitation.revoked"
    INVITATION_ACCEPTED = "invitation.accepted"
    ERASURE_ORDERED = "user.erasure_ordered"
    QUARANTINE_PLACED = "quarantine.placed"
    QUARANTINE_RELEASED = "quarantine.released"


class NewAuditEntry(Value):
    """An audited action. People are named only by keyed pseudonyms, and it contains no secret."""

    action: AuditAction
    actor: str
    """`token:ID`, `user:PSEUDONYM`, `local`, `operator` or `system`."""
    target: str = ""
    """The target, by an id that identifies no person."""
    details: dict[str, Detail] = {}


class AuditEntry(NewAuditEntry):
    """One row of an organisation's log."""

    seq: int
    """Number of the row within the organisation, from 1 without gaps."""
    at: datetime
    hash: str


class AuditFilter(Value):
    """Which rows are wanted; None for any."""

    action: AuditAction | None = None
    actor: str | None = None
    target: str | None = None
    start: datetime | None = None
    """At or after this moment."""
    end: datetime | None = None
    """Before this moment."""


class Broken(Value):
    """The first row at which the chain is broken."""

    seq: int
    why: str


class Verified(Value):
    """The result of verifying the chain."""

    rows: int
    head: str
    """The hash of the last row. Kept elsewhere, it proves later that no rows were cut off the end."""
    broken: Broken | None = None


def line_of(org_id: OrgId, entry: AuditEntry) -> str:
    """Return a row as one line of JSON, with its hash last in no other way than the rest: by name."""
    return _canonical(_said(org_id, entry) | {"hash": entry.hash})


def hash_of(previous: str, org_id: OrgId, new: NewAuditEntry, *, seq: int, at: datetime) -> str:
    """Return the hash of a row, given *previous*, the hash of the row before it."""
    row = AuditEntry(**new.model_dump(include=set(NewAuditEntry.model_fields)), seq=seq, at=at, hash="")
    return hash_of_row(previous, _said(org_id, row))


def hash_of_row(previous: str, said: Mapping[str, object]) -> str:
    """Return the hash of a row in JSON, without its own hash."""
    return hashlib.sha256(f"{previous}\n{_canonical(said)}".encode()).hexdigest()


class ChainCheck:
    """Verifies the rows of one organisation, oldest first, a page at a time."""

    def __init__(self, org_id: OrgId) -> None:
        self._org_id = org_id
        self._rows = 0
        self._head = GENESIS
        self._broken: Broken | None = None

    def see(self, entries: Iterable[AuditEntry]) -> None:
        """Check the next rows; the first broken one is remembered."""
        for entry in entries:
            self._rows += 1
            if self._broken is None:
                self._broken = self._fault(entry)
            self._head = entry.hash

    @property
    def result(self) -> Verified:
        """The result so far."""
        return Verified(rows=self._rows, head=self._head, broken=self._broken)

    def _fault(self, entry: AuditEntry) -> Broken | None:
        if entry.seq != self._rows:
            return Broken(seq=self._rows, why=f"it is missing: row {entry.seq} is in its place")
        if hash_of(self._head, self._org_id, entry, seq=entry.seq, at=entry.at) != entry.hash:
            return Broken(seq=entry.seq, why="its hash is not that of what it says and of the row before")
        return None


def _said(org_id: OrgId, entry: AuditEntry) -> dict[str, object]:
    return {
        "org_id": org_id,
        "seq": entry.seq,
        "at": entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "actor": entry.actor,
        "action": str(entry.action),
        "target": entry.target,
        "details": entry.details,
    }


def _canonical(said: Mapping[str, object]) -> str:
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
