"""A user's record of themselves, and what may be remembered of them."""

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind

RetentionDays = Annotated[int, Field(ge=1, le=3_650)]
"""Days that a memory stays without a change and without being looked at."""
MemoryLimit = Annotated[int, Field(ge=100, le=100_000)]
"""Memories of one type that a user may have."""


class MemorySettings(Value):
    """What may be remembered of a user, and for how long."""

    memory_enabled: bool = True
    """Whether anything is learned of the user, and anything remembered in their chats."""
    auto_extract: bool = True
    """Whether anything is learned from what the user says; what is remembered already stays in use."""
    retention_days: RetentionDays = 365
    """Memories that were neither changed nor looked at for so many days are deleted."""
    max_memories_per_type: MemoryLimit = 10_000
    """If there are more of a type than this, the least valuable are archived."""
    semantic_extraction: bool = True
    """Whether semantic memories are learned."""
    entity_extraction: bool = True
    """Whether people, places and things are noted with what is learned."""
    procedural_learning: bool = True
    """Whether procedural memories are learned."""

    def learns(self, kind: MemoryKind) -> bool:
        """Return whether memories of *kind* may be learned from what the user says."""
        if not (self.memory_enabled and self.auto_extract):
            return False
        match kind:
            case MemoryKind.SEMANTIC:
                return self.semantic_extraction
            case MemoryKind.USER_PLAYBOOK:
                return self.procedural_learning
            case _:
                return True


class UserSettings(Value):
    """One user's record: how the user wants to be called and answered, and what may be remembered."""

    settings_id: str
    user_id: UserId
    display_name: str = ""
    bio: str = ""
    timezone: str = "UTC"
    language: str = "en"
    preferences: dict[str, JsonValue] = {}
    memory: MemorySettings = MemorySettings()
    created_at: datetime
    updated_at: datetime


def zone_of(settings: UserSettings | None) -> tzinfo:
    """Return where a user's clock is: UTC if the user never said, or if this machine does not know the place."""
    try:
        return UTC if settings is None else ZoneInfo(settings.timezone)
    except (ZoneInfoNotFoundError, ValueError):  # it was known to the machine that stored it
        return UTC


def merged(preferences: Mapping[str, JsonValue], changed: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return *preferences* with what *changed* gives; null takes one away."""
    return {name: value for name, value in {**preferences, **changed}.items() if value is not None}
