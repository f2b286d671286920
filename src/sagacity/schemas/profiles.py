"""Bodies and envelopes of profiles."""

from datetime import datetime
from typing import Self

from pydantic import Field, JsonValue, model_validator

from sagacity.domain.clock import from_epoch
from sagacity.domain.ids import MAX_INT, InteractionId, MemoryUid, RequestId, UserId
from sagacity.domain.memory import (
    WRITTEN_DIRECTLY,
    Attributes,
    MemoryKind,
    NewMemory,
    Provenance,
    Status,
    TimeToLive,
)
from sagacity.domain.trust import Origin
from sagacity.domain.views.base import NEVER_EXPIRES
from sagacity.domain.views.change_log import ProfileChangeLogView
from sagacity.domain.views.profile import ProfileView
from sagacity.schemas.base import (
    Body,
    Count,
    Epoch,
    Id,
    Label,
    LifecycleStatus,
    MaybeId,
    Number,
    Reply,
    Said,
    Schema,
    Span,
    Statuses,
    WriteBody,
    WritePart,
)

DIRECT = Provenance(method=WRITTEN_DIRECTLY)
"""The source of memories that a client wrote itself."""
ORIGIN_WRITTEN = (
    "What it comes from, where that is trusted less than its writer, such as `imported`. "
    "Without it, it is the writer's own: an operator's, a user's or an agent's."
)


class ProfileData(WritePart):
    """A profile as a client writes it."""

    profile_id: MaybeId = ""
    """Empty: the server names it."""
    user_id: Id
    content: Said
    last_modified_timestamp: Epoch | None = None
    generated_from_request_id: MaybeId = ""
    profile_time_to_live: TimeToLive = TimeToLive.INFINITY
    expiration_timestamp: int = Field(default=NEVER_EXPIRES, ge=0, le=MAX_INT)
    custom_features: dict[str, JsonValue] | None = None
    source: Label | None = None
    status: LifecycleStatus = Status.CURRENT
    extractor_names: tuple[Label, ...] = Field(default=(), max_length=100)
    source_interaction_ids: tuple[Number, ...] = Field(default=(), max_length=10_000)
    origin: Origin | None = Field(default=None, description=ORIGIN_WRITTEN)

    def to_memory(self, uid: MemoryUid, now: datetime) -> NewMemory:
        """Return the memory to store under *uid*."""
        given = self.last_modified_timestamp
        changed_at = now if given is None else from_epoch(given)
        expires_at = (
            self.profile_time_to_live.expiry(changed_at)
            if self.expiration_timestamp >= NEVER_EXPIRES
            else from_epoch(self.expiration_timestamp)
        )
        return NewMemory(
            uid=uid,
            kind=MemoryKind.PROFILE,
            user_id=UserId(self.user_id),
            name=self.extractor_names[0] if self.extractor_names else "",
            source=self.source or "",
            content=self.content,
            attributes=Attributes(
                time_to_live=self.profile_time_to_live,
                custom_features=self.custom_features or {},
                extractor_names=self.extractor_names,
                origin=self.origin,
            ),
            source_request_ids=(RequestId(self.generated_from_request_id),)
            if self.generated_from_request_id
            else (),
            source_interaction_ids=tuple(InteractionId(number) for number in self.source_interaction_ids),
            provenance=DIRECT,
            status=self.status,
            created_at=changed_at,
            updated_at=changed_at,
            expires_at=expires_at,
        )


class AddProfilesBody(WriteBody):
    """Profiles to store. An existing id of the same user is replaced."""

    user_profiles: tuple[ProfileData, ...] = Field(min_length=1, max_length=1_000)


class Added(Schema):
    """The result of adding."""

    success: bool = True
    message: str | None = None
    added_count: int = 0
    warnings: tuple[str, ...] | None = None


class UpdateProfileBody(WriteBody):
    """What to change in a profile; a missing field stays as it is."""

    user_id: Id
    profile_id: Id
    content: Said | None = None
    custom_features: dict[str, JsonValue] | None = None


class Updated(Schema):
    """The result of an edit."""

    success: bool = True
    msg: str | None = None
    message: str | None = None
    warnings: tuple[str, ...] | None = None


class GetProfilesBody(Span):
    """Which of a user's profiles to return, last changed first."""

    user_id: Id
    top_k: Count = 30
    status_filter: Statuses | None = None


class ProfilesPage(Reply):
    """Profiles, last changed first or best first."""

    user_profiles: tuple[ProfileView, ...] = ()


class ProfileStatistics(Reply):
    """How many unexpired profiles there are."""

    current_count: int = 0
    pending_count: int = 0
    archived_count: int = 0
    expiring_soon_count: int = 0


class StorageStats(Reply):
    """How much is stored of a user, in any status, expired or not."""

    profile_count: int = 0
    playbook_count: int = 0
    """Of user playbooks."""
    oldest_profile_modified: datetime | None = None
    """In ISO 8601 in UTC, as the next one."""
    newest_profile_modified: datetime | None = None


class ProfileChangeLogPage(Schema):
    """What the last runs changed, newest first. Null fields are included."""

    success: bool = True
    profile_change_logs: tuple[ProfileChangeLogView, ...] = ()


class DeleteProfileBody(Body):
    """Which of a user's profiles to delete: the one named, or those that match a text."""

    user_id: Id
    profile_id: MaybeId = ""
    search_query: str = Field(default="", max_length=10_000)

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.profile_id.strip() and not self.search_query.strip():
            raise ValueError("profile_id or search_query is required")
        return self


class DeleteProfilesByIdsBody(Body):
    """Which profiles to delete."""

    profile_ids: tuple[Id, ...] = Field(min_length=1, max_length=10_000)
