"""This process's counters and the database's backlog, in the text format of Prometheus."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.backlog import Backlog, ConnectionUse
from sagacity.domain.ledger import ModelCallRecord
from sagacity.domain.query import StrategyName
from sagacity.observability.tracing import TraceCounts

_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Seconds."""
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_MILLISECONDS = 1_000


class Metrics:
    """
    The counters of one process since its start, or of all processes of one `sagacity serve`.

    No label says who called, whose data it was, or what was said: labels are routes, statuses, and names of this
    program's own.
    """

    def __init__(self) -> None:
        disable_created_metrics()  # they would double the number of series
        self._registry = CollectorRegistry()
        self._waiting = _Collected()
        self._registry.register(self._waiting)
        self._requests = self._counter(
            "http_requests", "Calls that were answered.", "method", "route", "status"
        )
        self._seconds = Histogram(
            "sagacity_http_request_seconds",
            "How long calls took; streams to their ends.",
            ["route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._asked = self._counter("memory_calls", "Answers, searches and contexts.", "type", "status")
        self._runs = self._counter("search_strategy_runs", "Searches by each strategy.", "strategy")
        self._found = self._counter("search_strategy_results", "What each strategy found.", "strategy")
        self._strategy_seconds = self._counter("search_strategy_seconds", "How long they took.", "strategy")
        self._model_calls = self._counter("model_calls", "Requests to models.", "prompt", "outcome")
        self._model_seconds = self._counter("model_call_seconds", "How long models took.", "prompt")
        self._tokens = self._counter("model_tokens", "Tokens that models read and wrote.", "direction")
        self._cost = self._counter("model_cost_usd", "What models cost, as far as prices are known.")

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"sagacity_{name}", about, labels, registry=self._registry)

    def count_http(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered call; *route* is the declared path, or empty if none matched."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route or "none", str(status)).inc()
        self._seconds.labels(route or "none").observe(seconds)

    def count_call(self, call: RequestAnalytics) -> None:
        """Count an answer, a search or a context."""
        self._asked.labels(str(call.request_type), str(call.status)).inc()
        for strategy in StrategyName:
            took = getattr(call.step_timings, f"{strategy}_search_time")
            if took is None:
                continue
            self._runs.labels(str(strategy)).inc()
            self._found.labels(str(strategy)).inc(
                getattr(call.retrieval_metrics, f"{strategy}_results_count")
            )
            self._strategy_seconds.labels(str(strategy)).inc(took / _MILLISECONDS)

    def count_model_call(self, call: ModelCallRecord) -> None:
        """Count a request to a model, including failed ones."""
        prompt = call.prompt.partition("/")[0]
        self._model_calls.labels(prompt, call.outcome).inc()
        self._model_seconds.labels(prompt).inc(call.duration_ms / _MILLISECONDS)
        self._tokens.labels("read").inc(call.prompt_tokens)
        self._tokens.labels("written").inc(call.completion_tokens)
        self._cost.inc(call.cost_usd or 0)

    def text(
        self,
        *,
        version: str,
        now: datetime,
        backlog: Backlog | None,
        connections: ConnectionUse,
        unwritten: int,
        dropped: int,
        spans: TraceCounts | None = None,
    ) -> str:
        """
        Return everything as text.

        Args:
            version: of the program.
            now: the current time, for the age of the queue.
            backlog: the waiting work; None if the database does not answer, then its metrics are left out.
            connections: to the database.
            unwritten: recorded calls and usage events that wait to be written.
            dropped: recorded calls and usage events that were lost.
            spans: their counts; None if none are recorded, then their metrics are left out.
        """
        build = GaugeMetricFamily("sagacity_build_info", "The release, always 1.", labels=["version"])
        build.add_metric([version], 1)
        pool = GaugeMetricFamily(
            "sagacity_database_connections", "Connections to the database.", labels=["state"]
        )
        pool.add_metric(["in_use"], connections.in_use)
        pool.add_metric(["limit"], connections.limit)
        lost = CounterMetricFamily(
            "sagacity_analytics_dropped", "Recorded calls and usage events that were lost.", value=dropped
        )
        self._waiting.families = [
            build,
            pool,
            lost,
            _gauge(
                "analytics_waiting", "Recorded calls and usage events that wait to be written.", unwritten
            ),
            _gauge("database_up", "Whether the database answers.", int(backlog is not None)),
            *([] if backlog is None else _of_backlog(backlog, now)),
            *([] if spans is None else _of_spans(spans)),
        ]
        return generate_latest(self._whole()).decode()

    def _whole(self) -> CollectorRegistry:
        """Return the registry of the counters; if several processes share them, of all of them."""
        if values.ValueClass is values.MutexValue:
            return self._registry
        shared = CollectorRegistry()
        MultiProcessCollector(shared)
        shared.register(self._waiting)
        return shared


class _Collected(Collector):
    """Metrics that were read just before."""

    def __init__(self) -> None:
        self.families: Sequence[Metric] = ()

    def collect(self) -> Iterable[Metric]:
        """Return the metrics."""
        return self.families


def _of_backlog(backlog: Backlog, now: datetime) -> list[Metric]:
    since = now if backlog.oldest_due_at is None else min(backlog.oldest_due_at, now)
    return [
        _gauge("due_logs", "Logs of users and organisations that must be looked at.", backlog.due_count),
        _gauge("queue_age_seconds", "How long the oldest of them waits.", (now - since).total_seconds()),
        _gauge("cursors_behind", "Cursors with turns still to be read.", backlog.cursors_behind),
        _gauge("embedding_backlog", "Documents without their vectors.", backlog.unembedded_count),
        _gauge("dead_letters", "Windows that a learner gave up on, parked.", backlog.parked_count),
    ]


def _of_spans(spans: TraceCounts) -> list[Metric]:
    lost = CounterMetricFamily(
        "sagacity_trace_spans_dropped", "Spans that never got to the collector.", value=spans.dropped
    )
    return [lost, _gauge("trace_spans_waiting", "Spans that wait to be sent.", spans.waiting)]


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"sagacity_{name}", about, value=value)
