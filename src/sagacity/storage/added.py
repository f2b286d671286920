"""What a transaction has added so far, of what quotas limit."""

from collections import Counter
from dataclasses import dataclass, field

from sagacity.domain.quota import QuotaName


@dataclass(slots=True)
class Added:
    """Counted on insert, and added to the counters right before the commit, so that waiting for them blocks nobody."""

    counts: Counter[QuotaName] = field(default_factory=Counter[QuotaName])
    promised: set[QuotaName] = field(default_factory=set[QuotaName])
    """What is counted and not refused, as the rest of something that was accepted."""
    recounted: set[QuotaName] = field(default_factory=set[QuotaName])
    """Quotas of which less is used than the counter says."""
    is_limited: bool | None = None
    """Whether the organisation has quotas; None if not checked yet."""

    def note(self, name: QuotaName, count: int = 1) -> None:
        """Count what was inserted."""
        self.counts[name] += count

    def note_turns(self, count: int, *, is_promised: bool = False) -> None:
        """Count turns that were inserted; *is_promised*: they belong to a request that was accepted."""
        for name in (QuotaName.INTERACTIONS, QuotaName.INTERACTIONS_PER_DAY):
            self.counts[name] += count
            if is_promised:
                self.promised.add(name)
