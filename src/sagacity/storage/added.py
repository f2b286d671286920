"""How much a transaction has added so far of what quotas limit."""

from collections import Counter
from dataclasses import dataclass, field

from sagacity.domain.quota import QuotaName


@dataclass(slots=True)
class Added:
    """Counts of inserted rows. They are added to the quotas' counters just before the commit, to lock those briefly."""

    counts: Counter[QuotaName] = field(default_factory=Counter[QuotaName])
    promised: set[QuotaName] = field(default_factory=set[QuotaName])
    """Quotas that are counted but never refused, because the rows belong to something already accepted."""
    recounted: set[QuotaName] = field(default_factory=set[QuotaName])
    """Quotas to recount, because less is used than their counters say."""
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
