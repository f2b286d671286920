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
    """The purpose of an e-mail to an account."""

    VERIFY = "verify_email"
    """To confirm the address."""
    RESET = "reset_password"
    """To set a new password."""
    KNOWN = "already_registered"
    """To say that somebody tried to sign up with this address, which has an account."""


class Account(Value):
    """One account. Its id is the user's id, under which turns and memories of the person are stored."""

    user_id: UserId
    email: str
    full_name: str = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    password_hash: str = Field(repr=False)
    verified_at: datetime | None = None
    chosen_org: OrgId = OrgId("")
    """The organisation in which the next session begins, if the account is a member of it."""
    issuer: str | None = None
    """The OpenID Connect provider that the account is linked to."""
    subject: str | None = None
    """The account's subject at that provider."""
    created_at: datetime


class Person(Value):
    """An account's identity besides its user id, by which its traces in organisations are found."""

    home: OrgId
    """The organisation to which the account belongs."""
    email: str = Field(repr=False)
    pseudonym: str
    """Its name in the audit log and in invitations."""


class Identity(Value):
    """A person's identity at an OpenID Connect provider, with the address that the provider reports."""

    issuer: str
    subject: str
    email: str = ""
    is_email_verified: bool = False
    full_name: str = ""


class AccountSession(Value):
    """A session of an account. Its refresh token changes with each use, and using an old one ends the session."""

    session_id: str
    user_id: UserId
    refresh_hash: str = Field(repr=False)
    acts_in: OrgId
    """The organisation in which its calls act."""
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None = None


class Totp(Value):
    """The secret of an account's authenticator app, and its recovery codes."""

    user_id: UserId
    sealed: str = Field(repr=False)
    """The secret, encrypted."""
    confirmed_at: datetime | None = None
    """Since when signing in asks for a code; None until the app's first code is confirmed."""
    last_step: int = 0
    """The time step of the last accepted code; codes of this step or earlier are refused."""
    recovery_hashes: tuple[str, ...] = Field(default=(), repr=False)
    """Hashes of the unused recovery codes."""
    created_at: datetime


class WaitingMail(Value):
    """An e-mail that is due; its code is created when it is sent."""

    user_id: UserId
    purpose: Mail
    email: str
    attempts: int


def normal_email(text: str) -> str:
    """
    Return an address in the form that is stored and compared: lower case.

    Raises:
        InvalidInput: it is no address, or has characters beyond ASCII.
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
