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
    """Needed where the server asks for it. The code of an invitation to the address is permission everywhere."""


class LogInBody(WriteBody):
    """Who signs in."""

    email: Email
    """The account's address."""
    password: Password
    """Its password."""
    organization: Id | None = None
    """In which of the account's organisations the session acts. Default: the one chosen last."""


class TokenBody(WriteBody):
    """Who signs in, under the names of OAuth 2.0 (RFC 6749, section 4.3)."""

    username: Email
    """The account's address."""
    password: Password
    """Its password."""


class RefreshBody(WriteBody):
    """What is exchanged for the next tokens."""

    refresh_token: Annotated[str, StringConstraints(min_length=1, max_length=8_192)]
    """The newest refresh token of the session; each is good for one exchange."""


class EmailBody(WriteBody):
    """Whom to send an e-mail."""

    email: Email
    """The account's address."""


class CodeBody(WriteBody):
    """What an e-mail carried."""

    code: Code
    """The code in the e-mail; good once."""


Brought = Annotated[str, StringConstraints(max_length=4_096)]


class BroughtBack(BaseModel):
    """What a provider sends a browser back with (RFC 6749, 4.1.2, and RFC 9207); it may say more."""

    state: Brought = ""
    code: Brought = ""
    iss: Brought = ""
    error: Brought = ""


class SignInCodeBody(WriteBody):
    """What a page was given when its reader came back from a provider."""

    code: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=8_192)]
    """The code; good once, for two minutes."""
    code_verifier: Annotated[str, StringConstraints(max_length=128, pattern=r"^[A-Za-z0-9._~-]*$")] = ""
    """What the page began the sign-in with; empty for the program, where no page did."""


class ResetPasswordBody(CodeBody):
    """A new password, by what an e-mail carried."""

    new_password: Password
    """8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit."""


class ChangePasswordBody(WriteBody):
    """A new password in place of the current one."""

    current_password: Password
    """The password until now."""
    new_password: Password
    """8 to 128 characters, among them an upper-case letter, a lower-case letter and a digit."""


class DeleteAccountBody(WriteBody):
    """The password once more."""

    password: Password
    """The account's password."""


class SignedUp(Warned):
    """What became of a sign-up."""

    message: str
    """What to do next."""
    user_id: str
    """Id of the account's user. Of an address that has an account it is nobody's."""
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
    """To be sent with calls, as `Authorization: Bearer`."""
    refresh_token: str
    """To be exchanged for the next tokens, once."""
    token_type: Literal["bearer"] = "bearer"  # noqa: S105  OAuth's name of the kind
    """How the access token is sent."""
    expires_in: int
    """Seconds that the access token is good for."""


class SwitchedSession(Warned):
    """A session in another organisation: its tokens, or what the page of a browser needs that keeps it as a cookie."""

    access_token: str | None = None
    """To be sent with calls, as `Authorization: Bearer`. Null where the call came with a cookie."""
    refresh_token: str | None = None
    """To be exchanged for the next tokens, once. Null where the call came with a cookie."""
    token_type: Literal["bearer"] | None = None
    """How the access token is sent."""
    csrf_token: str | None = None
    """Where the call came with a cookie: to be sent as `X-CSRF-Token` with each call that is not GET."""
    expires_in: int
    """Seconds that the access token, or the cookie, is good for."""


class LoggedIn(SessionTokens):
    """The tokens of a new session, and whose they are."""

    user: AccountView
    """The account."""


class CsrfToken(Warned):
    """What a page sends with calls by cookie."""

    csrf_token: str
    """To be sent as `X-CSRF-Token` with each call of the session that is not GET."""


class BrowserSessionView(CsrfToken):
    """A new session of a browser, and whose it is."""

    expires_in: int
    """Seconds that the session lasts, unless it is ended."""
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
    """Seconds that it is good for."""
    feature_flags: Object = Field(default_factory=dict)
    """Always empty."""


class VerifiedToken(Warned):
    """Whose an access token is."""

    valid: bool = True
    """Always true: a token that is not is answered with 401."""
    user_id: str
    """Id of the account's user."""
    email: str
    """Its address."""


class MessageReply(Warned):
    """A message."""

    message: str
    """What was done, or is to be done next."""


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
