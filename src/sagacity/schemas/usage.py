"""Bodies and replies about the usage of memories."""

from datetime import datetime

from pydantic import Field

from sagacity.schemas.base import Body, Reply, Schema


class GetInjectionStatsBody(Body):
    """How far to look back."""

    days_back: int = Field(default=30, gt=0, le=36_500, description="How many times 24 hours to look back.")


class InjectionStat(Schema):
    """How often one memory was surfaced."""

    entity_type: str
    """The kind of the memory."""
    entity_id: str
    """Its id in the API: a profile's id, the number of anything else; unique within its kind."""
    surfaced_count: int
    """Number of searches, contexts and chats."""
    total_prompt_tokens: int
    """Tokens of its content at the time, summed over all of these."""
    distinct_session_count: int
    """Number of conversations; searches and contexts without one are not counted."""
    citation_count: int = 0
    """How often an answer cited it."""
    last_injected_at: datetime
    """When it was last surfaced."""
    content: str | None = None
    """What it says; nothing if it is gone."""


class InjectionStats(Reply):
    """What was surfaced, most often first."""

    stats: tuple[InjectionStat, ...] = ()
