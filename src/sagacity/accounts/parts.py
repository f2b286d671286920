"""What accounts work with, and what holds for them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from sagacity.auth.account_tokens import AccountTokens
from sagacity.auth.passwords import Passwords
from sagacity.domain.base import Value
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage


class SignUp(StrEnum):
    """Who may make an account."""

    CLOSED = "closed"
    INVITED = "invited"
    OPEN = "open"


class AccountPolicy(Value):
    """What holds for all accounts."""

    sign_up: SignUp = SignUp.CLOSED
    invitation_code: str = ""
    verifies_email: bool = True
    """Whether an address has to be confirmed before its account can be signed in to."""
    access: timedelta = timedelta(minutes=15)
    refresh: timedelta = timedelta(days=30)
    """After so long without a refresh a session ends."""


@dataclass(frozen=True, slots=True)
class AccountParts:
    """What accounts work with; one for the process."""

    storage: Storage
    clock: Clock
    ids: IdSource
    tenant: Tenant
    passwords: Passwords
    tokens: AccountTokens
    policy: AccountPolicy
    wake: Callable[[], None]
    """Says that an e-mail is due."""
