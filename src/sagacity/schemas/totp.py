"""Bodies and replies of the second step of signing in."""

from datetime import datetime
from typing import Annotated

from pydantic import StringConstraints

from sagacity.schemas.accounts import Password
from sagacity.schemas.base import Warned, WriteBody

AppCode = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=6, max_length=40, pattern=r"^[0-9A-Za-z][0-9A-Za-z -]*$"
    ),
]


class BeginTotpBody(WriteBody):
    """The password again."""

    password: Password
    """The account's password."""


class ConfirmTotpBody(WriteBody):
    """The code that the authenticator app shows."""

    code: AppCode
    """Six digits."""


class DisableTotpBody(WriteBody):
    """The password and a code again."""

    password: Password
    """The account's password."""
    code: AppCode
    """Six digits of the authenticator app, or a recovery code."""


class RenewRecoveryCodesBody(DisableTotpBody):
    """The password and a code again."""


class AnswerBody(WriteBody):
    """The second step of signing in."""

    challenge: Annotated[str, StringConstraints(min_length=1, max_length=8_192)]
    """The `challenge` from the first step, valid for five minutes and one correct code."""
    code: AppCode
    """Six digits of the authenticator app, or a recovery code; each works once."""


class TotpState(Warned):
    """Whether signing in asks for a code."""

    enabled: bool
    """Whether it does."""
    enabled_at: datetime | None = None
    """Since when."""
    recovery_codes_left: int
    """Number of unused recovery codes."""


class TotpBegun(Warned):
    """What an authenticator app needs. It is not shown again."""

    secret: str
    """The secret to type into the app, in base32."""
    url: str
    """The same as an `otpauth:` URL, to show as a QR code."""


class RecoveryCodes(Warned):
    """Codes for when the app is gone. They are not shown again."""

    recovery_codes: tuple[str, ...]
    """Each works once instead of a code of the app."""
