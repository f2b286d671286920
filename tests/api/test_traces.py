"""Traces: what a collector gets to see of calls, searches, learning and models, and that it holds nobody up."""

import threading

import pytest
import structlog
from prometheus_client.parser import text_string_to_metric_families

from sagacity.observability.tracing import add_trace, span
from support.api import client_of, publish, running, settings_in, turns
from support.collector import Collector, collector
from support.promises import choose
from support.scripted_llm import extracted, scripted_llm
from support.waiting import until

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"


def metrics(text: str) -> dict[str, float]:
    """Values of those without labels."""
    families = text_string_to_metric_families(text)
    return {one.name: one.value for family in families for one in family.samples if not one.labels}


async def test_a_publish_and_a_search_are_whole_trees_without_anybodys_words(tmp_path):
    """The caller's trace goes through the call, the task and the learner to the model, whose server is told of it."""
    with collector() as received, scripted_llm() as model:
        model.answer_with(extracted)
        settings = settings_in(
            tmp_path, traces_url=received.url, traces_headers="x-key=s3cret", traces_service="memory"
        )
        async with running(settings) as app, client_of(app) as api:
            await choose(api, model)
            body = turns("The secret garden is in Lisbon.", user_id="ana@example.org", force_extraction=True)
            reply = await api.post(
                "/api/publish_interaction",
                json=body,
                params={"wait_for_response": True},
                headers={"traceparent": TRACEPARENT},
            )
            assert reply.status_code == 200, reply.text
            query = {"query": "a secret garden", "user_id": "ana@example.org"}
            assert (await api.post("/api/search", json=query)).status_code == 200
            await publish(api, "I moved to Porto.", user_id="ben", force_extraction=True)
            await until(lambda: _is_linked(received))
    call = received.named("POST /api/search")
    assert call.parent_id == ""
    assert call.trace_id != TRACE
    assert call.attributes["http.response.status_code"] == 200
    assert call.attributes["http.route"] == "/api/search"
    ways = {tuple(received.path(one)) for one in received.spans if one.trace_id == call.trace_id}
    assert {
        ("POST /api/search", "search", f"search by {name}") for name in ("keyword", "vector", "graph")
    } < ways

    asked = [one for one in received.spans if one.name == "chat openai/scripted" and one.trace_id == TRACE]
    assert asked
    assert {"task learn", "publish"} < {one.name for one in received.spans if one.trace_id == TRACE}
    way = received.path(asked[0])
    assert way[:2] == ["POST /api/publish_interaction", "task learn"]
    assert way[-1] == "chat openai/scripted"
    assert way[2].startswith("learn ")
    [entry] = [one for one in received.spans if one.parent_id == CALLER]
    assert (entry.name, entry.kind, entry.service) == ("POST /api/publish_interaction", 2, "memory")
    seen = asked[0].attributes
    assert (seen["gen_ai.provider.name"], seen["gen_ai.usage.input_tokens"]) == ("openai", 11)
    told = {headers["Traceparent"] for headers in _headers(model)}
    assert f"00-{TRACE}-{asked[0].span_id}-01" in told

    woken = [one for one in received.spans if one.name == "task learn" and one.links]
    assert woken
    assert woken[0].trace_id not in woken[0].links
    roots = {one.trace_id: one.name for one in received.spans if not one.parent_id}
    assert roots[woken[0].links[0]] == "POST /api/publish_interaction"
    assert all(headers["x-key"] == "s3cret" for headers in received.headers)
    everything = b"".join(received.raw)
    for secret in (b"ana@", b"garden", b"Lisbon", b"Porto", b"s3cret"):
        assert secret not in everything


async def _is_linked(received: Collector) -> bool:
    return any(one.name == "task learn" and one.links for one in received.spans)


def _headers(model) -> list[dict[str, str]]:
    return [
        {name.title(): value for name, value in request.headers.items()}
        for request in model.requests
        if any(name.lower() == "traceparent" for name in request.headers)
    ]


async def test_hostile_headers_begin_a_trace_of_the_servers_own(tmp_path):
    """A header that is not as W3C has it, or comes twice, is passed over; a later version's is understood."""
    bad = [
        "",
        "garbage",
        TRACEPARENT.upper(),
        f"ff-{TRACE}-{CALLER}-01",
        f"00-{'0' * 32}-{CALLER}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{CALLER}-01-more",
        f"00-{TRACE}-{CALLER}-0",
        f"{TRACEPARENT}\x7f",
        "a" * 20_000,
    ]
    with collector() as received:
        async with running(settings_in(tmp_path, traces_url=received.url)) as app, client_of(app) as api:
            for one in bad:
                reply = await api.get("/api/whoami", headers={"traceparent": one, "tracestate": one})
                assert reply.status_code == 200
            twice = [("traceparent", TRACEPARENT), ("traceparent", TRACEPARENT)]
            await api.get("/api/whoami", headers=twice)
            await api.get("/api/whoami", headers={"traceparent": f"cc-{TRACE}-{CALLER}-01-what"})
            await api.get("/api/whoami", headers={"traceparent": f"00-{TRACE}-{CALLER}-00"})
            await api.get("/api/no/such/ana@example.org")
            await api.get("/health")
    own = [one for one in received.spans if one.trace_id != TRACE]
    assert [one.name for one in own] == ["GET /api/whoami"] * (len(bad) + 1) + ["other none"]
    assert (
        len(received.spans) == len(own) + 1
    )  # the later version's; one whose caller records nothing is not recorded


@pytest.mark.parametrize("fault", ["refused", "silent"])
async def test_a_dead_collector_costs_spans_and_no_call(tmp_path, fault):
    """Calls are answered, what is lost is counted, and the server stops in its time, whatever the collector does."""
    gate = threading.Event()
    with collector(until=gate if fault == "silent" else None) as received:
        url = "http://127.0.0.1:9" if fault == "refused" else received.url
        async with running(settings_in(tmp_path, traces_url=url)) as app, client_of(app) as api:
            tracer = app.state.runtime.tracer
            for _ in range(3):
                assert (await api.get("/api/whoami")).status_code == 200
            assert "sagacity_trace_spans_dropped_total" in metrics((await api.get("/metrics")).text)
        assert (tracer.counts.dropped, tracer.counts.waiting) == (3, 0)


async def test_lines_of_the_log_name_the_trace(tmp_path):
    """While one is recorded; without a collector nothing is, and nothing of it is loaded or shown."""
    with collector() as received:
        async with running(settings_in(tmp_path, traces_url=received.url)):
            with span("outer") as outer:
                assert add_trace(structlog.get_logger(), "info", {})["trace_id"] == outer.trace_id
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        with span("outer") as nothing:
            assert nothing.traceparent == ""
            assert add_trace(structlog.get_logger(), "info", {}) == {}
        assert "trace_spans" not in (await api.get("/metrics")).text
