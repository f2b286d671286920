"""The wire shape of a profile."""

from pydantic import Field, JsonValue

from sagacity.domain.clock import to_epoch
from sagacity.domain.memory import Memory, Status, TimeToLive
from sagacity.domain.trust import Origin, Trust
from sagacity.domain.views.base import (
    NEVER_EXPIRES,
    ProvenanceView,
    View,
    expiry_view,
    provenance_view,
    status_view,
)


class ProfileView(View):
    """A fact about a user."""

    profile_id: str
    user_id: str
    content: str
    last_modified_timestamp: int
    generated_from_request_id: str
    profile_time_to_live: TimeToLive = TimeToLive.INFINITY
    expiration_timestamp: int = NEVER_EXPIRES
    custom_features: dict[str, JsonValue] | None = None
    source: str | None = None
    status: Status | None = None
    unconfirmed: bool | None = Field(
        default=None,
        description="True if only an agent or a tool said it: it is listed as pending and served nowhere "
        "until the user says it too, or a person updates it.",
    )
    extractor_names: tuple[str, ...] | None = None
    source_interaction_ids: tuple[int, ...] = ()
    origin: Origin | None = None
    trust: Trust | None = None
    provenance: ProvenanceView | None = None
    score: float | None = None
    relevance: float | None = None
    score_components: dict[str, float] | None = None


def profile_view(memory: Memory) -> ProfileView:
    """Show a profile."""
    return ProfileView(
        profile_id=memory.uid,
        user_id=memory.user_id or "",
        content=memory.content,
        last_modified_timestamp=to_epoch(memory.updated_at),
        generated_from_request_id=memory.source_request_ids[0] if memory.source_request_ids else "",
        profile_time_to_live=memory.attributes.time_to_live,
        expiration_timestamp=expiry_view(memory),
        custom_features=memory.attributes.custom_features or None,
        source=memory.source or None,
        status=status_view(memory.status),
        unconfirmed=memory.attributes.is_unconfirmed or None,
        extractor_names=memory.attributes.extractor_names or ((memory.name,) if memory.name else None),
        source_interaction_ids=memory.source_interaction_ids,
        origin=memory.attributes.origin,
        trust=memory.trust,
        provenance=provenance_view(memory),
    )
