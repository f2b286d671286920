"""Calls in the log."""

import re

from support.api import client_of, publish, running, settings_in


async def test_call_is_logged_with_its_end_and_without_what_it_carries(tmp_path, capsys):
    """Method, path, status and seconds under the id of the call; no query, no address, no text of a person."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        await publish(api, "I live in Lisbon.")
        capsys.readouterr()
        reply = await api.get(
            "/api/get_all_profiles", params={"user_id": "anna"}, headers={"X-Request-ID": "find-me"}
        )
        assert reply.status_code == 200
        told = "".join(capsys.readouterr())
    (line,) = [line for line in told.splitlines() if "request.done" in line]
    for part in ("find-me", "GET", "/api/get_all_profiles", "200", "seconds"):
        assert part in line
    for part in ("anna", "Lisbon", "127.0.0.1"):
        assert part not in line


async def test_probes_are_not_logged_and_time_is_told_of_all(tmp_path, capsys):
    """Four decimals of a second until the reply began."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        capsys.readouterr()
        replies = [await api.get(path) for path in ("/health", "/health/ready", "/nowhere")]
        told = "".join(capsys.readouterr())
    assert all(re.fullmatch(r"\d+\.\d{4}", reply.headers["X-Process-Time"]) for reply in replies)
    assert told.count("request.done") == 1
    assert "/nowhere" in told
