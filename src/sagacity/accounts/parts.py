"""What every account operation needs: storage, clock, keys, limits."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from sagacity.auth.account_tokens import AccountTokens
from sagacity.auth.key_ring import OpenRing
from sagacity.auth.passwords import Passwords
from sagacity.domain.account import Person
from sagacity.domain.audit import AuditAction, Detail, NewAuditEntry
from sagacity.domain.base import Value
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource, UserId
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage

BAD_CODE = "the code is not known, was used, or has expired; ask for a new one"
_PSEUDONYM_DIGITS = 32


class SignUp(StrEnum):
    """Who may create an account."""

    CLOSED = "closed"
    INVITED = "invited"
    OPEN = "open"


class AccountPolicy(Value):
    """The policy of accounts."""

    sign_up: SignUp = SignUp.CLOSED
    invitation_code: str = ""
    verifies_email: bool = True
    """Whether an address must be confirmed before its account can sign in."""
    sends_mail: bool = True
    """Whether the server can send e-mails."""
    access: timedelta = timedelta(minutes=15)
    refresh: timedelta = timedelta(days=30)
    """How long a session lasts without a refresh."""
    cookie: timedelta = timedelta(days=30)
    """How long a cookie session lasts."""
    verifying: timedelta = timedelta(hours=24)
    """How long a code to confirm an address is valid."""
    resetting: timedelta = timedelta(hours=1)
    """How long a code for a new password is valid."""
    invitation: timedelta = timedelta(days=7)
    """How long an invitation is valid after its e-mail."""
    answer_step_seconds: float = 0
    """Calls about an address take a multiple of this many seconds; 0: as short as possible."""


@dataclass(frozen=True, slots=True)
class AccountParts:
    """The parts of accounts; one per process."""

    storage: Storage
    clock: Clock
    ids: IdSource
    tenant: Tenant
    passwords: Passwords
    tokens: AccountTokens
    open_ring: OpenRing
    """Loads the keys that encrypt the secrets of authenticator apps."""
    policy: AccountPolicy
    wake: Callable[[], None]
    """Wakes the task that sends e-mails."""

    def audited_as(self, user_id: UserId) -> str:
        """
        Return how the audit log names a person: by a keyed hash, of which nobody knows whose it is without the secret.

        It stays when the account is deleted, as every later row rests on it.
        """
        return f"user:{self.tokens.digest(f'audit {user_id}')[:_PSEUDONYM_DIGITS]}"

    async def person_of(self, user_id: UserId) -> Person | None:
        """Return the identity of a user's account; None if there is none."""
        async with self.storage.read(self.tenant) as snapshot:
            account = await snapshot.accounts.find(user_id)
        if account is None:
            return None
        return Person(home=self.tenant.org_id, email=account.email, pseudonym=self.audited_as(user_id))

    def audited(self, action: AuditAction, user_id: UserId, **details: Detail) -> NewAuditEntry:
        """Return the audit log's entry for something that a person did to their own account."""
        person = self.audited_as(user_id)
        return NewAuditEntry(action=action, actor=person, target=person, details=details)
