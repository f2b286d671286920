"""Usage events: searches, the memories that they surface, and those that answers cite."""

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.memory import MemoryKind


class UsageEventName(StrEnum):
    """What was used."""

    APPLIED = "learning_applied"
    """A search was answered; `count_value` says with how many memories."""
    INJECTION = "learning_injection"
    """A search, a context or a chat surfaced one memory; `prompt_tokens` says how long its content is."""
    CITATION = "learning_citation"
    """An answer cites one memory."""
    SHOWN = "learning_shown"
    """One memory that might have been held out is not: once a session and memory; see `domain/holdout.py`."""
    HELD_OUT = "learning_held_out"
    """One memory is held out, and would be surfaced otherwise: once a session and memory."""


class Pipeline(StrEnum):
    """Where it was used."""

    SEARCH = "search"
    CONTEXT = "context"
    CHAT = "chat"
    PUBLISH = "publish"
    """The answer came with turns that were published."""


APPLICATION: Final = "application"
"""The category of all that is measured here: memories applied to an agent's work."""
PRODUCTION_AGENT: Final = "production_agent"
"""Who applied them: no door serves anybody but agents at work, and no caller says otherwise."""


class UsageEvent(Value):
    """One measured use. Rows are added and never changed; one that comes twice, by its uid, counts once."""

    uid: str
    org_id: OrgId
    user_id: UserId | None = None
    """Whose memory it is, or for whom the search was; None for the organisation itself."""
    request_id: str = ""
    """The correlation id of the call, or the id of the request that was published."""
    session_id: str = ""
    """In which conversation, as far as that is known."""
    pipeline: Pipeline | None = None
    entity_type: MemoryKind | None = None
    entity_id: str | None = None
    """What the API knows the memory by: a uid for a profile, a number for the other kinds."""
    event_name: UsageEventName
    event_category: str = APPLICATION
    caller_type: str = PRODUCTION_AGENT
    count_value: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    billing_input_tokens: int | None = None
    platform_llm: int | None = None
    platform_storage: int | None = None
    duration_ms: int | None = None
    error_kind: str | None = None
    holdout_share: float | None = None
    """Of `learning_shown` and `learning_held_out`: the probability with which it was held out."""
    metadata: dict[str, JsonValue] = {}
    created_at: datetime
    """When it happened, however much later it is written."""


class ItemUsage(Value):
    """How often one memory was surfaced and cited."""

    entity_type: MemoryKind
    entity_id: str
    surfaced_count: int = 0
    total_prompt_tokens: int = 0
    distinct_session_count: int = 0
    """Conversations in which it was surfaced, among those that are known."""
    last_injected_at: datetime | None = None
    citation_count: int = 0
    last_cited_at: datetime | None = None


def uid_of(*parts: str) -> str:
    """Return the uid of an event that is known by *parts*: the same each time it is reported."""
    told = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
