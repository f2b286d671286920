"""The ledger: the purpose and cost of each call to a model."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.errors import MalformedOutput, ProviderError, ProviderRefused, ProviderTimeout
from sagacity.domain.ids import UserId

SUCCEEDED = "ok"
"""The outcome of a successful call; others are the error's name, such as `ProviderTimeout`."""
CANCELLED = "Cancelled"
"""The outcome of a request that was cancelled."""
_ERRORS = (ProviderError, ProviderTimeout, ProviderRefused, MalformedOutput)
OUTCOMES = (SUCCEEDED, *(kind.__name__ for kind in _ERRORS), CANCELLED)


class ModelCallRecord(Value):
    """The record of one request to a provider, including failed ones and each retry."""

    learner: str
    """The caller: a learner's name, `aggregation:NAME`, `skills:NAME`, `query_reformulation`."""
    user_id: UserId = UserId("")
    """Empty if the work was the tenant's own."""
    model: str
    prompt: str = ""
    """The prompt's name and version, such as `profile_extraction/v2`."""
    attempt: int = 1
    """1 for the first attempt of a call."""
    prompt_tokens: int = 0
    """As reported by the provider, else estimated."""
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of the prompt's tokens that came from the provider's cache."""
    cost_usd: float | None = None
    """None if the model's price is not known."""
    duration_ms: int = 0
    outcome: str = SUCCEEDED
    created_at: datetime


class LedgerEntry(ModelCallRecord):
    """A record with its number."""

    call_id: int


class Spending(Value):
    """Sums over calls: since a moment, or of one group."""

    call_count: int = 0
    failed_count: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of the prompts' tokens that came from the providers' caches."""
    cost_usd: float = 0.0
    """Of the calls whose price is known."""
    unpriced_count: int = 0
    """Calls of models without a known price, which no sum of costs includes."""
    duration_ms: int = 0

    @property
    def token_count(self) -> int:
        """All tokens, in and out."""
        return self.prompt_tokens + self.completion_tokens


class CallFilter(Value):
    """Which calls are meant; None for any."""

    learner: str | None = None
    user_id: UserId | None = None
    model: str | None = None
    outcome: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    """Calls before it: `start` <= time < `end`."""


class Grouping(StrEnum):
    """What calls are grouped by; days are in UTC."""

    LEARNER = "learner"
    USER = "user"
    DAY = "day"
    MODEL = "model"


class CallTotal(Spending):
    """The sums of one group."""

    key: str
    """The learner, user or model, or the day as `2026-11-22`; empty for the tenant's own calls, by user, and for what
    rules read, by model."""
    proposed_count: int = 0
    """Entries that learners proposed, rules included; kept, merged and dropped add up to it."""
    kept_count: int = 0
    merged_count: int = 0
    dropped_count: int = 0
