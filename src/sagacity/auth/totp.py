"""Time-based one-time passwords (RFC 6238): six digits, a new code every 30 seconds."""

import base64
import hmac
import secrets
from datetime import datetime

from pyotp.totp import TOTP

SECRET_BYTES = 20
"""What RFC 4226, section 4, recommends: 160 bits."""
STEP_SECONDS = 30
DIGITS = 6
DRIFT_STEPS = 1
"""Codes of one step before and after are right, too: clocks differ, and typing takes time (RFC 6238, section 5.2)."""
RECOVERY_CODES = 10
_RECOVERY_BYTES = 10
"""80 random bits: out of reach for guessing, so that a plain hash of it may be stored."""
_RECOVERY_GROUP = 4


def new_secret() -> bytes:
    """Return a new secret."""
    return secrets.token_bytes(SECRET_BYTES)


def as_typed(secret: bytes) -> str:
    """Return a secret as people type it into an authenticator app: in base32."""
    return base64.b32encode(secret).decode()


def otpauth_url(secret: bytes, *, account: str, issuer: str) -> str:
    """Return the text of the QR code for an authenticator app: the secret, and the label that the app shows."""
    return TOTP(as_typed(secret)).provisioning_uri(name=account, issuer_name=issuer)


def step_of(secret: bytes, code: str, now: datetime, *, after: int) -> int | None:
    """
    Return the time step of *code*; None if it belongs to no acceptable one.

    Args:
        secret: the account's.
        code: six digits.
        now: the time.
        after: the last used step; a code works once, so only later steps are accepted.
    """
    codes, present = TOTP(as_typed(secret)), int(now.timestamp()) // STEP_SECONDS
    given = code.encode("utf-8", "surrogatepass")
    for step in range(max(present - DRIFT_STEPS, after + 1), present + DRIFT_STEPS + 1):
        if hmac.compare_digest(codes.generate_otp(step).encode(), given):
            return step
    return None


def new_recovery_codes() -> list[str]:
    """Return recovery codes, each of which works once."""
    return [_in_groups(secrets.token_bytes(_RECOVERY_BYTES)) for _ in range(RECOVERY_CODES)]


def plain_code(text: str) -> str:
    """Return a code in comparable form, without the spaces and hyphens that people type."""
    return text.replace(" ", "").replace("-", "").lower()


def _in_groups(code: bytes) -> str:
    text = base64.b32encode(code).decode().lower()
    return "-".join(text[at : at + _RECOVERY_GROUP] for at in range(0, len(text), _RECOVERY_GROUP))
