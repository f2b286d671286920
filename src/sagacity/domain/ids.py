"""Identifiers, and where new ones come from."""

import hashlib
from typing import Final, NewType, Protocol

import uuid_utils

OrgId = NewType("OrgId", str)
UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
RequestId = NewType("RequestId", str)
InteractionId = NewType("InteractionId", int)
MemoryId = NewType("MemoryId", int)
MemoryUid = NewType("MemoryUid", str)
RunId = NewType("RunId", str)

ORGANISATION: Final = None
"""Instead of a `UserId`: the organisation itself."""
MAX_INT = 2**63 - 1
"""The largest number that a row or an integer column can hold."""
MAX_KEY_BYTES = 1_024
"""
The longest id or name that databases look up, in bytes of UTF-8. PostgreSQL's index rows hold 2,704 bytes, for two of
these and an organisation's.
"""
MAX_ORG_BYTES = 512
_DIGEST_DIGITS = 32


def byte_count(text: str) -> int:
    """Return how many bytes *text* takes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def fitting_key(text: str) -> str:
    """
    Return *text*, checked to fit into a key.

    Raises:
        ValueError: it is too long; the message names the limit.
    """
    if (size := byte_count(text)) > MAX_KEY_BYTES:
        raise ValueError(f"at most {MAX_KEY_BYTES} bytes in UTF-8 are allowed, and this has {size}")
    return text


def cut_key(text: str) -> str:
    """Return the beginning of *text* that fits into a key."""
    return (
        text if byte_count(text) <= MAX_KEY_BYTES else text.encode()[:MAX_KEY_BYTES].decode(errors="ignore")
    )


def whole_key(text: str) -> str:
    """Return *text* as a key; if it does not fit, its beginning with a hash that keeps it distinct."""
    if byte_count(text) <= MAX_KEY_BYTES:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    return f"{text.encode()[: MAX_KEY_BYTES - _DIGEST_DIGITS].decode(errors='ignore')}{digest}"


class IdSource(Protocol):
    """The source of new identifiers; tests pass one that counts."""

    def new(self) -> str:
        """Return an identifier that was never returned before."""
        ...


class TimeOrderedIds:
    """UUIDv7: unique without coordination, and sorted by time of creation (RFC 9562)."""

    def new(self) -> str:
        """Return a UUIDv7 in its text form."""
        return str(uuid_utils.uuid7())
