"""One id for a call, in its reply and in its log."""

import re

import pytest

from support.api import client_of, running, settings_in


async def test_each_call_gets_an_id_of_its_own(api):
    """Eight hex digits, new each time, also on refusals."""
    ids = [(await api.get(path)).headers["X-Correlation-ID"] for path in ("/health", "/health", "/nowhere")]
    assert len(set(ids)) == 3
    assert all(re.fullmatch(r"[0-9a-f]{8}", name) for name in ids)


@pytest.mark.parametrize("given", ["abc-123", "A.b_c", "x" * 64])
async def test_a_plain_id_of_the_caller_is_kept(api, given):
    """What a caller names is named so in the reply."""
    reply = await api.get("/health", headers={"X-Correlation-ID": given})
    assert reply.headers["X-Correlation-ID"] == given


async def test_both_names_of_the_id_are_read_and_sent(api):
    """What many proxies call X-Request-ID is the same id; of two the first that is plain counts."""
    for headers, name in (
        ({"X-Request-ID": "of-proxy"}, "of-proxy"),
        ({"X-Request-ID": "of-proxy", "X-Correlation-ID": "mine"}, "mine"),
        ({"X-Request-ID": "of-proxy", "X-Correlation-ID": "not plain"}, "of-proxy"),
    ):
        reply = await api.get("/nowhere", headers=headers)
        assert (reply.headers["X-Correlation-ID"], reply.headers["X-Request-ID"]) == (name, name)
        assert reply.json()["request_id"] == reply.json()["correlation_id"] == name
    strange = await api.get("/health", headers={"X-Request-ID": "<script>", "X-Correlation-ID": "a b"})
    assert re.fullmatch(r"[0-9a-f]{8}", strange.headers["X-Request-ID"])
    assert strange.headers["X-Request-ID"] == strange.headers["X-Correlation-ID"]


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "<script>", 'a"b', "a,b"])
async def test_a_strange_id_is_replaced(api, given):
    """Nothing that could forge a log line goes through."""
    reply = await api.get("/health", headers={"X-Correlation-ID": given})
    assert re.fullmatch(r"[0-9a-f]{8}", reply.headers["X-Correlation-ID"])


async def test_a_crash_is_answered_with_the_id_and_without_internals(tmp_path, capsys):
    """Row 34: an error that nobody foresaw is a 500 with the id; the log has the rest."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        app.state.runtime = None
        reply = await api.post("/api/search", json={"query": "x"}, headers={"X-Correlation-ID": "find-me"})
    assert reply.status_code == 500
    assert reply.headers["X-Correlation-ID"] == "find-me"
    assert reply.json()["error"] == "InternalError"
    assert reply.json()["correlation_id"] == "find-me"
    assert "AttributeError" not in reply.text
    assert "NoneType" not in reply.text
    told = "".join(capsys.readouterr())
    assert "request.crashed" in told
    assert "find-me" in told
