"""The record of one call that searched the memory: its durations, what it found, and how it ended."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import DescribedValue, Value
from sagacity.domain.ids import UserId
from sagacity.domain.measures import Spread


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


class StepTimings(DescribedValue):
    """
    Milliseconds of each step; null for a step that was not taken.

    The question is embedded while the other strategies search.
    """

    setup_time: float | None = None
    """Until the message was stored, its turn in the conversation awaited."""
    query_analysis_time: float | None = None
    """Taking the question apart, with the names and dates that it speaks of."""
    vector_search_time: float | None = None
    """Looking for what means the same, the vector of the question included."""
    keyword_search_time: float | None = None
    """Looking for the words of the question."""
    graph_search_time: float | None = None
    """Looking for what belongs to the entities that the question names."""
    profile_search_time: float | None = None
    """Reading what is known of the user in any case."""
    recent_search_time: float | None = None
    """Reading what was said and learned last."""
    total_retrieval_time: float | None = None
    """All strategies together, and reading what they found."""
    ranking_time: float | None = None
    """Making one list of what was found."""
    context_building_time: float | None = None
    """Entities, relationships and the conversation so far, and writing all of it into one text."""
    llm_ttfb: float | None = None
    """From the call of the model to its first piece of text."""
    llm_total_time: float | None = None
    """From the call of the model to its last piece of text."""
    save_response_time: float | None = None
    """Storing the answer."""
    enqueue_time: float | None = None
    """Waking those who learn from what was said; they learn later."""
    history_time: float | None = None
    """Reading the conversation so far for the prompt."""


class RetrievalMetrics(DescribedValue):
    """What the strategies found, and what became of it."""

    vector_results_count: int = 0
    """How many the search by meaning found."""
    keyword_results_count: int = 0
    """How many the search by words found."""
    graph_results_count: int = 0
    """How many the search by entities found."""
    profile_results_count: int = 0
    """How many profiles were read in any case."""
    recent_results_count: int = 0
    """How many were read for being recent."""
    total_raw_results: int = 0
    """Of all strategies together; what several found counts several times."""
    post_dedup_count: int = 0
    """Each memory and turn once."""
    deduplication_removed: int = 0
    """How many were found by another strategy already."""
    score_distribution: dict[str, Spread] = {}
    """By strategy, of its own scores."""
    memories_by_type: dict[str, int] = {}
    """How many different ones were found of each type."""
    avg_combined_score: float | None = None
    """The mean score of what was ranked; null where nothing was."""


class ContextMetrics(DescribedValue):
    """How the token budget of a context was used; all zero where none was built."""

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
    """Of the conversation so far, where it is in the context."""
    total_context_tokens: int = 0
    """Of the whole text."""
    token_budget_max: int = 0
    """How many the text could have; 0 where none was built."""
    truncation_occurred: bool = False
    """Whether anything found was shortened, or left out for lack of space."""
    memories_included: int = 0
    """Memories and turns of former conversations that are in the context."""
    memories_truncated: int = 0
    """Those that were shortened, or left out for lack of space."""


class QuestionMetrics(DescribedValue):
    """What the question was taken to ask for."""

    intent: str | None = None
    """What it wants: recall, command, question or conversation; null where nobody looked."""
    requires_memory: bool = True
    """Whether it needs what is remembered."""
    keywords_count: int = 0
    """How many words carry it."""
    entities_count: int = 0
    """How many names it has."""
    memory_types_needed: tuple[str, ...] = ()
    """Types most likely to answer, most likely first."""
    time_reference: str | None = None
    """The type of time that it names, such as `weekday`; null for none."""
    confidence: float | None = None
    """From 0 to 1: how sure the intent is."""


class RequestAnalytics(DescribedValue):
    """One call that asked the memory something."""

    id: str
    """By which this record is read."""
    user_id: UserId | None = None
    """For whom the call was; null for a search that named nobody."""
    request_id: str
    """The call's correlation id, as in its reply and in the server's log."""
    request_type: RequestType
    """How the memory was asked: by a message, by a search, or for a context."""
    conversation_id: str | None = None
    """In which conversation; null for none."""
    message_id: str | None = None
    """Of the user's message; null for what is none."""
    total_time_ms: float
    """Milliseconds from the call to its end."""
    ttfb_ms: float | None = None
    """Milliseconds from the message to the first piece of the answer; null where there was none."""
    step_timings: StepTimings = StepTimings()
    """Milliseconds of each step."""
    retrieval_metrics: RetrievalMetrics = RetrievalMetrics()
    """What the strategies found."""
    context_metrics: ContextMetrics = ContextMetrics()
    """How the budget of tokens was used."""
    query_analysis: QuestionMetrics = QuestionMetrics()
    """The intent of the question, and how much it names."""
    status: RequestStatus = RequestStatus.SUCCESS
    """How it ended."""
    error_message: str | None = None
    """What went wrong, without a provider's own words; null if all went well."""
    error_type: str | None = None
    """The kind of error; null if all went well."""
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
