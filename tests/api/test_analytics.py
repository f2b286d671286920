"""Recorded calls: what answers, searches and contexts took and found; each caller reads what is theirs."""

import json

import httpx
import pytest
from fastapi import FastAPI

from support.api import make_token
from support.chatting import sent
from support.promises import choose
from support.scripted_llm import scripted_llm

pytestmark = pytest.mark.usefixtures("closed_clients")
PATH = "/api/v1/analytics"


async def flushed(api: httpx.AsyncClient) -> int:
    reply = await api.post(f"{PATH}/flush")
    assert reply.status_code == 200, reply.text
    return reply.json()["records_flushed"]


async def told(api: httpx.AsyncClient, path: str, **params) -> dict:
    await flushed(api)
    reply = await api.get(f"{PATH}/{path}", params=params)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def publish(api: httpx.AsyncClient, *turns: dict, user: str = "local") -> None:
    body = {"user_id": user, "interaction_data_list": turns, "force_extraction": True}
    reply = await api.post("/api/publish_interaction", json=body, params={"wait_for_response": True})
    assert reply.status_code == 200, reply.text


async def calls(api: httpx.AsyncClient, **params) -> list[dict]:
    return (await told(api, "requests", **params))["analytics"]


@pytest.mark.both_databases
async def test_an_answer_fills_every_field(api: httpx.AsyncClient):
    """One turn of a chat with a model, over memories and a conversation: no field of the record is empty."""
    turns = [{"content": "My sister Maria lives in Lyon."}, {"content": "I am allergic to peanuts."}]
    await publish(api, *turns)
    rule = {"user_id": "local", "content": "Name the source of each fact."}
    reply = await api.post("/api/add_user_playbook", json={"user_playbooks": [rule]})
    assert reply.status_code == 200, reply.text
    with scripted_llm() as model:
        model.answer_with(["Hello.", "She lives in Lyon."])
        await choose(api, model)
        first = await sent(api, "Hello, it is Anna.")
        conversation_id = first[0].data["conversation_id"]
        question = "Where did my sister Maria live last week?"
        reply = await api.post(
            "/api/chat/send",
            json={"content": question, "conversation_id": conversation_id},
            headers={"X-Request-ID": "my-call"},
        )
        assert reply.status_code == 200, reply.text
    newest, _ = await calls(api, conversation_id=conversation_id)
    print(json.dumps(newest, indent=1))
