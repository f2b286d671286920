"""Open the accounts as the settings configure them."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import httpx

from sagacity.accounts.mail import MailSender
from sagacity.accounts.oidc.flow import OidcSignIn
from sagacity.accounts.oidc.provider import SECONDS, OidcChoice, OidcProvider
from sagacity.accounts.parts import AccountParts, AccountPolicy, SignUp
from sagacity.auth.account_tokens import AccountTokens
from sagacity.auth.passwords import PasswordCost, Passwords
from sagacity.config.choices import account_key, config_keys
from sagacity.config.settings import Settings
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.mail.base import Mailer
from sagacity.mail.open import open_mailer
from sagacity.providers.checked_connections import CheckedTransport
from sagacity.storage.transaction import Storage

_HASHES_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Accounts:
    """The accounts of this process, with the task that sends their e-mails."""

    parts: AccountParts
    mails: MailSender
    oidc: OidcSignIn | None
    """Signing in at an OpenID Connect provider; None if the settings name none."""
    _client: httpx.AsyncClient | None

    @property
    def are_open(self) -> bool:
        """Whether people sign up, with or without an invitation, or sign in at a provider."""
        return self.parts.policy.sign_up is not SignUp.CLOSED or self.oidc is not None

    async def start(self) -> None:
        """Start sending e-mails."""
        if self.are_open:
            await self.parts.passwords.prepare()
        await self.mails.start()

    async def stop(self) -> None:
        """End it."""
        await self.mails.stop()
        if self._client is not None:
            await self._client.aclose()
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
        open_ring=config_keys(settings),
        policy=AccountPolicy(
            sign_up=SignUp(settings.sign_up),
            invitation_code=settings.invitation_code.get_secret_value(),
            verifies_email=settings.verify_email,
            sends_mail=bool(settings.mail_url.get_secret_value()),
            access=timedelta(minutes=settings.access_minutes),
            refresh=timedelta(hours=settings.session_hours),
            cookie=timedelta(hours=settings.cookie_hours),
            verifying=timedelta(hours=settings.verify_email_hours),
            resetting=timedelta(minutes=settings.reset_password_minutes),
            invitation=timedelta(hours=settings.invitation_hours),
            answer_step_seconds=settings.answer_step_seconds,
        ),
        wake=due.set,
    )
    mails = MailSender(
        parts,
        _mailer(settings, clock),
        pages=settings.account_pages,
        language=settings.mail_language,
        due=due,
    )
    if not settings.oidc_issuer:
        return Accounts(parts, mails, oidc=None, _client=None)
    client = httpx.AsyncClient(transport=CheckedTransport(), timeout=SECONDS)
    provider = OidcProvider(_oidc_choice(settings), client, clock)
    return Accounts(parts, mails, OidcSignIn(parts, provider, settings.account_pages), _client=client)


def _mailer(settings: Settings, clock: Clock) -> Mailer | None:
    url = settings.mail_url.get_secret_value()
    if not url:
        return None
    return open_mailer(url, settings.mail_from, clock)


def _oidc_choice(settings: Settings) -> OidcChoice:
    return OidcChoice(
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret,
        scopes=settings.oidc_scopes,
        redirect_uri=f"{settings.public_url}/api/auth/oidc/callback",
    )
