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
    """The password once more."""

    password: Password
    """The account's password."""


class ConfirmTotpBody(WriteBody):
    """What the authenticator app shows."""

    code: AppCode
    """Six digits."""


class DisableTotpBody(WriteBody):
    """The password and a code once more."""

    password: Password
    """The account's password."""
    code: AppCode
    """Six digits of the authenticator app, or a recovery code."""


class AnswerBody(WriteBody):
    """The second step of signing in."""

    challenge: Annotated[str, StringConstraints(min_length=1, max_length=8_192)]
    """What the first step answered with; good for five minutes, and for one right code."""
    code: AppCode
    """Six digits of the authenticator app, or a recovery code; each is good once."""


class TotpState(Warned):
    """Whether signing in asks for a code."""

    enabled: bool
    """Whether it does."""
    enabled_at: datetime | None = None
    """Since when."""
    recovery_codes_left: int
    """How many recovery codes were not used yet."""


class TotpBegun(Warned):
    """What an authenticator app needs. It is not shown again."""

    secret: str
    """To be typed into the app, in base32."""
    url: str
    """The same as an `otpauth:` address, to be shown as a QR code."""


class RecoveryCodes(Warned):
    """Codes for when the app is gone. They are not shown again."""

    recovery_codes: tuple[str, ...]
    """Each is good once, in place of a code of the app."""
