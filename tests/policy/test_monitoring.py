"""The dashboard, the alert rules and the page about them name metrics that exist."""

import json
import re
from datetime import UTC, datetime

import yaml
from prometheus_client.parser import text_string_to_metric_families

from sagacity.domain.analytics import RequestAnalytics, RequestType, StepTimings
from sagacity.domain.backlog import Backlog, ConnectionUse
from sagacity.domain.ledger import ModelCallRecord
from sagacity.observability.metrics import Metrics
from sagacity.observability.tracing import TraceCounts
from support.documents import ROOT

NOW = datetime(2026, 5, 1, 10, tzinfo=UTC)
MONITORING = ROOT / "deploy/monitoring"


def everything(backlog: Backlog | None = None) -> str:
    """The text of a server in which each thing happened once."""
    metrics = Metrics()
    metrics.count_http("GET", "/api/search", 200, 0.1)
    timings = StepTimings(vector_search_time=2.0, keyword_search_time=1.0)
    call = RequestAnalytics(
        id="i", request_id="r", request_type=RequestType.MEMORY_SEARCH, total_time_ms=5, created_at=NOW
    )
    metrics.count_call(call.model_copy(update={"step_timings": timings}))
    metrics.count_model_call(
        ModelCallRecord(learner="l", model="m", prompt="p/v1", created_at=NOW, cost_usd=0.5, prompt_tokens=7)
    )
    use = ConnectionUse(limit=5, in_use=1)
    return metrics.text(
        version="1",
        now=NOW,
        backlog=backlog,
        connections=use,
        unwritten=2,
        dropped=3,
        spans=TraceCounts(waiting=1, dropped=4),
    )


def labels_by_name(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


KNOWN = labels_by_name(everything(Backlog()))


def expressions() -> list[str]:
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())
    board = json.loads((MONITORING / "grafana-dashboard.json").read_text())
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in alerts}) == len(alerts) > 5
    assert all(rule["annotations"]["summary"].endswith(".") for rule in alerts)
    assert all(rule["labels"]["severity"] in {"critical", "warning"} for rule in alerts)
    targets = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 5
    return [rule["expr"] for rule in alerts] + targets


def test_every_metric_and_label_that_is_asked_for_exists() -> None:
    """In the alert rules and in the dashboard; and every metric is in the dashboard."""
    asked: set[str] = set()
    for expression in expressions():
        names = set(re.findall(r"\bsagacity_\w+", expression))
        assert names <= KNOWN.keys(), expression
        asked |= names
        for name, matchers in re.findall(r"(\w+)\{([^}]*)\}", expression):
            if name in KNOWN:
                assert set(re.findall(r"(\w+)\s*[=!]", matchers)) <= KNOWN[name], expression
        labels = {label for found in re.findall(r"by \(([^)]*)\)", expression) for label in found.split(", ")}
        assert labels <= set().union(*(KNOWN[name] for name in names)), expression
    shown = {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked}
    assert shown == {re.sub(r"_(bucket|count|sum)$", "", name) for name in KNOWN}


def test_every_metric_is_documented_with_its_labels() -> None:
    page = (ROOT / "docs/howto/monitor.md").read_text()
    rows = re.findall(r"^\| `(sagacity_\w+)` \|([^|]*)\|", page, re.MULTILINE)
    documented = {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in rows}
    expected: dict[str, set[str]] = {}
    for name, labels in KNOWN.items():
        expected.setdefault(re.sub(r"_(bucket|count|sum)$", "", name), set()).update(labels - {"le"})
    assert documented == expected


def test_figures_of_a_silent_database_are_left_out() -> None:
    """A zero would look as if nothing waited."""
    silent = labels_by_name(everything())
    assert "sagacity_database_up 0.0" in everything()
    assert KNOWN.keys() - silent.keys() == {
        "sagacity_due_logs",
        "sagacity_queue_age_seconds",
        "sagacity_cursors_behind",
        "sagacity_embedding_backlog",
        "sagacity_dead_letters",
    }
