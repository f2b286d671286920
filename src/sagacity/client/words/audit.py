# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.audit import AuditAction

AuditActionWord = (
    AuditAction
    | Literal[
        "token.created",
        "token.revoked",
        "token.rotated",
        "config.changed",
        "config.copied",
        "config.key_rotated",
        "site_variable.set",
        "site_variable.unset",
        "quota.set",
        "account.signed_up",
        "account.verified",
        "account.linked",
        "account.password_changed",
        "account.password_reset",
        "account.totp_enabled",
        "account.totp_disabled",
        "account.recovery_codes_renewed",
        "account.recovery_code_used",
        "account.deleted",
        "member.added",
        "member.role_changed",
        "member.removed",
        "invitation.created",
        "invitation.sent_again",
        "invitation.revoked",
        "invitation.accepted",
        "user.erasure_ordered",
        "quarantine.placed",
        "quarantine.released",
    ]
)
