"""A user's own settings."""

from datetime import datetime
from functools import cache
from typing import Annotated, cast
from zoneinfo import available_timezones

from pydantic import AfterValidator, JsonValue, StringConstraints

from sagacity.domain.user_settings import MemoryLimit, MemorySettings, RetentionDays, UserSettings
from sagacity.schemas.base import Warned, WriteBody
from sagacity.schemas.metadata import Metadata, Object


@cache
def _timezones() -> frozenset[str]:
    return frozenset(available_timezones())


def _timezone(name: str) -> str:
    if name not in _timezones():
        raise ValueError("must be a time zone of the IANA database, such as Europe/Paris")
    return name


Timezone = Annotated[str, StringConstraints(max_length=50), AfterValidator(_timezone)]
Language = Annotated[str, StringConstraints(max_length=10, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


class UpdateSettingsBody(WriteBody):
    """Changes of a user's record; null leaves a field unchanged."""

    display_name: Annotated[str, StringConstraints(max_length=100)] | None = None
    """What the user wants to be called; empty for nothing."""
    bio: Annotated[str, StringConstraints(max_length=500)] | None = None
    """What the user says of themselves; empty for nothing."""
    timezone: Timezone | None = None
    """The user's time zone, such as `Europe/Paris`."""
    language: Language | None = None
    """The user's language, such as `en` or `pt-BR`."""
    preferences: Metadata | None = None
    """Other preferences by name; those not given stay, and null removes one."""

    @property
    def changes(self) -> dict[str, object]:
        """The fields that change."""
        names = ("display_name", "bio", "timezone", "language")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class UpdateMemorySettingsBody(WriteBody):
    """Changes of what may be remembered; null leaves a setting unchanged."""

    memory_enabled: bool | None = None
    """Whether anything is learned of the user, and anything remembered in their chats."""
    auto_extract: bool | None = None
    """Whether anything is learned from what the user says."""
    retention_days: RetentionDays | None = None
    """Memories that were neither changed nor used for this many days are deleted."""
    max_memories_per_type: MemoryLimit | None = None
    """If there are more of a type than this, the least valuable are archived."""
    semantic_extraction: bool | None = None
    """Whether semantic memories are learned."""
    entity_extraction: bool | None = None
    """Whether people, places and things are noted with what is learned."""
    procedural_learning: bool | None = None
    """Whether procedural memories are learned."""

    @property
    def changes(self) -> dict[str, object]:
        """The fields that change."""
        return {
            name: value for name in MemorySettings.model_fields if (value := getattr(self, name)) is not None
        }


class MemorySettingsView(Warned):
    """What may be remembered of a user."""

    memory_enabled: bool
    """Whether anything is learned of the user, and anything remembered in their chats."""
    auto_extract: bool
    """Whether anything is learned from what the user says."""
    retention_days: int
    """Memories that were neither changed nor used for this many days are deleted."""
    max_memories_per_type: int
    """If there are more of a type than this, the least valuable are archived."""
    semantic_extraction: bool
    """Whether semantic memories are learned."""
    entity_extraction: bool
    """Whether people, places and things are noted with what is learned."""
    procedural_learning: bool
    """Whether procedural memories are learned."""


class SettingsView(Warned):
    """A user's record."""

    id: str
    """Its id."""
    user_id: str
    """Its user."""
    display_name: str | None = None
    """What the user wants to be called."""
    bio: str | None = None
    """What the user says of themselves."""
    timezone: str
    """The user's time zone."""
    language: str
    """The user's language."""
    preferences: Object
    """Any others by name."""
    memory_settings: MemorySettingsView
    """What may be remembered."""
    created_at: datetime
    """When the record was made."""
    updated_at: datetime
    """When it was last changed."""


def settings_view(settings: UserSettings) -> SettingsView:
    """Return a user's record as the API shows it."""
    return SettingsView(
        id=settings.settings_id,
        user_id=settings.user_id,
        display_name=settings.display_name or None,
        bio=settings.bio or None,
        timezone=settings.timezone,
        language=settings.language,
        preferences=settings.preferences,
        memory_settings=memory_settings_view(settings.memory),
        created_at=settings.created_at,
        updated_at=settings.updated_at,
    )


def memory_settings_view(settings: MemorySettings) -> MemorySettingsView:
    """Return what may be remembered as the API shows it."""
    return MemorySettingsView(**cast("dict[str, JsonValue]", settings.model_dump()))  # pyright: ignore[reportArgumentType]  # the same fields
