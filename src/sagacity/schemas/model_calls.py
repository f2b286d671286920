"""Replies about the ledger of model calls."""

from datetime import datetime

from sagacity.domain.ledger import CallTotal, Grouping, LedgerEntry
from sagacity.schemas.base import Reply, Schema


class CapState(Schema):
    """The spending cap, and how much of it is spent in this period."""

    period: str
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    spent_tokens: int
    spent_cost_usd: float
    """Of the calls whose price is known."""
    unpriced_count: int = 0
    """Calls whose price is not known; they count as zero cost."""
    since: datetime
    until: datetime
    """When the next period begins."""
    is_reached: bool


class LedgerReply(Reply):
    """What every reply about costs carries."""

    spending_cap: CapState | None = None
    """None where none is configured."""
    warnings: tuple[str, ...] = ()
    """Contains a message if the cap is reached."""


class ModelCallsPage(LedgerReply):
    """Requests to models, newest first."""

    model_calls: tuple[LedgerEntry, ...] = ()
    next: int | None = None
    """Send it as `before` to get the next page; null at the end."""


class ModelCallTotals(LedgerReply):
    """Sums over requests to models: days newest first, other groups by tokens, most first."""

    by: Grouping
    totals: tuple[CallTotal, ...] = ()
