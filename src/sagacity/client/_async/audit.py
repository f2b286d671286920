# Generated from the API's description by scripts/sdk; change it there.
"""Every change of access and configuration, in a log that is only added to."""

from datetime import datetime

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.words.audit import AuditActionWord
from sagacity.schemas.audit import AuditPage


async def get_audit(
    connection: AsyncConnection,
    *,
    before: int | None = None,
    after: int | None = None,
    limit: int = 100,
    action: AuditActionWord | None = None,
    actor: str | None = None,
    target: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
) -> AuditPage:
    """
    Return the audit log: who changed what in access and configuration, newest first.

    Rows are never changed or deleted, and each holds a hash over itself and the row before. They name people by
    keyed pseudonyms only, and hold no secrets.

    Args:
        connection: to the server.
        before: newest first: `next` of the previous page. Not with `after`.
        after: oldest first, behind this row; 0 for all of them.
        limit: the largest number of results to return.
        action: only this: `token.created`, `token.revoked`, `token.rotated`, `config.changed`, `config.copied`,
            `config.key_rotated`, `site_variable.set`, `site_variable.unset`, `quota.set`, `account.signed_up`,
            `account.verified`, `account.linked`, `account.password_changed`, `account.password_reset`,
            `account.totp_enabled`, `account.totp_disabled`, `account.recovery_codes_renewed`,
            `account.recovery_code_used`, `account.deleted`, `member.added`, `member.role_changed`,
            `member.removed`, `invitation.created`, `invitation.sent_again`, `invitation.revoked`,
            `invitation.accepted`, `user.erasure_ordered`, `quarantine.placed`, `quarantine.released`.
        actor: only what this caller did, as the rows name callers.
        target: only what was done to this, such as a token's id.
        start_time: from this moment on.
        end_time: before this moment.
    """
    params = {
        "before": before,
        "after": after,
        "limit": limit,
        "action": action,
        "actor": actor,
        "target": target,
        "start_time": start_time,
        "end_time": end_time,
    }
    return await connection.get("/api/audit", AuditPage, params=params)
