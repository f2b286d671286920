"""Bodies and replies of signing up, in and out."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from sagacity.domain.account import LONGEST_EMAIL, Account
from sagacity.schemas.base import Id, Warned, WriteBody
from sagacity.schemas.metadata import Metadata, Object

Email = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=LONGEST_EMAIL)]
Password = Annotated[str, Field(min_length=1, max_length=1_024)]
Code = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=512)]


class SignUpBody(WriteBody):
    """A new account."""

    email: Email
    """The address, in any case; only ASCII."""
    password: Password
    """8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit."""
    full_name: Annotated[str, StringConstraints(max_length=100)] = ""
    """What the person is called."""
    metadata: Metadata = Field(default_factory=dict)
    """Anything else to keep with the account."""
    invitation_code: Annotated[str, StringConstraints(max_length=512)] = ""
    """Required if the server asks for it. The code of an invitation to the address is always accepted."""


class LogInBody(WriteBody):
    """Who signs in."""

    email: Email
    """The account's address."""
    password: Password
    """Its password."""
    organization: Id | None = None
    """The organisation in which the session begins. Default: the one last chosen."""


class TokenBody(WriteBody):
    """The same as a form with the field names of OAuth 2.0 (RFC 6749, section 4.3)."""

    username: Email
    """The account's address."""
    password: Password
    """Its password."""


class RefreshBody(WriteBody):
    """The token to exchange for new ones."""

    refresh_token: Annotated[str, StringConstraints(min_length=1, max_length=8_192)]
    """The newest refresh token of the session; each can be exchanged once."""


class EmailBody(WriteBody):
    """Where to send an e-mail."""

    email: Email
    """The account's address."""


class CodeBody(WriteBody):
    """The code from an e-mail."""

    code: Code
    """The code in the e-mail, which can be used once."""


Brought = Annotated[str, StringConstraints(max_length=4_096)]


class BroughtBack(BaseModel):
    """The parameters with which a provider sends a browser back (RFC 6749, 4.1.2, and RFC 9207); there may be more."""

    state: Brought = ""
    code: Brought = ""
    iss: Brought = ""
    error: Brought = ""


class SignInCodeBody(WriteBody):
    """What a page received after a sign-in at a provider."""

    code: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=8_192)]
    """The code, which can be used once within two minutes."""
    code_verifier: Annotated[str, StringConstraints(max_length=128, pattern=r"^[A-Za-z0-9._~-]*$")] = ""
    """The verifier with which the page began the sign-in; empty if a program did."""


class ResetPasswordBody(CodeBody):
    """A new password, with the code from an e-mail."""

    new_password: Password
    """8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit."""


class ChangePasswordBody(WriteBody):
    """A new password to replace the current one."""

    current_password: Password
    """The password to replace."""
    new_password: Password
    """8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit."""


class DeleteAccountBody(WriteBody):
    """The password again."""

    password: Password
    """The account's password."""


class SignedUp(Warned):
    """The result of signing up."""

    message: str
    """What to do next."""
    user_id: str
    """Id of the account's user; meaningless if the address had an account already."""
    email: str
    """The address, in lower case."""
    requires_verification: bool
    """Whether the address has to be confirmed before signing in."""


class AccountView(Warned):
    """An account."""

    id: str
    """Id of its user."""
    email: str
    """Its address."""
    full_name: str | None = None
    """What the person is called."""
    avatar_url: str | None = None
    """Always null: the server keeps no pictures."""
    email_verified: bool
    """Whether its address was confirmed."""
    metadata: Object
    """What else was kept with it."""
    created_at: datetime
    """When it was made."""


class SessionTokens(Warned):
    """The tokens of a session."""

    access_token: str
    """Send it with calls as `Authorization: Bearer`."""
    refresh_token: str
    """Exchange it once for new tokens."""
    token_type: Literal["bearer"] = "bearer"  # noqa: S105  OAuth's name of the kind
    """How the access token is sent."""
    expires_in: int
    """Seconds for which the access token is valid."""


class SwitchedSession(Warned):
    """A session in another organisation: its tokens, or the CSRF token if a cookie holds the session."""

    access_token: str | None = None
    """Send it with calls as `Authorization: Bearer`. Null if the call came with a cookie."""
    refresh_token: str | None = None
    """Exchange it once for new tokens. Null if the call came with a cookie."""
    token_type: Literal["bearer"] | None = None
    """How the access token is sent."""
    csrf_token: str | None = None
    """If the call came with a cookie: send it as `X-CSRF-Token` with each call that is not GET."""
    expires_in: int
    """Seconds for which the access token or cookie is valid."""


class LoggedIn(SessionTokens):
    """The tokens of a new session, and whose they are."""

    user: AccountView
    """The account."""


class CsrfToken(Warned):
    """What a page sends with calls by cookie."""

    csrf_token: str
    """Send it as `X-CSRF-Token` with each call of the session that is not GET."""


class BrowserSessionView(CsrfToken):
    """A new session of a browser, and whose it is."""

    expires_in: int
    """Seconds until the session ends by itself."""
    user: AccountView
    """The account."""


class AccountToken(Warned):
    """An access token under the names of older clients."""

    api_key: str
    """The access token, to be used like an API token until it expires."""
    access_token: str
    """The same, under the name of OAuth 2.0."""
    token_type: Literal["bearer"] = "bearer"  # noqa: S105  OAuth's name of the kind
    """How it is sent."""
    expires_in: int
    """Seconds for which it is valid."""
    feature_flags: Object = Field(default_factory=dict)
    """Always empty."""


class VerifiedToken(Warned):
    """Whose an access token is."""

    valid: bool = True
    """Always true: an invalid token gets 401."""
    user_id: str
    """Id of the account's user."""
    email: str
    """Its address."""


class MessageReply(Warned):
    """A message."""

    message: str
    """What was done, or what to do next."""


def account_view(account: Account) -> AccountView:
    """Return an account as the API shows it."""
    return AccountView(
        id=account.user_id,
        email=account.email,
        full_name=account.full_name or None,
        email_verified=account.verified_at is not None,
        metadata=account.metadata,
        created_at=account.created_at,
    )
