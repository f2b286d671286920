"""What is known of one call that asked the memory something: what it took, what was found, and how it ended."""

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId
from sagacity.domain.query import Spread
from sagacity.domain.tenant import Tenant


class RequestType(StrEnum):
    """What was asked for."""

    CHAT_STREAM = "chat_stream"
    """An answer that is streamed as it is written."""
    CHAT_COMPLETE = "chat_complete"
    """An answer that is returned as a whole."""
    MEMORY_SEARCH = "memory_search"
    CONTEXT_BUILD = "context_build"


class RequestStatus(StrEnum):
    """How it ended."""

    SUCCESS = "success"
    PARTIAL = "partial"
    """An answer that is not whole: stopped, left, or cut short when its process ended."""
    ERROR = "error"
    TIMEOUT = "timeout"


FAILURES = (RequestStatus.ERROR, RequestStatus.TIMEOUT)
"""What counts as an error in sums."""


class StepTimings(Value):
    """Milliseconds of each step; null for a step that was not taken. Strategies run in parallel."""

    setup_time: float | None = None
    """Until the message was stored, its turn in the conversation awaited."""
    query_analysis_time: float | None = None
    """Taking the question apart, with the names and dates that it speaks of."""
    vector_search_time: float | None = None
    keyword_search_time: float | None = None
    graph_search_time: float | None = None
    profile_search_time: float | None = None
    recent_search_time: float | None = None
    total_retrieval_time: float | None = None
    """All strategies together, and reading what they found."""
    ranking_time: float | None = None
    context_building_time: float | None = None
    """Entities, relationships and the conversation so far, and writing all of it into one text."""
    llm_ttfb: float | None = None
    """From the call of the model to its first piece of text."""
    llm_total_time: float | None = None
    save_response_time: float | None = None
    history_time: float | None = None
    """Reading the conversation so far for the prompt."""


class RetrievalMetrics(Value):
    """What the strategies found, and what became of it."""

    vector_results_count: int = 0
    keyword_results_count: int = 0
    graph_results_count: int = 0
    profile_results_count: int = 0
    recent_results_count: int = 0
    total_raw_results: int = 0
    """Of all strategies together; what several found counts several times."""
    post_dedup_count: int = 0
    """Each memory and turn once."""
    deduplication_removed: int = 0
    score_distribution: dict[str, Spread] = {}
    """By strategy, of its own scores."""
    memories_by_type: dict[str, int] = {}
    """How many different ones were found of each type."""
    avg_combined_score: float | None = None
    """The mean score of what was ranked; null where nothing was."""


class ContextMetrics(Value):
    """How the token budget of a context was used; all zero where none was built."""

    profile_tokens_used: int = 0
    semantic_tokens_used: int = 0
    """Of facts."""
    episodic_tokens_used: int = 0
    procedural_tokens_used: int = 0
    entity_tokens_used: int = 0
    history_tokens_used: int = 0
    total_context_tokens: int = 0
    token_budget_max: int = 0
    truncation_occurred: bool = False
    """Whether anything found was shortened, or left out for lack of space."""
    memories_included: int = 0
    """Memories and turns of former conversations that are in the context."""
    memories_truncated: int = 0
    """Those that were shortened, or left out for lack of space."""


class QuestionMetrics(Value):
    """What the question was taken to ask for."""

    intent: str | None = None
    requires_memory: bool = True
    keywords_count: int = 0
    entities_count: int = 0
    memory_types_needed: tuple[str, ...] = ()
    time_reference: str | None = None
    """The type of time that it names, such as `weekday`."""
    confidence: float | None = None
    """From 0 to 1: how sure the intent is."""


class RequestAnalytics(Value):
    """One call that asked the memory something."""

    id: str
    user_id: UserId | None = None
    """Null for a search that named no user."""
    request_id: str
    """The call's `X-Request-ID`, as in its reply and in the server's log."""
    request_type: RequestType
    conversation_id: str | None = None
    message_id: str | None = None
    """Of the user's message."""
    total_time_ms: float
    ttfb_ms: float | None = None
    """From the call to the first piece of the answer; null for what is not streamed from a model."""
    step_timings: StepTimings = StepTimings()
    retrieval_metrics: RetrievalMetrics = RetrievalMetrics()
    context_metrics: ContextMetrics = ContextMetrics()
    query_analysis: QuestionMetrics = QuestionMetrics()
    status: RequestStatus = RequestStatus.SUCCESS
    error_message: str | None = None
    """Without a provider's own words; those are in the server's log."""
    error_type: str | None = None
    created_at: datetime
    """When the call came in."""


class AnalyticsFilter(Value):
    """Of which calls to tell; None for any."""

    user_id: UserId | None = None
    request_type: RequestType | None = None
    status: RequestStatus | None = None
    conversation_id: str | None = None
    start: datetime | None = None
    """From this moment on."""
    end: datetime | None = None
    """Before this moment."""
    min_latency_ms: float | None = None
    max_latency_ms: float | None = None
    """Both inclusive."""


class Recorder(Protocol):
    """Where calls are noted down."""

    def record(self, tenant: Tenant, call: RequestAnalytics) -> None:
        """Note down one call; it never fails and never waits."""
        ...


class _Nowhere:
    """Notes nothing down."""

    def record(self, tenant: Tenant, call: RequestAnalytics) -> None:
        """Forget the call."""


UNRECORDED: Recorder = _Nowhere()
"""Where calls go that nobody counts."""
