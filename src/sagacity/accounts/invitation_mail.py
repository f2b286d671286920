"""Send the invitation e-mails that are due, for every organisation."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

import structlog

from sagacity.accounts.parts import AccountParts
from sagacity.accounts.retries import CLAIM, next_try
from sagacity.auth.tokens import hash_token
from sagacity.domain.member import CODE_PREFIX, Invitation
from sagacity.domain.tenant import Tenant
from sagacity.mail.base import Mailer, reason_of
from sagacity.mail.texts import invitation_letter
from sagacity.storage.accounts.across import inviting

_AT_ONCE = 100
"""How many organisations are read at a time."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class InvitationMail:
    """Sends invitations. A code is created when its e-mail is sent, so that none is stored."""

    parts: AccountParts
    mailer: Mailer | None
    pages: str
    language: str

    async def seconds_to_next(self, *, most: float) -> float:
        """Return the seconds until the next e-mail is due, at most *most*."""
        waiting = await inviting(self.parts.storage.backend, limit=1)
        if not waiting:
            return most
        return min(most, max(timedelta(), waiting[0][1] - self.parts.clock.now()).total_seconds())

    async def send_due(self) -> None:
        """Send everything that is due."""
        now = self.parts.clock.now()
        for tenant, first_due_at in await inviting(self.parts.storage.backend, limit=_AT_ONCE):
            if first_due_at > now:
                return
            while await self._send_one(tenant):
                pass

    async def _send_one(self, tenant: Tenant) -> bool:
        parts, code = self.parts, CODE_PREFIX + secrets.token_urlsafe(32)
        async with parts.storage.begin(tenant) as transaction:
            invitation = await transaction.invitations.claim(until=parts.clock.now() + CLAIM)
            if invitation is None:
                return False
            if self.mailer is not None:
                expires_at = parts.clock.now() + parts.policy.invitation
                await transaction.invitations.put_code(
                    invitation.invitation_id, hash_token(code), expires_at=expires_at
                )
        if self.mailer is None:
            _log.warning("accounts.no_mail", purpose="invitation", hint="set SAGACITY_MAIL_URL")
            async with parts.storage.begin(tenant) as transaction:
                await transaction.invitations.postpone(invitation.invitation_id, None)
            return True
        letter = invitation_letter(
            invitation.email,
            organisation=tenant.org_id,
            role=invitation.role,
            code=code,
            lasts=parts.policy.invitation,
            pages=self.pages,
            language=self.language,
        )
        try:
            await self.mailer.send(letter)
        except OSError as error:  # as those of smtplib are
            await self._postpone(tenant, invitation, error)
            return True
        async with parts.storage.begin(tenant) as transaction:
            await transaction.invitations.sent(invitation.invitation_id, hash_token(code))
        return True

    async def _postpone(self, tenant: Tenant, invitation: Invitation, error: OSError) -> None:
        _log.warning(
            "accounts.mail_failed",
            purpose="invitation",
            attempts=invitation.attempts + 1,
            error=reason_of(error),
        )
        due_at = next_try(self.parts.clock.now(), attempts=invitation.attempts)
        async with self.parts.storage.begin(tenant) as transaction:
            await transaction.invitations.postpone(invitation.invitation_id, due_at)
