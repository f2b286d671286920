"""What chats teach: four kinds of memory, each from the user's own words."""

from pathlib import Path

import httpx
import pytest

from support.api import listening, settings_in
from support.chatting import sent, text_of
from support.promises import choose
from support.scripted_llm import Answer, ChatRequest, as_json, extracted, scripted_llm
from support.waiting import until

pytestmark = pytest.mark.usefixtures("closed_clients")


@pytest.fixture
def settings(tmp_path: Path):
    return settings_in(tmp_path, quiet_seconds=0.5)


async def _kinds(http: httpx.AsyncClient, question: str) -> dict[str, list[str]]:
    """What is remembered, by kind."""
    body = {
        "query": question,
        "user_id": "local",
        "kinds": ["profile", "semantic", "episodic", "user_playbook"],
    }
    reply = await http.post("/api/context", json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, list[str]] = {}
    for section in reply.json()["sections"]:
        for item in section["items"]:
            found.setdefault(item["kind"], []).append(item["text"])
    return found


async def test_chat_teaches_profiles_facts_and_playbooks(settings) -> None:
    """Without a model: who the user is, what they know of others, and how the assistant should act."""
    with listening(settings) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await sent(
                http, "I live in Lyon. My sister Anna lives in Oslo. Never use emojis in your answers."
            )

            async def learned() -> bool:
                return {"profile", "semantic", "user_playbook"} <= (await _kinds(http, "Anna")).keys()

            await until(learned)
            found = await _kinds(http, "Where does Anna live?")
            assert any("Oslo" in text for text in found["semantic"])
            assert any("Lyon" in text for text in found["profile"])
            assert not any("Oslo" in text for text in found["profile"])
            assert any("emojis" in text for text in found["user_playbook"])
            listed = (await http.get("/api/memories", params={"user_id": "local"})).json()["memories"]
            [fact] = [one for one in listed if "Oslo" in one["content"]]
            assert (fact["memory_type"], fact["fact"]) == ("semantic", fact["content"])
            assert fact["topic"]


async def test_what_a_publish_says_supersedes_what_a_chat_said(settings) -> None:
    """Facts of both kinds are compared: the newer one holds, whichever door it came by."""
    with listening(settings) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await sent(http, "My sister Anna lives in Oslo.")

            async def learned() -> bool:
                return "semantic" in await _kinds(http, "Anna")

            await until(learned)
            turn = {"role": "User", "content": "My sister Anna lives in Bergen now."}
            body = {"user_id": "local", "interaction_data_list": [turn], "force_extraction": True}
            reply = await http.post(
                "/api/publish_interaction", params={"wait_for_response": "true"}, json=body
            )
            assert reply.status_code == 200, reply.text
            found = await _kinds(http, "Where does Anna live?")
            facts = [*found.get("profile", []), *found.get("semantic", [])]
            assert any("Bergen" in text for text in facts)
            assert not any("Oslo" in text for text in facts)


async def test_what_falls_out_of_the_prompt_is_there_in_short(tmp_path: Path) -> None:
    """A long conversation is summed up, and its prompt has the summary and the newest messages."""
    settings = settings_in(tmp_path, chat_idle_seconds=0, quiet_seconds=0)
    said = {"title": "A long talk", "summary": "They spoke of the harbour.", "outcome": "", "keywords": []}

    def answer(request: ChatRequest) -> Answer:
        if request.is_stream:
            return Answer(text="I see.")
        wants_summary = "summary" in (request.schema or {}).get("properties", {})
        return as_json(said) if wants_summary else extracted(request)

    with scripted_llm() as model, listening(settings) as url:
        model.answer_with(answer)
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            first = await sent(http, "The harbour " + "is wide and deep and blue " * 400)
            conversation_id = first[0].data["conversation_id"]
            for place in range(4):
                words = f"Ship number {place} " + "sails on and on and on " * 400
                await sent(http, words, conversation_id=conversation_id)

            async def is_summed_up() -> bool:
                reply = await http.get(f"/api/chat/conversations/{conversation_id}")
                return reply.json()["summary"] == "They spoke of the harbour."

            await until(is_summed_up)
            await sent(http, "And now?", conversation_id=conversation_id)
            asked = [request for request in model.requests if request.is_stream][-1]
            assert "They spoke of the harbour." in asked.prompt
            history = [one["content"] for one in asked.messages[1:-1]]
            assert any(one.startswith("Ship number 3") for one in history)
            assert not any("The harbour is wide" in one for one in history)


async def test_answer_without_a_model_knows_what_was_just_said(settings) -> None:
    """In the same conversation, before anything was learned; former answers of this kind are never quoted."""
    with listening(settings) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            first = await sent(http, "My sister Anna lives in Oslo and works at Equinor.")
            conversation_id = first[0].data["conversation_id"]
            answer = text_of(await sent(http, "Where does Anna live?", conversation_id=conversation_id))
            assert "Oslo" in answer
            found = await _kinds(http, "Where does Anna live?")
            assert not any("language model" in text for text in found.get("interaction", []))
