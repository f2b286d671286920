"""Where traces are sent, as the settings say it."""

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import SecretStr

from sagacity.config.settings import load_settings
from sagacity.config.traces import collector_headers, collector_url
from sagacity.domain.errors import ConfigError
from sagacity.observability.otlp import Sender


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("", ""),
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("https://c.example.com/", "https://c.example.com/v1/traces"),
        ("https://c.example.com/otlp/v1/traces", "https://c.example.com/otlp/v1/traces"),
    ],
)
def test_an_address_without_a_path_gets_the_usual_one(given, meant):
    assert collector_url(given) == meant


@pytest.mark.parametrize(
    "url",
    [
        "collector:4318",
        "ftp://c",
        "http://",
        "http://u:p@c",
        "http://c?k=v",
        "http://c:0",
        "http://[c",
        "http://c\n",
    ],
)
def test_what_is_no_address_of_a_collector_is_refused(url):
    with pytest.raises(ConfigError, match="SAGACITY_TRACES_URL"):
        load_settings(traces_url=url)


@pytest.mark.parametrize("headers", ["s3cret", "=s3cret", "a b=s3cret", "a=s3cret\r\nb: c", "a=", "ä=s3cret"])
def test_what_is_no_header_is_refused_and_not_shown(headers):
    with pytest.raises(ConfigError) as refused:
        load_settings(traces_headers=headers)
    assert "s3cret" not in str(refused.value)


def test_headers_cross_no_network_in_plain_text():
    """Over https, or to this machine."""
    for url in ("https://c.example.com", "http://localhost:4318", "http://[::1]:4318"):
        load_settings(traces_url=url, traces_headers="a=s3cret")
    with pytest.raises(ConfigError, match="https"):
        load_settings(traces_url="http://c.example.com", traces_headers="a=s3cret")
    read = collector_headers(SecretStr("x-key=a=b, team = memory ,"))
    assert {name: one.get_secret_value() for name, one in read.items()} == {"x-key": "a=b", "team": "memory"}


def test_spans_beyond_the_limit_are_dropped_and_counted():
    """However few wait at a time, each that was not sent is counted once."""
    exporter = InMemorySpanExporter()
    exporter.shutdown()  # refuses from now on
    sender = Sender(exporter, most_waiting=10)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(sender)
    for _ in range(30):
        provider.get_tracer("test").start_span("one").end()
    assert sender.counts.waiting <= 10
    sender.stop(60)
    assert (sender.counts.dropped, sender.counts.waiting) == (30, 0)
