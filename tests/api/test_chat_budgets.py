"""An organisation says how many tokens a prompt of the chat may hold."""

import httpx
import pytest

from support.chatting import sent
from support.promises import choose
from support.scripted_llm import scripted_llm


async def test_prompt_keeps_to_the_organisations_budget(api: httpx.AsyncClient) -> None:
    """Of the conversation and what is remembered; the record tells of the same budget."""
    with scripted_llm() as model:
        model.answer_with(lambda _request: "Fine.")
        await choose(api, model, chat_budgets={"total_tokens": 200})
        first = await sent(api, "First. " + "plum " * 150)
        conversation_id = first[0].data["conversation_id"]
        await sent(api, "Second. " + "pear " * 150, conversation_id=conversation_id)
        model.requests.clear()
        await sent(api, "What now?", conversation_id=conversation_id)
    [asked] = [one for one in model.requests if "What now?" in one.prompt]
    said = " ".join(one["content"] for one in asked.messages[1:-1])
    assert 0 < said.count("pear") + said.count("plum") <= 200
    assert (await api.post("/api/v1/analytics/flush")).status_code == 200
    [newest, *_] = (await api.get("/api/v1/analytics/requests")).json()["analytics"]
    assert newest["context_metrics"]["token_budget_max"] == 200


@pytest.mark.parametrize("budgets", [{"total_tokens": 99}, {"total_tokens": 128_001}, {"facts_tokens": -1}])
async def test_senseless_budget_is_refused(api: httpx.AsyncClient, budgets: dict) -> None:
    """With 422, and nothing is changed."""
    before = (await api.get("/api/get_config")).json()
    reply = await api.post("/api/set_config", json={"chat_budgets": budgets})
    assert reply.status_code == 422, reply.text
    assert (await api.get("/api/get_config")).json() == before
