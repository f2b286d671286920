"""Turns that are sent for evaluation alone: they are kept, found and judged, and nothing is learned from them."""

import httpx
import pytest

ALLERGY, CITY = "I am allergic to peanuts.", "I live in Lyon."


def body(content: str, **fields: object) -> dict[str, object]:
    return {"user_id": "ana", "interaction_data_list": [{"content": content}], **fields}


async def profiles(api: httpx.AsyncClient) -> list[str]:
    reply = await api.post("/api/get_profiles", json={"user_id": "ana"})
    return [one["content"] for one in reply.json()["user_profiles"]]


async def published(api: httpx.AsyncClient, content: str, **fields: object) -> str:
    url = "/api/publish_interaction?wait_for_response=true"
    reply = await api.post(url, json=body(content, **fields))
    assert reply.status_code == 200, reply.text
    return reply.json()["request_id"]


async def test_nothing_is_learned_from_them(api: httpx.AsyncClient) -> None:
    """Neither at once, nor as context of later turns, nor when everything is learned anew; they are found as turns."""
    request_id = await published(api, ALLERGY, evaluation_only=True, session_id="s1")
    await published(api, CITY, force_extraction=True, session_id="s1")
    receipt = (await api.get(f"/api/receipts/{request_id}")).json()
    assert {one["reason"] for one in receipt["learners"]} == {"sent for evaluation alone"}
    [city] = await profiles(api)
    assert "Lyon" in city
    rerun = await api.post("/api/rerun_profile_generation?wait_for_response=true", json={"user_id": "ana"})
    assert rerun.status_code == 200, rerun.text
    pending = await api.post("/api/get_profiles", json={"user_id": "ana", "status_filter": ["pending"]})
    assert "peanut" not in pending.text
    found = await api.post("/api/search_interactions", json={"user_id": "ana", "query": "peanuts"})
    assert ALLERGY in found.text


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, "needs a session_id"),
        ({"session_id": "s1", "force_extraction": True}, "exclude each other"),
    ],
)
async def test_what_contradicts_itself_is_refused(
    api: httpx.AsyncClient, fields: dict[str, object], fault: str
) -> None:
    """Without a session there is nothing to judge, and what is to be learned at once is to be learned."""
    reply = await api.post("/api/publish_interaction", json=body(ALLERGY, evaluation_only=True, **fields))
    assert reply.status_code == 422
    assert fault in reply.text
