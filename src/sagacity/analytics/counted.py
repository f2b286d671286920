"""Calls are counted on their way to where they are recorded, also where nothing is recorded."""

from sagacity.domain.analytics import Recorder, RequestAnalytics
from sagacity.domain.tenant import Tenant
from sagacity.observability.metrics import Metrics


class CountedRecorder:
    """Counts each call, and hands it on."""

    def __init__(self, metrics: Metrics, onward: Recorder) -> None:
        self._metrics = metrics
        self._onward = onward

    def record(self, tenant: Tenant, call: RequestAnalytics) -> None:
        """Count one call and note it down; it never fails and never waits."""
        self._metrics.count_call(call)
        self._onward.record(tenant, call)
