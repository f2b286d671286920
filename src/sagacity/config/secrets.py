"""The requirements on a secret in the settings."""

from pydantic import SecretStr

LEAST_SECRET_BYTES = 32
"""As long as the output of SHA-256, by which all of them sign (RFC 7518, section 3.2)."""


def checked_secret(value: SecretStr) -> SecretStr:
    """
    Return *value*, a secret by which something is signed, or an empty one.

    Raises:
        ValueError: it is so short that it could be guessed.
    """
    secret = value.get_secret_value()
    if secret and len(secret.encode()) < LEAST_SECRET_BYTES:
        raise ValueError(f"must have at least {LEAST_SECRET_BYTES} bytes")
    return value
