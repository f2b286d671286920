"""Identifiers, and where new ones come from."""

from typing import NewType, Protocol

import uuid_utils

OrgId = NewType("OrgId", str)
UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
RequestId = NewType("RequestId", str)
InteractionId = NewType("InteractionId", int)
MemoryId = NewType("MemoryId", int)
MemoryUid = NewType("MemoryUid", str)
RunId = NewType("RunId", str)


class IdSource(Protocol):
    """Where new identifiers come from; tests pass one that counts."""

    def new(self) -> str:
        """Return an identifier that was never returned before."""
        ...


class TimeOrderedIds:
    """UUIDv7: unique without coordination, and sorted by time of creation (RFC 9562)."""

    def new(self) -> str:
        """Return a UUIDv7 in its text form."""
        return str(uuid_utils.uuid7())
