"""A recorder that counts calls for the metrics and passes them on."""

from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.recorder import Recorder
from sagacity.domain.tenant import Tenant
from sagacity.observability.metrics import Metrics


class CountedRecorder:
    """Counts each call and passes it on."""

    def __init__(self, metrics: Metrics, onward: Recorder[RequestAnalytics]) -> None:
        self._metrics = metrics
        self._onward = onward

    def record(self, tenant: Tenant, one: RequestAnalytics) -> None:
        """Count a call and record it; never fails and never waits."""
        self._metrics.count_call(one)
        self._onward.record(tenant, one)

    async def flush(self, tenant: Tenant | None = None) -> int:
        """
        Write the waiting calls, only those of *tenant* if it is given; returns how many were written.

        Raises:
            StorageUnavailable: the database could not be reached; values that were not written still wait.
        """
        return await self._onward.flush(tenant)
