"""The figures for Prometheus."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sagacity.domain.cursor import Window
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, make_token, publish, running, settings_in
from support.parts import StoppedClock


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Values by name and label values."""
    return {
        (one.name, *one.labels.values()): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


@pytest.mark.parametrize("analytics", [True, False])
async def test_calls_are_counted_without_what_they_carry(tmp_path, analytics):
    """By declared routes, whatever stands in a path; searches by strategy, also where nothing is recorded."""
    settings = settings_in(tmp_path, analytics_enabled=analytics)
    async with running(settings) as app, client_of(app) as api:
        await publish(api, "The secret garden is in Lisbon.", user_id="ana@example.org")
        await api.post("/api/search", json={"query": "a secret garden", "user_id": "ana@example.org"})
        await api.get("/api/receipts/of-ana@example.org")
        await api.get("/api/ana@example.org")
        await api.request("SECRET", "/api/search")
        reply = await api.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
        found = samples(reply.text)
        calls = "sagacity_http_requests_total"
        assert found[calls, "POST", "/api/publish_interaction", "200"] == 1
        assert found[calls, "GET", "/api/receipts/{request_id}", "404"] == 1
        assert found[calls, "GET", "none", "404"] == 1
        assert found["sagacity_http_request_seconds_count", "/api/search"] >= 1
        assert found["sagacity_memory_calls_total", "success", "memory_search"] == 1
        for strategy in ("vector", "keyword", "graph"):
            assert found["sagacity_search_strategy_runs_total", strategy] == 1
        assert found["sagacity_database_up",] == 1
        for secret in ("ana@", "secret", "SECRET", "Lisbon"):
            assert secret not in reply.text


async def test_what_waits_is_read_once_in_five_seconds(tmp_path):
    """However often it is asked for."""
    clock = StoppedClock()
    async with running(settings_in(tmp_path), clock) as app, client_of(app) as api:
        letters = ("sagacity_dead_letters",)
        assert samples((await api.get("/metrics")).text)[letters] == 0
        window = Window(user_id=UserId("ana"), first_seq=1, last_seq=1, unread=())
        async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
            await transaction.dead_letters.add("retired", window, attempts=5, error_kind="X", error="no")
        clock.advance(4)
        assert samples((await api.get("/metrics")).text)[letters] == 0
        clock.advance(2)
        assert samples((await api.get("/metrics")).text)[letters] == 1


async def test_only_who_runs_the_server_is_told(tmp_path):
    """This machine until there is a token, then a token of the first organisation: the figures are of all."""
    async with running(settings_in(tmp_path)) as app:
        async with client_of(app) as api, client_of(app, client=("203.0.113.7", 1)) as stranger:
            assert (await api.get("/metrics")).status_code == 200
            assert (await stranger.get("/metrics")).status_code == 401
            ours, theirs = await make_token(app, LOCAL_ORG), await make_token(app, "acme")
            assert (await api.get("/metrics")).status_code == 401
        for token, status in ((ours, 200), (theirs, 403), ("wrong", 401)):
            async with client_of(app, token=token) as api:
                reply = await api.get("/metrics")
                assert reply.status_code == status
                assert ("sagacity_" in reply.text) == (status == 200)
