"""A recorder that counts calls for the metrics and passes them on."""

from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.recorder import Recorder
from sagacity.domain.tenant import Tenant
from sagacity.observability.metrics import Metrics


class CountedRecorder:
    """Counts each call, and hands it on."""

    def __init__(self, metrics: Metrics, onward: Recorder[RequestAnalytics]) -> None:
        self._metrics = metrics
        self._onward = onward

    def record(self, tenant: Tenant, one: RequestAnalytics) -> None:
        """Count one call and note it down; it never fails and never waits."""
        self._metrics.count_call(one)
        self._onward.record(tenant, one)

    async def flush(self, tenant: Tenant | None = None) -> int:
        """
        Write what waits, of one tenant if one is named; returns how many calls were written.

        Raises:
            StorageUnavailable: the database could not be reached; what was not written waits on.
        """
        return await self._onward.flush(tenant)
