"""Bodies: small, and JSON."""

import httpx
import pytest

from support.api import client_of, listening, publish, running, settings_in

JSON = {"Content-Type": "application/json"}


async def test_a_body_over_the_limit_is_refused_by_its_length(tmp_path):
    """413 before a byte is read; at the limit it passes."""
    async with running(settings_in(tmp_path, max_body_bytes=2_000)) as app, client_of(app) as api:
        await publish(api, "x" * 1_000)
        reply = await api.post("/api/publish_interaction", content=b"x" * 2_001, headers=JSON)
        assert reply.status_code == 413
        assert reply.json()["error"] == "TooLarge"
        assert len((await api.get("/api/get_all_interactions")).json()["interactions"]) == 1


async def test_a_body_that_does_not_say_its_length_is_counted(tmp_path):
    """A stream without a length is cut off at the limit."""

    async def endless():
        while True:
            yield b" " * 512

    async with running(settings_in(tmp_path, max_body_bytes=2_000)) as app, client_of(app) as api:
        reply = await api.post("/api/publish_interaction", content=endless(), headers=JSON)
    assert reply.status_code == 413


def test_ten_megabytes_over_the_wire_are_refused(tmp_path):
    """On a real connection too, and the server goes on."""
    body = b'{"user_id": "anna", "interaction_data_list": [{"content": "' + b"x" * 10_000_000 + b'"}]}'
    with listening(settings_in(tmp_path)) as url, httpx.Client(base_url=url) as api:
        try:
            reply = api.post("/api/publish_interaction", content=body, headers=JSON)
            assert reply.status_code == 413
        except httpx.WriteError:  # the server hung up before all of it was sent
            pass
        assert api.get("/health").json()["status"] == "healthy"
        assert api.get("/api/get_all_interactions").json()["interactions"] == []


async def test_a_body_that_does_not_say_to_be_json_is_told_what_to_add(api):
    """What `curl -d` sends names the header to add, and no field; only routes that read a body look at it."""
    form = "application/x-www-form-urlencoded"
    for type_, came in ((form, form), (None, "another type, or none"), ("x" * 101, "another type, or none")):
        headers = {} if type_ is None else {"Content-Type": type_}
        reply = await api.post("/api/search", content=b'{"query": "x"}', headers=headers)
        assert (reply.status_code, reply.json()["error"]) == (422, "InvalidInput"), type_
        assert reply.json()["message"] == (
            f"the body must be JSON, but was sent as {came}; add the header `Content-Type: application/json`"
        )
        assert reply.json()["detail"][0]["loc"] == ["header", "Content-Type"]
    for type_ in ("application/json; charset=utf-8", "application/vnd.api+json"):
        reply = await api.post("/api/search", content=b'{"query": "x"}', headers={"Content-Type": type_})
        assert reply.status_code == 200, type_
    path = "/api/delete_all_profiles"
    ignored = await api.request("DELETE", path, content=b"x=1", headers={"Content-Type": form})
    assert ignored.status_code == 200


@pytest.mark.parametrize(
    ("content", "type_"),
    [
        (b'{"user_id": "anna"', "application/json"),
        (b"", "application/json"),
        (b'{"query": "x"}', "text/plain"),
        (b"query=x", "application/x-www-form-urlencoded"),
        ('{"query": "x"}'.encode("utf-16"), "application/json"),
        (b'\xef\xbb\xbf{"query": "x"}', "application/json"),
        (b'{"query": "x", "threshold": NaN}', "application/json"),
        (b'{"query": "x", "threshold": 1e999}', "application/json"),
        (b'{"query": "\xff"}', "application/json"),
    ],
)
async def test_what_is_no_json_is_refused(api, content, type_):
    """Broken, empty, otherwise encoded or otherwise declared: 422 with a text."""
    reply = await api.post("/api/search", content=content, headers={"Content-Type": type_})
    assert reply.status_code == 422
    assert reply.json()["error"] == "InvalidInput"
    assert reply.json()["msg"]
