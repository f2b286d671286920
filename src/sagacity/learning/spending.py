"""What each tenant has spent in the current period, cached between reads of the ledger."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sagacity.config.spending_cap import SpendingCap
from sagacity.domain.clock import Clock
from sagacity.domain.ids import OrgId
from sagacity.domain.ledger import ModelCallRecord, Spending
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage

FRESH = timedelta(seconds=5)
"""How old a sum may be before the ledger is read again for other processes' spending."""


_SETTLED = timedelta(minutes=10)
"""After this time, every process has recorded its calls, so older calls are summed up only once."""


@dataclass(slots=True)
class _Sum:
    start: datetime
    """The beginning of the cap's period."""
    settled_at: datetime
    settled: Spending
    """The spending on calls before `settled_at`."""
    read_at: datetime
    recent: Spending
    """The spending on later calls, including this process's calls after `read_at`."""


class RunningSums:
    """The spending of tenants that have a cap. This process's own spending is counted at once."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._sums: dict[OrgId, _Sum] = {}

    async def of(self, tenant: Tenant, cap: SpendingCap) -> Spending:
        """Return what *tenant* spent in the cap's period: the whole period is read once, then only new calls."""
        now = self._clock.now()
        start = cap.start(now)
        known = self._sums.get(tenant.org_id)
        if known is None or known.start != start:
            known = _Sum(start, start, Spending(), now - FRESH, Spending())
        if now - known.read_at >= FRESH:
            known = self._sums[tenant.org_id] = await self._read(tenant, known, now)
        return _total(known.settled, known.recent)

    async def _read(self, tenant: Tenant, known: _Sum, now: datetime) -> _Sum:
        settled_at = max(known.settled_at, now - _SETTLED)
        async with self._storage.read(tenant) as snapshot:
            settled = await snapshot.model_calls.spent(known.settled_at, until=settled_at)
            recent = await snapshot.model_calls.spent(settled_at)
        return _Sum(known.start, settled_at, _total(known.settled, settled), now, recent)

    def add(self, tenant: Tenant, record: ModelCallRecord) -> None:
        """Count a request of this process."""
        known = self._sums.get(tenant.org_id)
        if known is not None and record.created_at >= known.start:
            call = Spending(
                prompt_tokens=record.prompt_tokens,
                completion_tokens=record.completion_tokens,
                cost_usd=record.cost_usd or 0.0,
            )
            known.recent = _total(known.recent, call)


def _total(one: Spending, other: Spending) -> Spending:
    """Add the amounts that caps limit."""
    return Spending(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cost_usd=one.cost_usd + other.cost_usd,
    )
