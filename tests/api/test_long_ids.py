"""Ids are bound by their bytes, as an index of a database is, and what is too long is refused with the length."""

import random

import pytest

from support.api import publish

_random = random.Random(5)


def emoji(count: int) -> str:
    """Characters of four bytes, in no order."""
    return "".join(chr(_random.randint(0x2_0000, 0x2_A6DF)) for _ in range(count))


FITS, TOO_LONG = emoji(256), emoji(257)
BODIES = [
    ("/api/publish_interaction", {"user_id": "anna", "interaction_data_list": [{"content": "hi"}]}, name)
    for name in ("user_id", "session_id", "request_id")
] + [("/api/get_requests", {}, name) for name in ("user_id", "session_id", "request_id")]
NESTED = [
    ("/api/add_user_profile", "user_profiles", name)
    for name in ("user_id", "profile_id", "generated_from_request_id")
] + [("/api/add_user_playbook", "user_playbooks", name) for name in ("user_id", "request_id")]


@pytest.mark.parametrize(("path", "body", "name"), BODIES)
async def test_an_id_with_too_many_bytes_is_refused(api, path, body, name):
    """The reply says which it is and how long it may be; the longest that fits is taken."""
    reply = await api.post(path, json=body | {name: TOO_LONG})
    assert reply.status_code == 422
    assert name in reply.text
    assert "at most 1024 bytes in UTF-8 are allowed, and this has 1028" in reply.text
    reply = await api.post(path, json=body | {name: FITS})
    assert reply.status_code == 200


@pytest.mark.parametrize(("path", "many", "name"), NESTED)
async def test_an_id_in_a_list_with_too_many_bytes_is_refused(api, path, many, name):
    """So it is inside of lists, for the optional ids too."""
    one = {"user_id": "anna", "content": "likes tea", "trigger": "tea"}
    reply = await api.post(path, json={many: [one | {name: TOO_LONG}]})
    assert reply.status_code == 422
    assert "at most 1024 bytes in UTF-8 are allowed, and this has 1028" in reply.text
    reply = await api.post(path, json={many: [one | {name: FITS}]})
    assert reply.status_code == 200, reply.text


@pytest.mark.parametrize("longest", [emoji(256), "ü" * 512, "x" * 512], ids=["4 bytes", "2 bytes", "ascii"])
async def test_the_longest_ids_are_stored_and_found(api, longest):
    """All three of the longest at once, on every database."""
    ids = {"user_id": longest, "session_id": longest, "request_id": longest}
    reply = await api.post(
        "/api/publish_interaction", json=ids | {"interaction_data_list": [{"content": "I like tea."}]}
    )
    assert reply.status_code == 200
    found = (await api.post("/api/get_interactions", json={"user_id": longest})).json()["interactions"]
    assert [turn["content"] for turn in found] == ["I like tea."]
    profile = {"user_id": longest, "profile_id": longest, "content": "likes tea"}
    reply = await api.post("/api/add_user_profile", json={"user_profiles": [profile]})
    assert reply.status_code == 200


async def test_an_extractor_name_with_too_many_bytes_is_refused(api):
    """A learner's place in the log is kept under its name."""
    named = {"extractor_name": TOO_LONG, "extraction_definition_prompt": "p"}
    reply = await api.post("/api/set_config", json={"profile_extractor_configs": [named]})
    assert reply.status_code == 422
    assert "at most 1024 bytes in UTF-8" in reply.text
    named["extractor_name"] = FITS
    reply = await api.post("/api/set_config", json={"profile_extractor_configs": [named]})
    assert reply.json()["success"] is True
    assert await publish(api, "I like tea.")
