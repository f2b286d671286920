"""Accounts: people who sign in with an address and a password, and their sessions."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import OrgId, UserId

LONGEST_EMAIL = 254
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 128
_EMAIL = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}"
)
_LONGEST_LOCAL_PART = 64


class Mail(StrEnum):
    """What an e-mail to an account is for."""

    VERIFY = "verify_email"
    """The address is to be confirmed."""
    RESET = "reset_password"
    """The password was forgotten."""
    KNOWN = "already_registered"
    """Somebody signed up with an address that has an account."""


class Account(Value):
    """One account. Its id is the user's: what the person says and what is learned of them are that user's."""

    user_id: UserId
    email: str
    full_name: str = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    password_hash: str = Field(repr=False)
    verified_at: datetime | None = None
    chosen_org: OrgId = OrgId("")
    """In which organisation the next session acts, if the account is a member of it."""
    issuer: str | None = None
    """The OpenID Connect provider that the account is linked to."""
    subject: str | None = None
    """Who the account is to that provider."""
    created_at: datetime


class Person(Value):
    """By what an account is known besides its user's id; what it leaves in organisations is found by that."""

    home: OrgId
    """The organisation that has the account."""
    email: str = Field(repr=False)
    pseudonym: str
    """How the audit log and invitations name it."""


class Identity(Value):
    """Who somebody is to an OpenID Connect provider, and what the provider says of the address."""

    issuer: str
    subject: str
    email: str = ""
    is_email_verified: bool = False
    full_name: str = ""


class AccountSession(Value):
    """What began with signing in: its refresh token changes with each use, and one that was used ends it."""

    session_id: str
    user_id: UserId
    refresh_hash: str = Field(repr=False)
    acts_in: OrgId
    """The organisation that its calls work on."""
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None = None


class Totp(Value):
    """The secret by which an account's authenticator app makes codes, and the codes that stand in for it."""

    user_id: UserId
    sealed: str = Field(repr=False)
    """The secret, encrypted."""
    confirmed_at: datetime | None = None
    """Since when signing in asks for a code; None: the app's first code has yet to come."""
    last_step: int = 0
    """The time step of the last code that was accepted; none of it or before is good again."""
    recovery_hashes: tuple[str, ...] = Field(default=(), repr=False)
    """Of the codes that are left for when the app is gone."""
    created_at: datetime


class WaitingMail(Value):
    """An e-mail that is due; its code is made when it is sent."""

    user_id: UserId
    purpose: Mail
    email: str
    attempts: int


def normal_email(text: str) -> str:
    """
    Return an address as it is compared: in lower case.

    Raises:
        InvalidInput: it is none, or has letters beyond ASCII.
    """
    email = text.strip().lower()
    local = email.partition("@")[0]
    if len(email) > LONGEST_EMAIL or len(local) > _LONGEST_LOCAL_PART or not _EMAIL.fullmatch(email):
        raise InvalidInput("email: not an e-mail address such as ana@example.com")
    return email


def checked_password(text: str) -> str:
    """
    Return a new password that is long enough, with an upper-case letter, a lower-case letter and a digit.

    Raises:
        InvalidInput: something is missing.
    """
    kinds = (str.isupper, str.islower, str.isdigit)
    if not SHORTEST_PASSWORD <= len(text) <= LONGEST_PASSWORD or not all(
        any(is_one(letter) for letter in text) for is_one in kinds
    ):
        raise InvalidInput(
            f"a password needs {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters, among them an upper-case letter, "
            "a lower-case letter and a digit"
        )
    return text
