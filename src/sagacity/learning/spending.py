"""What each tenant spent since its period began, kept in memory between looks at the ledger."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sagacity.config.spending_cap import SpendingCap
from sagacity.domain.clock import Clock
from sagacity.domain.ids import OrgId
from sagacity.domain.ledger import ModelCallRecord, Spending
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage

FRESH = timedelta(seconds=5)
"""How old a sum may be before the ledger is asked again for what other processes spent."""


@dataclass(slots=True)
class _Sum:
    start: datetime
    read_at: datetime
    spent: Spending


class RunningSums:
    """The sums of tenants that have a cap. What this process spends is counted at once."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._sums: dict[OrgId, _Sum] = {}

    async def of(self, tenant: Tenant, cap: SpendingCap) -> Spending:
        """Return what *tenant* spent since the cap's period began: one indexed sum, or none."""
        now = self._clock.now()
        start = cap.start(now)
        known = self._sums.get(tenant.org_id)
        if known is None or known.start != start or now - known.read_at >= FRESH:
            async with self._storage.read(tenant) as snapshot:
                spent = await snapshot.model_calls.spent(start)
            known = self._sums[tenant.org_id] = _Sum(start, now, spent)
        return known.spent

    def add(self, tenant: Tenant, record: ModelCallRecord) -> None:
        """Count a request of this process."""
        known = self._sums.get(tenant.org_id)
        if known is not None and record.created_at >= known.start:
            known.spent = known.spent.model_copy(
                update={
                    "prompt_tokens": known.spent.prompt_tokens + record.prompt_tokens,
                    "completion_tokens": known.spent.completion_tokens + record.completion_tokens,
                    "cost_usd": known.spent.cost_usd + (record.cost_usd or 0.0),
                }
            )
