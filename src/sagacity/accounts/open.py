"""Settings become accounts."""

import asyncio
from dataclasses import dataclass

from sagacity.accounts.mail import MailSender
from sagacity.accounts.parts import AccountParts, AccountPolicy, SignUp
from sagacity.auth.account_tokens import AccountTokens
from sagacity.auth.passwords import PasswordCost, Passwords
from sagacity.config.choices import account_key
from sagacity.config.settings import Settings
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.mail.base import Mailer
from sagacity.mail.open import open_mailer
from sagacity.storage.transaction import Storage

_HASHES_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Accounts:
    """Accounts of this process, with the task that sends their e-mails."""

    parts: AccountParts
    mails: MailSender

    @property
    def are_open(self) -> bool:
        """Whether anybody may sign up, with or without an invitation."""
        return self.parts.policy.sign_up is not SignUp.CLOSED

    async def start(self) -> None:
        """Begin to send e-mails."""
        if self.are_open:
            await self.parts.passwords.prepare()
        await self.mails.start()

    async def stop(self) -> None:
        """End it."""
        await self.mails.stop()
        self.parts.passwords.close()


def open_accounts(settings: Settings, storage: Storage, *, clock: Clock, ids: IdSource) -> Accounts:
    """Return the accounts of the organisation to which end users belong."""
    due = asyncio.Event()
    parts = AccountParts(
        storage=storage,
        clock=clock,
        ids=ids,
        tenant=Tenant(org_id=OrgId(settings.jwt_org)),
        passwords=Passwords(
            PasswordCost(passes=settings.password_passes, memory_kib=settings.password_memory_kib),
            at_once=_HASHES_AT_ONCE,
        ),
        tokens=AccountTokens(account_key(settings), clock),
        policy=AccountPolicy(
            sign_up=SignUp(settings.sign_up),
            invitation_code=settings.invitation_code.get_secret_value(),
            verifies_email=settings.verify_email,
            sends_mail=bool(settings.mail_url.get_secret_value()),
        ),
        wake=due.set,
    )
    sender = MailSender(
        parts,
        _mailer(settings, clock),
        pages=settings.account_pages,
        language=settings.mail_language,
        due=due,
    )
    return Accounts(parts, sender)


def _mailer(settings: Settings, clock: Clock) -> Mailer | None:
    url = settings.mail_url.get_secret_value()
    if not url:
        return None
    return open_mailer(url, settings.mail_from, clock)
