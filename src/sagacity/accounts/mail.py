"""Send the e-mails that are due. What is due is a query, so a crash loses none."""

import asyncio
import secrets
from datetime import datetime, timedelta

import structlog

from sagacity.accounts.invitation_mail import InvitationMail
from sagacity.accounts.parts import AccountParts
from sagacity.accounts.retries import CLAIM, next_try
from sagacity.auth.tokens import hash_token
from sagacity.dispatch.loops import end, for_ever, wait
from sagacity.domain.account import Mail, WaitingMail
from sagacity.mail.base import Mailer, reason_of
from sagacity.mail.texts import LANGUAGES, letter_of

KEPT = timedelta(days=1)
_POLL_SECONDS = 30.0
CLEANED_EACH = timedelta(hours=1)
_BATCH = 500

_log = structlog.get_logger(__name__)


class MailSender:
    """The background task that sends e-mails, and cleans up after accounts."""

    def __init__(
        self,
        parts: AccountParts,
        mailer: Mailer | None,
        *,
        pages: str,
        language: str = LANGUAGES[0],
        due: asyncio.Event,
    ) -> None:
        """
        Send e-mails.

        Args:
            parts: the parts of accounts.
            mailer: sends e-mails; None if the settings name none.
            pages: address of the pages that take codes; empty for none.
            language: of the e-mails.
            due: set when an e-mail may be due.
        """
        self._parts = parts
        self._mailer = mailer
        self._pages = pages
        self._invitations = InvitationMail(parts, mailer, pages, language)
        self._language = language
        self._due = due
        self._next_cleaning_at = parts.clock.now()
        self._loop: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Run in the background until `stop`."""
        self._loop = asyncio.create_task(for_ever(self._step))

    async def stop(self) -> None:
        """Stop at once; an e-mail that was being sent is sent again later."""
        if self._loop is not None:
            await end([self._loop])

    async def send_due(self) -> None:
        """Send everything that is due."""
        while await self._send_one():
            pass
        await self._invitations.send_due()

    async def clean_up(self) -> None:
        """Delete expired sessions and old counts of tries, a batch at a time."""
        before = self._parts.clock.now() - KEPT
        left = _BATCH
        while left >= _BATCH:
            async with self._parts.storage.begin(self._parts.tenant) as transaction:
                left = max(
                    await transaction.account_sessions.remove_expired(limit=_BATCH),
                    await transaction.attempts.remove_older(before, limit=_BATCH),
                )

    async def _step(self) -> None:
        self._due.clear()
        if self._next_cleaning_at <= (now := self._parts.clock.now()):
            await self.clean_up()
            self._next_cleaning_at = now + CLEANED_EACH
        async with self._parts.storage.read(self._parts.tenant) as snapshot:
            seconds = await snapshot.account_mails.seconds_to_next(most=_POLL_SECONDS)
        seconds = await self._invitations.seconds_to_next(most=seconds)
        if seconds > 0:  # where nothing is due, nothing is written
            await wait(self._due, seconds)
        else:
            await self.send_due()

    async def _send_one(self) -> bool:
        parts = self._parts
        async with parts.storage.begin(parts.tenant) as transaction:
            mail = await transaction.account_mails.claim(until=parts.clock.now() + CLAIM)
            if mail is None:
                return False
            code, code_hash = "", None
            lasts = _lasts(parts, mail.purpose)
            if lasts is not None and self._mailer is not None:
                code = secrets.token_urlsafe(32)
                code_hash = hash_token(code)
                expires_at = parts.clock.now() + lasts
                await transaction.account_mails.put_code(
                    mail.user_id, mail.purpose, code_hash, expires_at=expires_at
                )
        if self._mailer is None:
            _log.warning("accounts.no_mail", purpose=str(mail.purpose), hint="set SAGACITY_MAIL_URL")
            await self._postpone(mail, None)
            return True
        try:
            letter = letter_of(
                mail.purpose,
                mail.email,
                code=code,
                lasts=lasts or timedelta(),
                pages=self._pages,
                language=self._language,
            )
            await self._mailer.send(letter)
        except OSError as error:  # as those of smtplib are
            _log.warning(
                "accounts.mail_failed",
                purpose=str(mail.purpose),
                attempts=mail.attempts + 1,
                error=reason_of(error),
            )
            await self._postpone(mail, next_try(parts.clock.now(), attempts=mail.attempts))
            return True
        async with parts.storage.begin(parts.tenant) as transaction:
            await transaction.account_mails.sent(mail.user_id, mail.purpose, code_hash)
        return True

    async def _postpone(self, mail: WaitingMail, due_at: datetime | None) -> None:
        async with self._parts.storage.begin(self._parts.tenant) as transaction:
            await transaction.account_mails.postpone(mail.user_id, mail.purpose, due_at)


def _lasts(parts: AccountParts, purpose: Mail) -> timedelta | None:
    """Return how long the code of an e-mail is valid; None if it has none."""
    return {Mail.VERIFY: parts.policy.verifying, Mail.RESET: parts.policy.resetting}.get(purpose)
