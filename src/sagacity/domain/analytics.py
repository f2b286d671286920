"""The record of one call that searched memory: durations, results and outcome."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import DescribedValue, Value
from sagacity.domain.ids import UserId
from sagacity.domain.measures import Spread


class RequestType(StrEnum):
    """The type of the request."""

    CHAT_STREAM = "chat_stream"
    """An answer that is streamed while it is written."""
    CHAT_COMPLETE = "chat_complete"
    """An answer that is returned as a whole."""
    MEMORY_SEARCH = "memory_search"
    CONTEXT_BUILD = "context_build"


class RequestStatus(StrEnum):
    """The outcome."""

    SUCCESS = "success"
    PARTIAL = "partial"
    """An incomplete answer: stopped, abandoned, or cut short when its process ended."""
    ERROR = "error"
    TIMEOUT = "timeout"


FAILURES = (RequestStatus.ERROR, RequestStatus.TIMEOUT)
"""The statuses that count as errors in sums."""


class StepTimings(DescribedValue):
    """
    Milliseconds of each step; null for a step that was not taken.

    The question is embedded while the other strategies search.
    """

    setup_time: float | None = None
    """Until the message was stored, including the wait for its conversation to be free."""
    query_analysis_time: float | None = None
    """Analysing the question, with its names and dates."""
    vector_search_time: float | None = None
    """Searching by meaning, including the embedding of the question."""
    keyword_search_time: float | None = None
    """Searching by words."""
    graph_search_time: float | None = None
    """Searching by the entities that the question names."""
    profile_search_time: float | None = None
    """Reading the user's profiles."""
    recent_search_time: float | None = None
    """Reading the newest turns and episodes."""
    total_retrieval_time: float | None = None
    """All strategies together, and reading their results."""
    ranking_time: float | None = None
    """Ranking the results into one list."""
    context_building_time: float | None = None
    """Reading entities and the conversation so far, and building the context."""
    llm_ttfb: float | None = None
    """From the model call to its first piece of text."""
    llm_total_time: float | None = None
    """From the model call to its last piece of text."""
    save_response_time: float | None = None
    """Storing the answer."""
    enqueue_time: float | None = None
    """Waking the learners, which learn later."""
    history_time: float | None = None
    """Reading the conversation so far for the prompt."""


class RetrievalMetrics(DescribedValue):
    """How much the strategies found, and how much of it remained."""

    vector_results_count: int = 0
    """Results of the search by meaning."""
    keyword_results_count: int = 0
    """Results of the search by words."""
    graph_results_count: int = 0
    """Results of the search by entities."""
    profile_results_count: int = 0
    """Profiles that were read whatever the question."""
    recent_results_count: int = 0
    """Turns and episodes that were read for being recent."""
    total_raw_results: int = 0
    """Results of all strategies; a result that several found counts several times."""
    post_dedup_count: int = 0
    """Results, each counted once."""
    deduplication_removed: int = 0
    """Results that another strategy had found already."""
    score_distribution: dict[str, Spread] = {}
    """By strategy, over its own scores."""
    memories_by_type: dict[str, int] = {}
    """Distinct results of each type."""
    avg_combined_score: float | None = None
    """Mean score of the ranked results; null if there were none."""


class ContextMetrics(DescribedValue):
    """How much of its token budget a context used; all zero if none was built."""

    profile_tokens_used: int = 0
    """Of profiles."""
    semantic_tokens_used: int = 0
    """Of facts."""
    episodic_tokens_used: int = 0
    """Of episodes, and of turns of former conversations."""
    procedural_tokens_used: int = 0
    """Of playbooks and skills."""
    entity_tokens_used: int = 0
    """Of entities and their relationships."""
    history_tokens_used: int = 0
    """Of the conversation so far, if the context includes it."""
    total_context_tokens: int = 0
    """Of the whole text."""
    token_budget_max: int = 0
    """The budget of the whole text; 0 if none was built."""
    truncation_occurred: bool = False
    """Whether any result was shortened or left out for lack of space."""
    memories_included: int = 0
    """Memories and turns of former conversations that are in the context."""
    memories_truncated: int = 0
    """Those that were shortened, or left out for lack of space."""


class QuestionMetrics(DescribedValue):
    """The analysis of the question."""

    intent: str | None = None
    """Intent: recall, command, question or conversation; null if it was not analysed."""
    requires_memory: bool = True
    """Whether it needs memory."""
    keywords_count: int = 0
    """Number of content words."""
    entities_count: int = 0
    """Number of names."""
    memory_types_needed: tuple[str, ...] = ()
    """Types most likely to answer, most likely first."""
    time_reference: str | None = None
    """The type of time that it names, such as `weekday`; null if none."""
    confidence: float | None = None
    """Confidence of the intent, from 0 to 1."""


class RequestAnalytics(DescribedValue):
    """The record of one call that searched the memory."""

    id: str
    """The id of this record."""
    user_id: UserId | None = None
    """The user of the call; null for a search without a user."""
    request_id: str
    """The call's correlation id, as in its reply and in the server's log."""
    request_type: RequestType
    """Whether it was a message, a search, or a request for a context."""
    conversation_id: str | None = None
    """The conversation; null if none."""
    message_id: str | None = None
    """Id of the user's message; null if there is none."""
    total_time_ms: float
    """Milliseconds from the call to its end."""
    ttfb_ms: float | None = None
    """Milliseconds from the message to the first piece of the answer; null if there was none."""
    step_timings: StepTimings = StepTimings()
    """Milliseconds of each step."""
    retrieval_metrics: RetrievalMetrics = RetrievalMetrics()
    """What the strategies found."""
    context_metrics: ContextMetrics = ContextMetrics()
    """How much of the token budget was used."""
    query_analysis: QuestionMetrics = QuestionMetrics()
    """The intent of the question, and what it names."""
    status: RequestStatus = RequestStatus.SUCCESS
    """The outcome."""
    error_message: str | None = None
    """The error, without a provider's own words; null if there was none."""
    error_type: str | None = None
    """The type of error; null if there was none."""
    created_at: datetime
    """When the call came in."""


class AnalyticsFilter(Value):
    """Which calls are meant; None for any."""

    user_id: UserId | None = None
    request_type: RequestType | None = None
    status: RequestStatus | None = None
    conversation_id: str | None = None
    start: datetime | None = None
    """At or after this moment."""
    end: datetime | None = None
    """Before this moment."""
    min_latency_ms: float | None = None
    max_latency_ms: float | None = None
    """Both inclusive."""
