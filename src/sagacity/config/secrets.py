"""The requirements on a secret in the settings."""

from pydantic import SecretStr

LEAST_SECRET_BYTES = 32
"""The length of SHA-256's output, with which all of them sign (RFC 7518, section 3.2)."""


def checked_secret(value: SecretStr) -> SecretStr:
    """
    Return *value*, checked to be a secret long enough for signing, or empty.

    Raises:
        ValueError: it is too short.
    """
    secret = value.get_secret_value()
    if secret and len(secret.encode()) < LEAST_SECRET_BYTES:
        raise ValueError(f"must have at least {LEAST_SECRET_BYTES} bytes")
    return value
