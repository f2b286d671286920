"""API tokens: create, hash and compare; pure."""

import hashlib
import secrets

PREFIX = "sgc_"
_BYTES = 32


def new_token() -> str:
    """Return a new secret of 256 random bits, with a prefix by which scanners recognise leaked ones."""
    return PREFIX + secrets.token_urlsafe(_BYTES)


def hash_token(token: str) -> str:
    """
    Return the SHA-256 of a token in hex: what is stored and looked up.

    The secret has 256 random bits, so a slow password hash would add nothing. Looking up the hash compares no part
    of the secret itself, so its time tells nothing about it.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def shown_prefix(token: str) -> str:
    """Return the part of a token that may be shown in lists."""
    return token[: len(PREFIX) + 4]


def bearer(header: str | None) -> str | None:
    """Return the token in an Authorization header; None if there is none."""
    scheme, _, token = (header or "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
